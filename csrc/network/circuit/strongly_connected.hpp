// Strongly connected components (Tarjan, SIAM J. Comput. 1972), without recursion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ggp {

// A directed graph in compressed rows: successors of u are targets[first[u] .. first[u + 1]).
struct Digraph {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> targets;
};

// Returns the components. If an edge leads from one component to another, the component of its target comes first.
inline std::vector<std::vector<std::uint32_t>> strongly_connected(const Digraph& graph) {
  const auto n = static_cast<std::uint32_t>(graph.first.size() - 1);
  constexpr std::uint32_t kUnseen = 0;
  std::vector<std::uint32_t> order(n, kUnseen), low(n, 0), next_edge(graph.first.begin(), graph.first.end() - 1);
  std::vector<bool> done(n, false);
  std::vector<std::uint32_t> open, path;
  std::vector<std::vector<std::uint32_t>> components;
  std::uint32_t time = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (order[root] != kUnseen) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::uint32_t u = path.back();
      if (order[u] == kUnseen) {
        order[u] = low[u] = ++time;
        open.push_back(u);
      }
      if (next_edge[u] < graph.first[u + 1]) {
        const std::uint32_t v = graph.targets[next_edge[u]++];
        if (order[v] == kUnseen)
          path.push_back(v);
        else if (!done[v])
          low[u] = std::min(low[u], order[v]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[u]);
      if (low[u] != order[u]) continue;
      auto& component = components.emplace_back();
      std::uint32_t v;
      do {
        v = open.back();
        open.pop_back();
        done[v] = true;
        component.push_back(v);
      } while (v != u);
    }
  }
  return components;
}

}  // namespace ggp

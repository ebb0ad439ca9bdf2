// The optional interfaces of simulators: what only some games can do.
//
// Each interface is an abstract class in a header of its own in this folder. A simulator has an interface by deriving
// from it and by listing it in find_interface() (simulator.hpp). A user calls
// Simulator::optional_interface<Interface>() once, when the user is constructed, and keeps the pointer, which is null
// if the simulator does not have the interface.
//
// An interface is identified by a number and not by its C++ type (dynamic_cast): simulators and their users may live in
// different extension modules, and not every platform recognises a type across modules.
#pragma once

#include <type_traits>

namespace ggp {

enum class InterfaceId {
  kEvaluations,          // evaluations.hpp
  kWeightedEvaluations,  // evaluations.hpp
  kQuality,              // quality.hpp
  kGamePolicy,           // game_policy.hpp
  kReportedMoves,        // reported_moves.hpp
  kBitwiseLegality,      // legality.hpp
  kLegalityLookup,       // legality.hpp
  kStoredLegality,       // legality.hpp
  kRankedMoves,          // ranked_moves.hpp
  kChoiceByRank,         // choice_by_rank.hpp
  kWinningMoves,         // winning_moves.hpp
  kFluentStates,         // fluent_states.hpp
  kLaneColumns,          // lane_columns.hpp
  kMoveProbabilities,    // move_probabilities.hpp
  kMovePriors,           // move_priors.hpp
  kPercepts,             // percepts.hpp
  kPhases,               // phases.hpp
  kGoalTotals,           // goal_totals.hpp
};

// Returns the interface with an id among the listed ones, as a pointer to that interface. Returns null if the id is not
// listed, or if the object does not derive from the interface.
template <class... Interfaces, class Object>
void* select_interface(Object& object, InterfaceId id) {
  void* found = nullptr;
  const auto consider = [&](auto* none) {
    using Interface = std::remove_pointer_t<decltype(none)>;
    if constexpr (std::is_base_of_v<Interface, Object>)
      if (Interface::kId == id) found = static_cast<Interface*>(&object);
  };
  (consider(static_cast<Interfaces*>(nullptr)), ...);
  return found;
}

}  // namespace ggp

// The optional interfaces of simulators: abilities that only some games have.
//
// Each interface is an abstract class in this folder, derived from OptionalInterface. A simulator with an interface
// derives from the class, and lists the class in find_interface() (simulator.hpp). An object that uses a simulator calls
// Simulator::optional_interface<Interface>() once, in its constructor, and keeps the pointer. The pointer is null if the
// simulator does not have the interface.
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

// The base of an optional interface. Users do not own an object through the interface.
template <InterfaceId id>
class OptionalInterface {
 public:
  static constexpr InterfaceId kId = id;

 protected:
  ~OptionalInterface() = default;
};

// Returns a pointer to the interface with an id among `Interfaces`. Returns null if `Interfaces` does not contain the
// id or the object does not derive from the interface.
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

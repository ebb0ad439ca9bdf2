"""Measure how often adjudication by agreement is wrong: python tools/measure_adjudication.py GAME [--games N ...]

Plays games of two roles that take turns, without adjudication, and compares the goals of each game with the result of
adjudication. Prints the share of wrong results with its 95 % interval (Wilson), and the share of turns that
adjudication saves.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from ggp_agent.arena.adjudication import Adjudication, AdjudicationRules, Adjudicator
from ggp_agent.arena.arena import Arena, Contestant
from ggp_agent.arena.arena_match import ArenaMatch
from ggp_agent.arena.match_result import schedule
from ggp_agent.arena.role_players import RoleChoice
from ggp_agent.arena.scores import wilson_interval
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.mcts.configurations import read_configuration


def measured(arena: Arena, rules: AdjudicationRules, games: int, seed: int) -> str:
    """Play the games and return the figures as text."""
    count = len(arena.machine.roles)
    adjudicators: dict[int, Adjudicator] = {}
    stopped: dict[int, tuple[int, Adjudication]] = {}

    def observe(match: ArenaMatch, role: int, choice: RoleChoice) -> None:
        number, turn = match.plan.number, match.turns + 1
        adjudicator = adjudicators.setdefault(number, Adjudicator(rules, tuple(match.players), count))
        thoughts = choice.thoughts(role)
        result = adjudicator.decide(turn, {} if thoughts is None else {role: thoughts})
        if result is not None:
            stopped.setdefault(number, (turn, result))

    arena = replace(arena, on_choice=observe)
    plans = schedule(arena.machine.roles, contestants=2, matches=games, seed=seed)
    results = [each for each in arena.play(plans, arena.seats_side_by_side(games), lambda _: None) if not each.error]
    ended = [(each, *stopped[each.plan.number]) for each in results if each.plan.number in stopped]
    if not ended:
        return f"0 of {len(results)} games would have been stopped"
    wrong = sum(each.goals != result.goals for each, _, result in ended)
    low, high = wilson_interval(wrong / len(ended), len(ended))
    turns, saved = (sum(each.turns for each, *_ in ended), sum(each.turns - turn for each, turn, _ in ended))
    return (
        f"{len(ended)} of {len(results)} games would have been stopped, {wrong} with a wrong result: "
        f"{100 * wrong / len(ended):.1f} % ({100 * low:.1f}..{100 * high:.1f}); saved: {100 * saved / turns:.0f} % of "
        f"{turns / len(ended):.0f} turns each"
    )


def main() -> None:
    """Read the arguments and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", metavar="GAME", help="a .kif file, a name of the catalogue, or fast:NAME")
    parser.add_argument("--a", default="default", metavar="CONFIG", help="configuration a, as for `ggp-agent arena`")
    parser.add_argument("--b", default="default", metavar="CONFIG", help="configuration b")
    parser.add_argument("--games", type=int, default=200, metavar="N", help="an even number of games (default: 200)")
    parser.add_argument("--simulations", type=int, default=300, metavar="N", help="per move (default: 300)")
    parser.add_argument("--agreement", type=int, default=5, metavar="N", help="key of `adjudication` (default: 5)")
    parser.add_argument("--points", type=float, default=2.0, metavar="P", help="key of `adjudication` (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all random choices (default: 1)")
    args = parser.parse_args()
    try:
        sides = [Contestant(name, read_configuration(getattr(args, name)), args.simulations) for name in "ab"]
        rules = AdjudicationRules(agreement=args.agreement, points=args.points)
        arena = Arena(load_game(args.game).machine(), tuple(sides))
        print(measured(arena, rules, args.games, args.seed))
    except (UserError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()

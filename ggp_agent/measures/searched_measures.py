"""Measures from games of equal searches.

The formulas follow Browne (Automatic Generation and Evaluation of Recombination Games, 2009) and Browne and Maire (IEEE
Transactions on Computational Intelligence and AI in Games 2, 2010), with the values of the search in place of their
hand-made evaluations. v_p(n) is the value of player p, 0..1, in the n-th of N turns in which a player searched; the
leader of a turn has the highest value, at least `MARGIN` above the second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..arena.scores import Score
from .estimates import Estimate, Measure, Undefined, mean_estimate
from .random_measures import ONE_ROLE, result_measures
from .searched_games import SearchedGame

# A smaller difference of two values is noise of the search.
MARGIN = 0.05
_COURSE = ("drama", "lead_changes", "killer_moves", "uncertainty", "decisive_turns")


def undefined_measures(simulations: int, reason: str) -> dict[str, Measure]:
    """Return all measures of games with a number of simulations per move, each undefined for a reason."""
    found: dict[str, Measure] = {f"length_{simulations}": Undefined(reason)}
    found |= dict.fromkeys(result_measures([], [], str(simulations)), Undefined(reason))
    return found | {f"{name}_{simulations}": Undefined(reason) for name in _COURSE}


def searched_measures(games: Sequence[SearchedGame], simulations: int) -> dict[str, Measure]:
    """Return all measures of games by key, in the order of the output."""
    found: dict[str, Measure] = {f"length_{simulations}": mean_estimate([game.turns for game in games])}
    found |= result_measures([game.goals for game in games], [game.first for game in games], str(simulations))
    return found | {f"{name}_{simulations}": measure for name, measure in _course_measures(games).items()}


def doubling_measure(score: Score, simulations: int) -> dict[str, Measure]:
    """Return the gain in Elo points by twice the simulations per move."""
    key = f"elo_per_doubling_{simulations}"
    if not score.games:
        return {key: Undefined("no games were completed in the time")}
    if score.share in (0, 1):
        side = f"{2 * simulations:,}" if score.share else f"{simulations:,}"
        return {key: Undefined(f"{side} simulations won all {score.games} games")}
    low, high = score.elo_interval
    return {key: Estimate(score.elo, low, high)}


def _course_measures(games: Sequence[SearchedGame]) -> dict[str, Measure]:
    if len(games[0].goals) < 2:
        return dict.fromkeys(_COURSE, ONE_ROLE)
    played = [game for game in games if len(game.values)]
    won = [game for game in played if winner(game) is not None]
    several = [game for game in played if len(game.values) > 1]
    no_winner, no_choice = Undefined("no game had a single winner"), Undefined("no role has a choice")
    short = Undefined("no game had two turns with a choice")
    return {
        "drama": mean_estimate([drama(game) for game in won]) if won else no_winner,
        "lead_changes": mean_estimate([lead_changes(game) for game in several]) if several else short,
        "killer_moves": mean_estimate([killer_move(game) for game in several]) if several else short,
        "uncertainty": mean_estimate([uncertainty(game) for game in played]) if played else no_choice,
        "decisive_turns": mean_estimate([decisive_turns(game) for game in won]) if won else no_winner,
    }


def winner(game: SearchedGame) -> int | None:
    """Return the number of the player whose goal is higher than all others; None without one."""
    highest = max(game.goals)
    return game.goals.index(highest) if game.goals.count(highest) == 1 else None


def drama(game: SearchedGame) -> float:
    """Return the mean of sqrt(v_q - v_w) over the turns in which a player q is ahead of the later winner w, else 0."""
    won = winner(game)
    assert won is not None
    behind = game.values.max(axis=1) - game.values[:, won]
    behind = behind[behind > MARGIN]
    return float(np.sqrt(behind).mean()) if len(behind) else 0.0


def lead_changes(game: SearchedGame) -> float:
    """Return the number of turns with another leader than before, divided by N - 1; turns without a leader keep it."""
    top = np.sort(game.values, axis=1)
    leads = (game.values.argmax(axis=1))[top[:, -1] - top[:, -2] > MARGIN]
    return float((leads[1:] != leads[:-1]).sum()) / (len(game.values) - 1)


def killer_move(game: SearchedGame) -> float:
    """Return the largest gain by an own move: the largest v_p(n + 1) - v_p(n) for the mover p of turn n, at least 0."""
    movers = np.array(game.movers[:-1])
    rows = np.arange(len(movers))
    return float(max(0.0, (game.values[rows + 1, movers] - game.values[rows, movers]).max()))


def uncertainty(game: SearchedGame) -> float:
    """Return the mean over all turns of 1 minus the difference between the highest and the second value."""
    top = np.sort(game.values, axis=1)
    return float(np.mean(1 - (top[:, -1] - top[:, -2])))


def decisive_turns(game: SearchedGame) -> float:
    """Return the share of turns after the first in which the winner's value exceeds all values that losers ever have.

    Ludii's concept "DecisivenessMoves": the largest value of a player who did not win is the threshold.
    """
    won = winner(game)
    assert won is not None
    threshold = np.delete(game.values, won, axis=1).max()
    above: npt.NDArray[np.intp] = np.flatnonzero(game.values[:, won] > threshold)
    return float((len(game.values) - 1 - above[0]) / len(game.values)) if len(above) else 0.0

"""Single elimination: the winners of a round meet in the next one, until one player is left.

The order of the players is their seeding. In the first round, the first player meets the last one, and the two best
players can meet in the last round only. If the number of players is no power of two, the best have a bye. The player
with more points wins a meeting. Equal points are replayed once; then the better seed wins. A benched player loses
against equal points.

>>> first_round(["a", "b", "c", "d", "e"])
[('a', ''), ('d', 'e'), ('b', ''), ('c', '')]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...arena.scores import Score

# The largest number of meetings of two players: the first one and its repetition.
_MEETINGS = 2


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players that meet in a round."""

    # The number of the round, from 1. better, other: the players; `better` has the better seed, and `other` is empty
    # for a bye.
    round: int
    better: str
    other: str
    points: tuple[float, float]  # the points of the players
    winner: str  # the winner; empty if the players must meet, or meet again


def pairings(
    players: Sequence[str],
    cross: Mapping[tuple[str, str], Score],
    meetings: Mapping[frozenset[str], int],
    open_pairs: Collection[frozenset[str]],
    benched: Collection[str],
) -> list[Pairing]:
    """Return the pairings of all rounds that are known, in the order of the rounds."""
    seeds = {player: seed for seed, player in enumerate(players)}
    found: list[Pairing] = []
    pairs, round_ = first_round(players), 1
    while True:
        winners = []
        for pair in pairs:
            better, other = sorted(pair, key=lambda player: seeds.get(player, len(seeds)))
            score = cross.get((better, other))
            points = (score.points, score.games - score.points) if score is not None else (0.0, 0.0)
            key = frozenset(pair)
            winner = "" if key in open_pairs else _winner(better, other, points, meetings.get(key, 0), benched)
            found.append(Pairing(round_, better, other, points, winner))
            winners.append(winner)
        if len(winners) < 2 or not all(winners):
            return found
        pairs, round_ = list(zip(winners[::2], winners[1::2], strict=True)), round_ + 1


def first_round(players: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of the first round; the name of an absent player is empty."""
    order = [0]
    while len(order) < max(2, len(players)):
        order = [seed for first in order for seed in (first, 2 * len(order) - 1 - first)]
    slots = [players[seed] if seed < len(players) else "" for seed in order]
    return list(zip(slots[::2], slots[1::2], strict=True))


def _winner(better: str, other: str, points: tuple[float, float], meetings: int, benched: Collection[str]) -> str:
    if not other:
        return better
    if points[0] != points[1]:
        return better if points[0] > points[1] else other
    if (better in benched) != (other in benched):
        return other if better in benched else better
    return better if meetings >= _MEETINGS or better in benched else ""

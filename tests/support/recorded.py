"""Match records for tests, played in process."""

from __future__ import annotations

import json
import random
from itertools import islice
from pathlib import Path
from typing import Any

from gdl import StateMachine
from ggp_agent.game import play
from ggp_agent.game.game import Game
from ggp_agent.game.load import load_game
from ggp_agent.records.match_record import MatchRecord


def played(word: str, *, match: str = "", seed: int = 1, turns: int | None = None, **fields: Any) -> MatchRecord:
    """Return the record of a random match of the game named by a word, or of its first turns."""
    game = load_game(word)
    return played_on(game, game.machine(), match=match, seed=seed, turns=turns, **fields)


def played_on(
    game: Game, machine: StateMachine, *, match: str = "", seed: int = 1, turns: int | None = None, **fields: Any
) -> MatchRecord:
    """Return the record of a random match on a machine."""
    roles = machine.roles
    players = fields.pop("players", tuple(["agent", "random", "legal"][: len(roles)]))
    record = MatchRecord(match or f"{game.name}.{seed}", game.name, game.address, roles, players, 10, 5, **fields)
    state = machine.initial()
    record.append_state(machine.fluents(state), [""] * len(roles))
    for moves, state in islice(play.turns(machine, play.at_random(random.Random(seed))), turns):
        record.append_moves(moves, [(len(record.moves) + place) / 8 for place in range(len(roles))])
        record.append_state(machine.fluents(state), [""] * len(roles))
    if machine.terminal(state):
        record.goals = [machine.goal(state, role) for role in roles]
        record.completed = True
    return record


def as_others_write(record: MatchRecord, *, shouted: bool = False) -> dict[str, Any]:
    """Return a document as GGP-Base writes it, or, shouted, as an old host does: upper-cased, `true` around fluents.

    GGP-Base prints a term with blanks inside its parentheses: `( mark 3 3 )`.
    """
    document = record.document()
    for ours in ("gameName", "roleNames", "moveTimes", "isPlayerHuman", "playerNamesFromHost", "errors", "scrambled"):
        del document[ours]
    name = record.game.upper() if shouted else record.game
    document["gameMetaURL"] = f"http://games.ggp.org/base/games/{name}/v0/"
    document["tournamentNameFromHost"] = "a tournament"
    document["moves"] = [list(map(_spaced, moves)) for moves in record.moves]
    document["states"] = ["( " + " ".join(map(_spaced, state)) + " )" for state in record.states]
    if shouted:
        document["moves"] = [[move.upper() for move in moves] for moves in document["moves"]]
        document["states"] = [
            "(" + " ".join(f"( TRUE {_spaced(fluent.upper())} )" for fluent in state) + ")" for state in record.states
        ]
    return document


def _spaced(term: str) -> str:
    return term.replace("(", "( ").replace(")", " )")


def write(path: Path, document: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path

"""A player: answers the messages of managers, one match at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from gdl import RuleSheet, StateMachine, StopFlag

from .clocks import DEFAULT_MARGIN
from .machines import load_machine
from .modules.recognition import recognise
from .player_match import Load, PlayerMatch
from .policies import Policy
from .protocol import (
    ABORTED,
    BUSY,
    DONE,
    NIL,
    READY,
    Abort,
    Info,
    Message,
    Play,
    Presence,
    Preview,
    ProtocolError,
    Start,
    Stop,
    format_presence,
    parse_message,
)

logger = logging.getLogger(__name__)

# A match whose manager has been silent for this long, beyond its own clocks, is given up; seconds.
SILENCE = 600.0


def _load(sheet: RuleSheet, stop: StopFlag, seconds: float) -> StateMachine:
    return load_machine(sheet, stop=stop, seconds=seconds)


class Player:
    """Answer messages; safe to call from many threads at once.

    Args:
        name: one word, told in the answer to INFO.
        make_policy: makes the policy of each new match.
        load: builds the fast machine of a sheet; gives up when the flag is set, or after so many seconds.
        margin: seconds kept in hand before the end of each clock.
        silence: seconds of silence, beyond the clocks, after which a match is given up.
        ponders: think while no move is asked for, and to the end of the startclock.
        modules: play a sheet that is the twin of a hand-coded game by that game, whatever the names in it.
    """

    def __init__(
        self,
        name: str,
        make_policy: Callable[[], Policy],
        *,
        load: Load = _load,
        margin: float = DEFAULT_MARGIN,
        silence: float = SILENCE,
        ponders: bool = False,
        modules: bool = True,
    ) -> None:
        self.name = name
        self._make_policy = make_policy
        self._species = make_policy().species
        self._load = load
        self._margin = margin
        self._silence = silence
        self._ponders = ponders
        self._modules = modules
        self._lock = threading.Lock()
        self._match: PlayerMatch | None = None
        self._last_heard = 0.0

    def answer(self, text: str, received: float | None = None) -> str:
        """Return the reply to a message.

        Args:
            text: the message as it came.
            received: when its connection was accepted, on the monotonic clock; now by default. START and PLAY block
                until shortly before the end of their clocks, counted from here.

        Returns:
            The reply; `nil` where the text is no message, never an exception.
        """
        received = time.monotonic() if received is None else received
        try:
            message = parse_message(text)
        except ProtocolError as error:
            logger.warning("no message of the protocol: %s", error)
            return NIL
        try:
            reply = self._dispatch(message, received)
        except Exception:
            logger.exception("a message could not be answered")
            return NIL
        if not isinstance(message, Info):
            logger.info("%s -> %s (%.2f s)", _shown(message), reply, time.monotonic() - received)
        return reply

    def close(self) -> None:
        """Give up the match that is being played, if any."""
        with self._lock:
            match, self._match = self._match, None
        if match is not None:
            match.close()

    def _dispatch(self, message: Message, received: float) -> str:
        match message:
            case Info():
                return self._info()
            case Preview():
                return BUSY if self._present() is not None else READY
            case Start():
                return self._start(message, received)
        match = self._present(message.match_id)
        if match is None:
            return BUSY
        if isinstance(message, Play):
            return match.play(message, received)
        with self._lock:
            if self._match is match:
                self._match = None
        if isinstance(message, Stop):
            match.stop(message)
            return DONE
        assert isinstance(message, Abort)
        match.close()
        return ABORTED

    def _info(self) -> str:
        match = self._present(listen=False)
        status = "available" if match is None else BUSY
        thoughts = match.thoughts() if match is not None else None
        return format_presence(Presence(self.name, status, self._species, True, thoughts))

    def _start(self, message: Start, received: float) -> str:
        with self._lock:
            if self._living() is not None:
                return BUSY
            match = PlayerMatch(
                message,
                received,
                policy=self._make_policy(),
                load=self._load,
                margin=self._margin,
                ponders=self._ponders,
                recognise=recognise if self._modules else None,
            )
            self._match = match
            self._last_heard = time.monotonic()
        return match.begin()

    def _present(self, match_id: str | None = None, *, listen: bool = True) -> PlayerMatch | None:
        """Return the match that is being played, if it is the one that is meant."""
        with self._lock:
            match = self._living()
            if match is None or (match_id is not None and match.match_id.lower() != match_id.lower()):
                return None
            if listen and match_id is not None:
                self._last_heard = time.monotonic()
            return match

    def _living(self) -> PlayerMatch | None:
        """Drop the match if it was refused or its manager has gone."""
        match = self._match
        if match is None:
            return None
        silence = time.monotonic() - self._last_heard
        if not match.refusal and silence <= self._silence + match.start_clock + match.play_clock:
            return match
        if not match.refusal:
            logger.warning("%s: given up, the manager has been silent for %.0f s", match.match_id, silence)
        match.close()
        self._match = None
        return None


def _shown(message: Message) -> str:
    match message:
        case Start():
            clocks = f"{message.start_clock:g} {message.play_clock:g}"
            return f"START {message.match_id} {message.role} ({len(message.rules)} characters of rules) {clocks}"
        case Play() | Stop():
            moves = "NIL" if message.moves is None else f"({' '.join(message.moves)})"
            return f"{type(message).__name__.upper()} {message.match_id} {moves}"
        case Abort():
            return f"ABORT {message.match_id}"
    return type(message).__name__.upper()

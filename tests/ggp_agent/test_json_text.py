"""JSON from elsewhere, and numbers of the match protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl.compile.cache import Cache, Entry, _digest, _pack
from ggp_agent.errors import UserError
from ggp_agent.json_text import load_json
from ggp_agent.records.files import read_record
from ggp_agent.wire.messages import ProtocolError, Start, parse_message


def test_half_a_character_is_refused() -> None:
    assert load_json(b'{"a": "\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}
    for text in ('{"a": "\\ud800"}', '{"\\udfff": 1}', '[["x\\ud800y"]]'):
        with pytest.raises(ValueError, match="half a character"):
            load_json(text)


def test_a_record_with_half_a_character_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    document = {"matchId": "m", "startTime": 0, "startClock": 1, "playClock": 1, "states": [], "moves": []}
    path.write_text(json.dumps(document | {"roleNames": ["\ud800"]}))
    with pytest.raises(UserError, match=r"m\.json: .*JSON"):
        read_record(path)


@pytest.mark.parametrize("clock", ["1_0", "+5", "inf", "nan", "\u0665", "0x1", "1e", "", "-1"])
def test_clocks_are_plain_numbers(clock: str) -> None:
    with pytest.raises(ProtocolError):
        parse_message(f"( START m r ((role r)) {clock} 1 )")


@pytest.mark.parametrize(("clock", "seconds"), [("10", 10.0), ("0.5", 0.5), (".5", 0.5), ("1e-07", 1e-07)])
def test_clocks_are_read(clock: str, seconds: float) -> None:
    message = parse_message(f"( START m r ((role r)) {clock} 1 )")
    assert isinstance(message, Start) and message.start_clock == seconds


@pytest.mark.parametrize("attempts", [[[]], [{}], ["\ud800"], [None], [[1, 2, 3, 4, 5, 6, 7, 8]], [{"strategy": 5}]])
def test_a_cache_entry_of_another_shape_is_removed(tmp_path: Path, attempts: list[object]) -> None:
    tmp_path.chmod(0o700)
    cache = Cache(tmp_path)
    packed = _pack(Entry("plain", (), b"network"), "key")
    content = packed[len(_digest(b"")) :].replace(b'"attempts": []', f'"attempts": {json.dumps(attempts)}'.encode())
    path = cache.path("key")
    assert path is not None
    path.write_bytes(_digest(content) + content)
    assert cache.read("key") is None and not path.exists()

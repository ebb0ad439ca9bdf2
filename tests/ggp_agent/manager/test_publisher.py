"""Matches posted to spectator servers on loopback: working, slow, unreachable and faulty ones."""

from __future__ import annotations

import json
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback_site import Page, Request, Site
from waiting import wait_for

from ggp_agent.cli import main
from ggp_agent.manager import publisher
from ggp_agent.manager.publisher import Publisher

KEY = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(publisher, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(publisher, "END_SECONDS", 60.0)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({"/": Page(KEY.encode())}) as site:
        yield site


def fields(request: Request) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(request.body.decode(), strict_parsing=True))


def posted(site: Site) -> list[str]:
    return [fields(request)["DATA"] for request in site.requests]


def publish(url: str, records: list[str], between: Callable[[], None] = lambda: None) -> tuple[list[str], float]:
    """Publish records; return the notes, and the longest delay of the match by one record."""
    notes: list[str] = []
    longest = 0.0
    with Publisher(url, notes.append) as out:
        for record in records:
            began = time.perf_counter()
            out.publish(record)
            longest = max(longest, time.perf_counter() - began)
            between()
    return notes, longest


def test_each_record_is_posted_in_order(site: Site) -> None:
    records = ["one", 'two & "2" = \u00e9', "three"]
    notes, _ = publish(site.url(), records)
    assert posted(site) == records
    assert notes == [f"published at {site.url()} as {KEY}"]
    assert {request.method for request in site.requests} == {"POST"}
    assert {request.headers["content-type"] for request in site.requests} == {"application/x-www-form-urlencoded"}
    (token,) = {fields(request)["AUTH"] for request in site.requests}
    publish(site.url(), ["other"])
    assert len(token) >= 12 and fields(site.requests[-1])["AUTH"] != token


def test_a_hanging_server_does_not_delay_the_match(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "POST_SECONDS", 60)
    monkeypatch.setattr(publisher, "END_SECONDS", 0.5)
    site.drip["/"] = b"HTTP/1.0 200 OK\r\nX-Slow: y\r\n"
    began = time.monotonic()
    notes, longest = publish(site.url(), [str(number) for number in range(50)])
    assert longest < 30  # a post takes 60 s
    assert time.monotonic() - began < 30
    assert len(notes) == 1 and "slower than the match" in notes[0]


def test_a_slow_server_receives_the_last_record(site: Site) -> None:
    opened = threading.Event()

    def hold() -> None:
        opened.wait(30)

    site.pages["/"].then = hold
    notes: list[str] = []
    with Publisher(site.url(), notes.append) as out:
        for number in range(40):
            out.publish(str(number))
        opened.set()
    numbers = [int(number) for number in posted(site)]
    assert numbers == sorted(numbers) and numbers[-1] == 39 and len(numbers) <= 18
    assert sorted(note.split()[0] for note in notes) == ["published", "publishing"]


def test_an_unreachable_server_is_reported_once() -> None:
    notes, _ = publish("http://127.0.0.1:1/", [str(number) for number in range(30)], lambda: time.sleep(0.01))
    assert notes == ["publishing to http://127.0.0.1:1/: connection refused; the match continues"]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (Page(b"<html>hello</html>"), "the answer is not the key of a match: '<html>hello</html>'"),
        (Page(b"\xff\x00" * 100), "the answer is not the key"),
        (Page(b"k" * 100_000), "longer than 16,384 bytes"),
        (Page(b"", 404), "HTTP status 404"),
        (Page(b"", 500), "HTTP status 500"),
        (Page(b"", 302, {"Location": "/elsewhere"}), "HTTP status 302"),
        (Page(b"ab", headers={"Content-Length": "9"}), "the connection was cut off"),
    ],
)
def test_an_invalid_answer_is_reported_once(site: Site, page: Page, expected: str) -> None:
    site.pages["/"] = page
    notes, _ = publish(site.url(), ["one", "two", "three"])
    assert len(notes) == 1 and expected in notes[0]
    assert "/elsewhere" not in site.paths()


def test_a_server_that_returns_receives_the_whole_match(site: Site) -> None:
    well = site.pages["/"]

    def recover() -> None:
        if len(site.requests) >= 3:
            site.pages["/"] = well

    site.pages["/"] = Page(b"", 503, then=recover)
    notes: list[str] = []
    with Publisher(site.url(), notes.append) as out:
        out.publish("last")
        wait_for(lambda: len(notes) >= 2)
    assert posted(site)[-1] == "last"
    assert [note.split()[0] for note in notes] == ["publishing", "published"]


def host(tmp_path: Path, url: str) -> dict[str, Any]:
    record = tmp_path / "record.json"
    arguments = ["--player", "legal", "legal", "--startclock", "5", "--playclock", "2", "--record", str(record)]
    assert main(["match", "tic_tac_toe", *arguments, "--publish", url]) == 0
    document: dict[str, Any] = json.loads(record.read_text())
    return document


def test_a_match_is_published_state_by_state(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = host(tmp_path, site.url())
    documents = [json.loads(text) for text in posted(site)]
    assert [len(each["states"]) for each in documents] == [*range(1, len(record["states"]) + 1), len(record["states"])]
    assert documents[-1] == record and record["isCompleted"]
    assert f"published at {site.url()} as {KEY}" in capsys.readouterr().err


def test_a_match_without_a_spectator_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert host(tmp_path, "http://127.0.0.1:1/")["isCompleted"]
    assert capsys.readouterr().err.count("publishing to") == 1


def test_a_wrong_address_is_refused_before_the_match(refusal: Callable[..., str]) -> None:
    for url, reason in (
        ("matches.example.org", "is not the address of a web server; give http://host/path"),
        ("file:///etc/passwd", "only http and https"),
    ):
        assert reason in refusal("match", "tic_tac_toe", "--publish", url)

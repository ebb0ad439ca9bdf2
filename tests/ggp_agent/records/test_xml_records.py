"""The XML records of the competitions of 2005 to 2008."""

from __future__ import annotations

import json
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from places import SHARED
from recorded import played
from small_games import NIM

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import parse_document, read_record, record_of

FIELD = SHARED / "field" / "17-historic-xml-records"
RESULTS_2006 = """<?xml version="1.0"?>
<!DOCTYPE match SYSTEM "http://127.0.0.1:9/viewmatch.dtd">
<match><match-id>FinalMatch</match-id><role>role1</role><role>role2</role>
<player>Cluneplayer</player><player>Fluxplayer</player>
<scores><reward>0</reward><reward>100</reward></scores></match>
"""


@pytest.fixture(autouse=True)
def files(in_empty_folder: Path) -> None:
    Path("nim.kif").write_text(NIM)


def _words(term: str) -> list[str]:
    return term.strip("()").split()


def xml_2008(record: MatchRecord) -> str:
    """Return a record of flat terms as the game manager of 2008 wrote it."""
    tags = [f"<role>{escape(role.capitalize())}</role>" for role in record.roles]
    tags += [f"<player>{escape(player)}</player>" for player in record.players]
    states = []
    for number, state in enumerate(record.states, start=1):
        facts = []
        for relation, *arguments in map(_words, state):
            facts.append(f"<fact><relation>{relation}</relation>")
            facts += [f"<argument>{each}</argument>\n" for each in arguments]
            facts.append("</fact>")
        states.append(f"<state>\n <stepnum>{number}</stepnum>{''.join(facts)}</state>")
    moves = [f"<move>{''.join(f'<action>{move}</action>' for move in joint)}</move>" for joint in record.moves]
    rewards = [f"<reward>{goal}</reward>" for goal in record.goals]
    return (
        f"<?xml version='1.0'?>\n<?xml-stylesheet type='text/xsl' href='/a.xsl'?>\n<match id='{record.match_id}'>\n"
        f"<game>Nim</game>{''.join(tags)}<scrambled>Yes</scrambled><startclock>60</startclock>"
        f"<playclock>30</playclock><steplimit>100</steplimit><tournament>Test</tournament>"
        f"<herstory>{''.join(states)}</herstory><history>{''.join(moves)}</history>"
        f"<rewards>{''.join(rewards)}</rewards></match>"
    )


def xml_2007(record: MatchRecord) -> str:
    """Return a record of flat terms in the form of 2007: infix moves, and only the last state, in upper case."""

    def infix(term: str) -> str:
        name, *arguments = _words(term)
        return f"{name}({','.join(arguments)})" if arguments else name

    steps = [f"<step>{''.join(f'<move>{infix(move)}</move>' for move in joint)}</step>" for joint in record.moves]
    facts = []
    for relation, *arguments in map(_words, record.states[-1]):
        shown = "".join(f"<arg>{each.upper()}</arg>" for each in arguments)
        facts.append(f"<fact><prop-f>{relation.upper()}</prop-f>{shown}</fact>")
    roles = "".join(f"<role>{role.capitalize()}</role>" for role in record.roles)
    rewards = "".join(f"<reward>{goal}</reward>" for goal in record.goals)
    return (
        f'<?xml version="1.0"?>\n<match>\n<match-id>{record.match_id}</match-id>{roles}<player>A</player>'
        f"<player>B</player><history>{''.join(steps)}</history><scores>{rewards}</scores><step>Final</step>"
        f"<state>{''.join(facts)}</state></match>"
    )


def test_a_record_of_2008_is_read_and_checked(capsys: pytest.CaptureFixture[str]) -> None:
    ours = played("nim.kif", match="nim.1")
    Path("m.xml").write_text(xml_2008(ours))
    record = read_record(Path("m.xml"))
    assert (record.states, record.moves, record.goals) == (ours.states, ours.moves, ours.goals)
    assert (record.match_id, record.start_clock, record.play_clock, record.completed) == ("nim.1", 60, 30, True)
    assert record.extra == {"scrambled": True, "stepLimit": 100, "tournamentNameFromHost": "Test"}
    assert main(["records", "check", "m.xml", "--rules", "nim.kif"]) == 0
    assert main(["records", "show", "m.xml"]) == 0
    assert "nim.1: Nim, complete" in capsys.readouterr().out
    Path("m.xml").write_text(xml_2008(ours).replace("take", "keep", 1))
    assert main(["records", "check", "m.xml", "--rules", "nim.kif"]) == 1


def test_a_record_of_2007_is_checked_to_its_last_state(capsys: pytest.CaptureFixture[str]) -> None:
    ours = played("nim.kif", match="nim.1")
    Path("m.xml").write_text(xml_2007(ours))
    record = read_record(Path("m.xml"))
    assert record.moves == ours.moves and record.states == []
    assert main(["records", "check", "m.xml", "--rules", "nim.kif"]) == 0
    assert main(["records", "show", "m.xml"]) == 0
    assert "unknown clocks" in capsys.readouterr().out
    Path("m.xml").write_text(xml_2007(ours).replace("<arg>", "<arg>not-", 1))
    assert main(["records", "check", "m.xml", "--rules", "nim.kif"]) == 1
    assert f"turn {len(ours.moves)}, state" in capsys.readouterr().out


def test_an_exported_record_is_json_that_reads_alike() -> None:
    ours = played("nim.kif", match="nim.1")
    for name, text in (("a.xml", xml_2008(ours)), ("b.xml", xml_2007(ours)), ("c.xml", RESULTS_2006)):
        Path(name).write_text(text)
        assert main(["records", "export", name, "--out", "out/"]) == 0
        written = Path("out", name).with_suffix(".json")
        json.loads(written.read_text())
        record, again = read_record(Path(name)), read_record(written)
        assert (again.moves, again.states, again.extra) == (record.moves, record.states, record.extra)
        assert (again.goals, again.players) == (record.goals, record.players)


def test_a_folder_lists_xml_records_and_skipped_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("old").mkdir()
    Path("old/final.xml").write_text(RESULTS_2006)
    played("nim.kif", match="nim.1").write(Path("old/nim.1.json"))
    for name in ("games.csv", "readme.txt", ".hidden", "nim.1.values"):
        Path("old", name).write_text("x")
    Path("old/more").mkdir()
    assert main(["records", "list", "old", "--json"]) == 0
    shown = capsys.readouterr()
    listed = json.loads(shown.out)
    assert {each["match"] for each in listed["records"]} == {"FinalMatch", "nim.1"}
    assert listed["skipped"] == {"count": 3, "files": ["old/games.csv", "old/more", "old/readme.txt"]}
    assert shown.err.strip() == (
        "skipped, because records are files ending with .json or .xml: old/games.csv, old/more/, old/readme.txt"
    )
    for number in range(20):
        Path(f"old/x{number}.csv").write_text("x")
    assert main(["records", "list", "old"]) == 0
    shown = capsys.readouterr()
    assert shown.err.strip().endswith("and 18 more") and "?" in shown.out
    assert main(["records", "show", "Final", "--folder", "old"]) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<?xml version='1.0'?><page/>", "its XML begins with <page>, not with <match> or <gametrace>"),
        ("<match id='m'><role>a</match>", "it is not XML (line 1: mismatched tag)"),
        ("<match id='m'>", "it is not XML (line 1"),
        ("<match>" + "<a>" * 100_000, "nested too deeply"),
        ("<!DOCTYPE match [<!ENTITY a 'aa'>]><match id='&a;'/>", "contains a DTD"),
        ("<!DOCTYPE match SYSTEM 'x.dtd'><match><game>&a;</game></match>", "uses entities"),
        ("<match id='m'><rewards><reward>many</reward></rewards></match>", "goalValues: 'many' is not a whole number"),
        ("<match id='m'><game>a</game><game>b</game></match>", "two values for gameName"),
        ("<match/>", "the field matchId is missing"),
        ("<match id='m'><herstory><state><fact/></state></herstory></match>", "a fact without a name"),
        ("<?xml version='1.0' encoding='klingon'?><match id='m'/>", "unknown encoding"),
        (
            "<match id='m'><role>a</role><history><move><action>x</action><action>y</action></move></history></match>",
            "state",
        ),
    ],
)
def test_a_bad_xml_record_is_one_line(text: str, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_document(text.encode(), "m.xml")
    assert reason in str(caught.value) and "\n" not in str(caught.value)


def test_the_time_for_a_long_record_is_linear() -> None:
    ours = played("nim.kif", match="nim.1")
    record = MatchRecord("long", "nim", "", ours.roles, ours.players, 1, 1)
    record.states, record.moves = [ours.states[0]] * 3001, [ours.moves[0]] * 3000
    long = record_of(parse_document(xml_2008(record).encode(), "m"), "m")
    assert len(long.states) == 3001 and long.states[-1] == ours.states[0]
    nested = f"f({'f(' * 50_000}"
    (joint,) = record_of(
        parse_document(
            f"<match id='m'><role>a</role><history><step><move>{nested}</move></step></history>"
            "<state><fact><prop-f>P</prop-f></fact></state></match>".encode(),
            "m",
        ),
        "m",
    ).moves
    assert joint[0].count("(") == 50_001


def test_a_record_of_a_real_competition() -> None:
    if not FIELD.is_dir():
        pytest.skip(f"{FIELD} is absent")
    record = read_record(FIELD / "2008_Match.0812040.xml")
    assert (len(record.states), len(record.moves), record.goals) == (23, 22, [100, 0, 0])
    assert record.players == ("Cadiaplayer", "Cluneplayer", "Maligne")
    assert record.moves[0] == ["(knightmove 1 3 2 5)", "noop", "noop"]
    rules = SHARED / "corpus" / "rules" / "ttcc4.kif"
    assert main(["records", "check", str(FIELD / "2008_Match.0812040.xml"), "--rules", str(rules)]) == 0

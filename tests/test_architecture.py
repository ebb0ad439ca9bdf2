"""The architecture: imports point downwards, packages do not grow unnoticed, and the diagram is current."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import import_graph
import pytest
import sizes
from places import ROOT, known_to_git

MAX_FILE_LINES, MAX_FUNCTION_LINES = 600, 60
# Files with a limit of lines. A Cython file is the whole binding of a folder.
CODE = (".py", ".pyi", ".cpp", ".hpp", ".inl", ".js", ".css", ".html")

# What a package of `gdl` may import, lowest first.
LAYERS_OF_GDL = ("gdl.language", "gdl.compile", "gdl.machines")

# The folders of `csrc`, lowest first: a source includes files of its own folder and of those before it.
FOLDERS_OF_THE_CORE = (
    *("base", "interfaces", ".", "arrays", "network/circuit", "network/program", "network/simulator", "reasoner"),
    *("simulation", "games/common", "games/amazons", "games/breakthrough", "games/cannon", "games/checkers"),
    *("games/chinese_checkers", "games/go", "games/gomoku", "games/kalah", "games/lines_of_action", "games/pentalath"),
    *("games", "search/config", "search/tree", "search/playout", "search/selection", "search/proof", "search/driver"),
    *("learning", "hidden"),
)
MAX_FILES_IN_A_FOLDER = 35

# Packages that do not know the command line: their messages name no option of it.
AGENT_LIBRARIES = ("protocol", "arena", "bench", "measures", "verify", "evaluation", "mcts", "game")
LIBRARIES = ("gdl", *(f"ggp_agent/{name}" for name in AGENT_LIBRARIES))

needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")

SOURCES = sorted(path for path in import_graph.FILES.values() if path.suffix == ".py")


def test_no_module_imports_itself_through_others() -> None:
    assert import_graph.cycles(import_graph.module_graph()) == []


def test_no_package_imports_itself_through_others() -> None:
    assert import_graph.cycles(import_graph.package_graph()) == []


def test_gdl_knows_nothing_of_the_agent() -> None:
    for module, used in import_graph.module_graph().items():
        if module.startswith(("gdl", "kif_games")):
            assert not [other for other in used if other.startswith("ggp_agent")], module
        # Editors are the highest layer: no other package of the language imports them.
        if module.startswith("gdl") and not module.startswith("gdl.editing"):
            assert not [other for other in used if other.startswith("gdl.editing")], module
        own = ".".join(module.split(".")[:2])
        if own in LAYERS_OF_GDL:
            above = LAYERS_OF_GDL[LAYERS_OF_GDL.index(own) + 1 :]
            assert not [other for other in used if other.startswith(above)], module


def test_folders_of_the_core_include_lower_ones_only() -> None:
    files = [path for path in (ROOT / "csrc").rglob("*.*") if path.is_file()]
    folders = [str(path.parent.relative_to(ROOT / "csrc")) for path in files]
    assert set(folders) == set(FOLDERS_OF_THE_CORE)
    assert {folder for folder in folders if folders.count(folder) > MAX_FILES_IN_A_FOLDER} == set()
    upwards = [
        f"{path.relative_to(ROOT)} includes {included}"
        for path, folder in zip(files, folders, strict=True)
        for included in re.findall(r'^ *#include "([^"]+)"', path.read_text(), re.MULTILINE)
        if str(Path(included).parent) not in FOLDERS_OF_THE_CORE[: FOLDERS_OF_THE_CORE.index(folder) + 1]
    ]
    assert upwards == []


def packages_without_row(page: str, names: set[str]) -> list[str]:
    """Return the folders that a page does not name."""
    return sorted(name for name in names if not re.search(rf"(?<!\w){re.escape(name)}/", page))


def test_each_package_has_a_row() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    block, _, rows = page.partition("## The agent")
    agent = {str(path.parent.relative_to(ROOT / "ggp_agent")) for path in (ROOT / "ggp_agent").glob("*/*.py")}
    core = {path.name for path in (ROOT / "csrc").iterdir() if path.is_dir()}
    language = {path.parent.name for path in (ROOT / "gdl").glob("*/*.py")}
    assert packages_without_row(block, core | language) == []
    assert packages_without_row(rows.partition("\n## ")[0], agent) == []
    assert packages_without_row("| `arena/`, `ui/web/` |", {"arena", "hidden", "web"}) == ["hidden"]


def test_libraries_name_no_option_of_the_command_line() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for folder in LIBRARIES
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " --" in f" {node.value}"
    ]
    assert named == []


def test_commands_print_json_by_one_function() -> None:
    # `json_text` writes names of files that are not UTF-8.
    sources = (ROOT / "ggp_agent" / "commands").glob("*.py")
    assert [path.name for path in sources if "print(json.dumps(" in path.read_text()] == []


def test_names_of_test_files_are_unique() -> None:
    # pytest imports test files by their names, and cannot import two with one name.
    found = defaultdict(list)
    for path in (ROOT / "tests").rglob("test_*.py"):
        found[path.name].append(str(path.relative_to(ROOT)))
    assert [paths for paths in found.values() if len(paths) > 1] == []


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(ROOT)))
    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert shared == {}


def names_given_twice(source: str) -> list[str]:
    """Return the names that a module assigns twice: a second file that was merged into it hides those of the first."""
    given: list[str] = []
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        given += [target.id for target in targets if isinstance(target, ast.Name)]
    return sorted({name for name in given if given.count(name) > 1})


def test_no_module_gives_a_name_twice() -> None:
    assert {
        str(path.relative_to(ROOT)): found for path in SOURCES if (found := names_given_twice(path.read_text()))
    } == {}
    assert names_given_twice("limit: int = 400\nother = 1\nlimit = 10_000") == ["limit"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= MAX_FUNCTION_LINES, node.name


@needs_git
def test_files_are_short() -> None:
    lines = {path: (ROOT / path).read_bytes().count(b"\n") for path in known_to_git() if path.endswith(CODE)}
    assert {path: count for path, count in lines.items() if count > MAX_FILE_LINES} == {}


@needs_git
def test_no_package_exceeds_its_row() -> None:
    problems = sizes.excess(tomllib.loads(sizes.TABLE.read_text()), sizes.measured())
    if problems:
        pytest.fail(problems, pytrace=False)


def test_each_excess_is_reported() -> None:
    rows = {"code": {"a": 10, "b": 10, "c": 10}}
    assert sizes.excess(rows, {"code": {"a": 10, "b": 9, "c": 0}}) == ""
    assert sizes.excess(rows, {"code": {"a": 12, "c": 1}, "tests": {"d": 1}}).splitlines() == [
        "code: the row b has no package",
        "code: a has 12 lines, 2 more than its row",
        "tests: d has 1 lines, and no row",
        "Run 'python tests/support/sizes.py', which lowers and removes rows.",
        "If a package must grow, run 'python tests/support/sizes.py --raise a d' and state the reason in the commit.",
    ]


def test_rows_grow_only_if_they_are_named() -> None:
    rows, lines = {"code": {"a": 5, "b": 5, "c": 5}}, {"code": {"a": 4, "b": 6, "d": 1}}
    assert sizes.updated(rows, lines, set()) == {"code": {"a": 4, "b": 5}}
    assert sizes.updated(rows, lines, {"b", "d"}) == {"code": {"a": 4, "b": 6, "d": 1}}


def test_the_diagram_is_current() -> None:
    advice = "run 'python tests/support/import_graph.py'"
    assert import_graph.PICTURE.read_text() == import_graph.picture(), advice


def test_packages_list_their_modules() -> None:
    wrong = []
    for file in sorted(name for name in known_to_git() if re.fullmatch(r"(gdl|ggp_agent)/.+/__init__\.py", name)):
        document = ast.get_docstring(ast.parse((ROOT / file).read_text())) or ""
        lines = re.findall(r"^([a-z_0-9]+(?:, [a-z_0-9]+)*)  +\S", document, re.MULTILINE)
        listed = {name for line in lines for name in line.split(", ")}
        folder = (ROOT / file).parent
        modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        wrong += [f"{file}: {name}" for name in sorted(listed ^ modules) if listed and not (folder / name).is_dir()]
    assert wrong == []

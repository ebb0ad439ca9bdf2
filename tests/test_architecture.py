"""The architecture: imports point downwards, names are unique, and the diagram of the documentation is current."""

from __future__ import annotations

import ast
from collections import defaultdict

import import_graph
import pytest
from places import ROOT

MAX_LEVELS = 12
MAX_PACKAGES = 27
MAX_FILE_LINES, MAX_FUNCTION_LINES = 450, 60
MAX_IMPORTS_IN_FUNCTIONS = 40

# What a package of `gdl` may import, lowest first.
LAYERS_OF_GDL = ("gdl.language", "gdl.compile", "gdl.machines")

# Packages that do not know the command line: their messages name no option of it.
LIBRARIES = (
    "gdl",
    *(f"ggp_agent/{name}" for name in ("protocol", "arena", "bench", "measures", "verify", "mcts", "game")),
)

# Names that several files have, outside `commands`, and why. A command's file has the name of the command.
SHARED_FILE_NAMES = {
    "errors.py": "each of gdl and ggp_agent has its errors",
}
SHARED_CLASS_NAMES: dict[str, str] = {}

SOURCES = sorted(path for path in import_graph.FILES.values() if path.suffix == ".py")


def test_no_module_imports_itself_through_others() -> None:
    assert import_graph.cycles(import_graph.module_graph()) == []


def test_no_package_imports_itself_through_others() -> None:
    assert import_graph.cycles(import_graph.package_graph()) == []


def test_packages_have_few_levels() -> None:
    levels = import_graph.levels()
    assert max(levels.values()) <= MAX_LEVELS
    assert len(levels) <= MAX_PACKAGES


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


def test_libraries_name_no_option_of_the_command_line() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for folder in LIBRARIES
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " --" in f" {node.value}"
    ]
    assert named == []


def test_file_names_are_unique() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        if path.name not in ("__init__.py", "__main__.py") and path.parent.name != "commands":
            places[path.name].append(str(path.relative_to(ROOT)))
    shared = {name for name, paths in places.items() if len(paths) > 1}
    assert shared <= set(SHARED_FILE_NAMES), {name: places[name] for name in shared - set(SHARED_FILE_NAMES)}
    assert len(SHARED_FILE_NAMES) <= 5


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
    assert set(shared) == set(SHARED_CLASS_NAMES), shared
    assert len(SHARED_CLASS_NAMES) <= 5


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_are_short(path: object) -> None:
    text = path.read_text()  # type: ignore[attr-defined]
    assert text.count("\n") <= MAX_FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= MAX_FUNCTION_LINES, node.name


def test_few_imports_are_within_functions() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in SOURCES
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert len(found) <= MAX_IMPORTS_IN_FUNCTIONS, sorted(found)


def test_the_diagram_is_current() -> None:
    advice = "run 'python tests/support/import_graph.py'"
    assert import_graph.PICTURE.read_text() == import_graph.picture(), advice
    page = import_graph.PAGE.read_text()
    assert import_graph.with_table(page) == page, advice

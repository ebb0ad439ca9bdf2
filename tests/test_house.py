"""The house: imports run one way, and no module or room leads back to itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

from gdl.graphs import components

PACKAGES = ("gdl", "ggp_agent", "kif_games")

# What a room may use, lowest first. A room that is not named here stands above these.
FLOORS = ("kif_games", "gdl.language", "gdl.compile", "gdl.machines", "ggp_agent.protocol")

# Rooms that know nothing of the command line, so their messages name no option of it.
LIBRARIES = ("gdl", *(f"ggp_agent/{room}" for room in ("wire", "study", "search", "drawing", "hand_coded")))


def files() -> dict[str, Path]:
    """Return the modules, those in Cython by their declarations."""
    found = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


FILES = files()


def imports(module: str) -> Iterator[str]:
    """Yield the modules that a module imports, also within functions, but not for types alone."""
    path = FILES[module]
    if path.suffix == ".pyi":
        return  # declarations import for types alone
    tree = ast.parse(path.read_text())
    for_types = {
        node
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    inside = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in FILES)
        elif isinstance(node, ast.ImportFrom):
            start = inside[: len(inside) - node.level + 1] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            for name in node.names:
                whole = f"{source}.{name.name}"
                if whole in FILES or source in FILES:
                    yield whole if whole in FILES else source


def room(module: str) -> str:
    """Return the package that a module stands in, one below the top."""
    return ".".join(module.split(".")[:2])


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """Return what each module imports."""
    return {module: set(imports(module)) - {module} for module in FILES}


def test_no_module_leads_back_to_itself(graph: dict[str, set[str]]) -> None:
    assert [sorted(circle) for circle in components(graph) if len(circle) > 1] == []


def test_no_room_leads_back_to_itself(graph: dict[str, set[str]]) -> None:
    rooms: dict[str, set[str]] = {}
    for module, used in graph.items():
        rooms.setdefault(room(module), set()).update(room(other) for other in used if room(other) != room(module))
    assert [sorted(circle) for circle in components(rooms) if len(circle) > 1] == []


def test_imports_run_downwards(graph: dict[str, set[str]]) -> None:
    for module, used in graph.items():
        if module.startswith("gdl"):
            assert not [other for other in used if other.startswith("ggp_agent")], module
        if room(module) in FLOORS:
            above = FLOORS[FLOORS.index(room(module)) + 1 :]
            assert not [other for other in used if room(other) in above], module


def test_libraries_name_no_option_of_the_command_line() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for folder in LIBRARIES
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " --" in f" {node.value}"
    ]
    assert named == []

"""The graph of imports between modules and packages, and its diagram.

`python tests/support/import_graph.py` draws the diagram of the documentation: the packages by level.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from places import ROOT

from gdl.graphs import components

TOPS = ("gdl", "ggp_agent", "kif_games")
PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"

# Sizes of the picture in pixels.
BOX_HEIGHT, CHARACTER, PADDING, GAP, LEVEL_HEIGHT, WIDTH = 26, 7.4, 10, 14, 64, 860


def _files() -> dict[str, Path]:
    """Return the modules by name; a compiled module is represented by its stub."""
    found = {}
    for path in (path for top in TOPS for path in sorted((ROOT / top).rglob("*.py*"))):
        if path.suffix in (".py", ".pyi") and path.name != "__init__.pyi":
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


FILES = _files()
PACKAGES = {module for module, path in FILES.items() if path.stem == "__init__"}


def imports(module: str) -> Iterator[str]:
    """Yield the modules that a module imports: at its top, within functions, and for annotations only."""
    path = FILES[module]
    if path.suffix == ".pyi":
        return  # a compiled module imports only compiled modules; its stub imports for annotations
    inside = module.split(".") if module in PACKAGES else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in FILES)
        elif isinstance(node, ast.ImportFrom):
            start = inside[: len(inside) - node.level + 1] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            for name in node.names:
                whole = f"{source}.{name.name}"
                if whole in FILES or source in FILES:
                    yield whole if whole in FILES else source


def package(module: str) -> str:
    """Return the package of a module; the command line itself stands for the modules beside it."""
    if module in PACKAGES:
        return module
    parent = module.rpartition(".")[0]
    return f"{parent}.cli" if module in ("ggp_agent.cli", "ggp_agent.__main__") else parent


@cache
def module_graph() -> dict[str, set[str]]:
    return {module: set(imports(module)) - {module} for module in FILES}


@cache
def package_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for module, used in module_graph().items():
        own = package(module)
        if own.startswith("ggp_agent."):
            used_packages = {package(other) for other in used if other.startswith("ggp_agent.")}
            graph.setdefault(own, set()).update(used_packages - {own, "ggp_agent"})
    return {name: used for name, used in graph.items() if used or any(name in others for others in graph.values())}


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that import each other."""
    return [sorted(cycle) for cycle in components(graph) if len(cycle) > 1]


def levels() -> dict[str, int]:
    """Return the level of each package: 1 without imports, else one more than the highest package that it imports."""
    graph = package_graph()

    @cache
    def level(name: str) -> int:
        return 1 + max((level(other) for other in graph[name]), default=0)

    return {name: level(name) for name in graph}


def direct_edges() -> dict[str, set[str]]:
    """Return the imports that no chain of other imports contains, so that the picture stays readable."""
    graph = package_graph()

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset(graph[name]).union(*(below(other) for other in graph[name]))

    return {
        name: {use for use in used if not any(use in below(other) for other in used)} for name, used in graph.items()
    }


def short(name: str) -> str:
    """Return the name of a package as the documentation spells it.

    >>> short("ggp_agent.ui.web")
    'ui/web'
    """
    return name.removeprefix("ggp_agent.").replace(".", "/")


def picture() -> str:
    """Draw the packages by level as SVG; a line leads from a package down to a package that it imports."""
    level = levels()
    highest = max(level.values())
    at: dict[str, tuple[float, float]] = {}
    boxes, lines = [], []
    for number in range(highest, 0, -1):
        row = sorted(name for name in level if level[name] == number)
        widths = [CHARACTER * len(short(name)) + 2 * PADDING for name in row]
        x = (WIDTH - sum(widths) - GAP * (len(row) - 1)) / 2 + (36 if number % 2 else -36)
        y = (highest - number) * LEVEL_HEIGHT + 10
        for name, width in zip(row, widths, strict=True):
            at[name] = (x + width / 2, y)
            boxes.append(
                f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="4"/>'
                f'<text x="{x + width / 2:.0f}" y="{y + 17}">{escape(short(name))}</text>'
            )
            x += width + GAP
    for name, used in sorted(direct_edges().items()):
        for other in sorted(used):
            (x1, y1), (x2, y2) = at[name], at[other]
            y1 += BOX_HEIGHT
            lines.append(f'<path d="M{x1:.0f} {y1} C{x1:.0f} {y1 + 30} {x2:.0f} {y2 - 30} {x2:.0f} {y2}"/>')
    height = (highest - 1) * LEVEL_HEIGHT + BOX_HEIGHT + 20
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
            f' width="{WIDTH}" height="{height}">',
            "<title>Packages of ggp_agent by level, with their imports</title>",
            "<style>rect{fill:#eef3fb;stroke:#35527f}path{fill:none;stroke:#7a8bab}",
            "text{font:13px sans-serif;text-anchor:middle;fill:#10203a}</style>",
            '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>',
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")

"""Words and patterns that must not return in pages, messages, docstrings and comments: plain English for all readers.

`CONTRIBUTING.md` asks for subject, verb, object and one statement per sentence. A pattern here stands for a habit that
made earlier texts hard to read. Exceptions name a file and a reason.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if not re.match(r"\w+-\w+\.md$", path.name)),
]
SOURCES = sorted(
    path for folder in ("ggp_agent", "gdl", "kif_games", "tools") for path in (ROOT / folder).rglob("*.py")
)
CORE = sorted(path for path in (ROOT / "csrc").rglob("*.*") if path.suffix in (".cpp", ".hpp", ".inl"))
MAX_LINE = 120
MAX_METHOD_WORDS = 1_800
MAX_README_LINES = 90

# The habit, a pattern, and what to write instead.
PATTERNS = {
    "told": (r"\btold\b", "reported, returned, known"),
    "tells": (r"\btells?\b", "reports, shows, describes"),
    "anew": (r"\banew\b", "again"),
    "so many": (r"\bso many\b", "the number"),
    "nobody": (r"\b(?:nobody|somebody|whoever)\b", "the role, the player, the user"),
    "it is none": (r"\b(?:it|which|that) (?:is|are) none\b", "the noun with 'not'"),
    "those that": (r"\bthose (?:that|of|who|which|with)\b", "the noun again"),
    "take down": (r"\b(?:take|takes|took|taken) down\b", "store, record"),
    "held against": (r"\bh(?:eld|old|olds) \w+ ?against\b", "compared with"),
    "to be had": (r"\b(?:is|are|not) to be had\b", "available"),
    "mended": (r"\bmend(?:s|ed|ing)?\b", "fix"),
    "inversion": (r"(?:^|[.;:] |- )(?:Lies|Holds|Stands|Is|Are) (?:it|they|one|there) [^?]*,", "If it is .., then .."),
    "as ever": (r"\bas ever\b", "as before, or leave it out"),
}
# Page, pattern: why the words are right there.
EXCEPTIONS: dict[tuple[str, str], str] = {}

# First words that no noun phrase has: a description of an argument or attribute names the thing.
NOT_A_NOUN = re.compile(
    r"(?:of|in|for|by|after|before|to|from|on|at|with|without|which|whose|that|what|where|when|how|why|if|so|as|than"
    r"|told|it|its|they|them|their|he|she|who|is|are|was|were|has|have)?"
)
SECTIONS = ("Args:", "Attributes:")
HEADS = "Args|Attributes|Returns|Yields|Raises"


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page with their numbers, without code and without what programs print."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def offences(name: str, lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Yield each match of a pattern with its place and what to write instead."""
    for number, line in lines:
        for habit, (pattern, instead) in PATTERNS.items():
            if re.search(pattern, line, re.IGNORECASE) and (name, habit) not in EXCEPTIONS:
                yield f"{name}:{number}: '{habit}' (write: {instead}): {line.strip()[:80]}"


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield docstrings and other strings of a source with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for offset, line in enumerate(node.value.splitlines()):
                yield node.lineno + offset, re.sub(r"`[^`]*`", "", line)


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments of a Python or C++ source with their lines, without `code` in backquotes."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
    else:
        found = [(number, line) for number, line in enumerate(text.splitlines(), 1) if "//" in line]
        # A string may contain the mark of a comment, an address for instance.
        found = [(number, re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).partition("//")[2]) for number, line in found]
    for number, line in found:
        yield number, re.sub(r"`[^`]*`", "", line)


def descriptions(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of arguments and attributes and their descriptions, as docstrings give them."""
    for _, docstring in docstrings(path):
        yield from described(docstring)


def described(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield the names and descriptions of the sections `Args:` and `Attributes:` of a docstring."""
    section = ""
    for line in docstring.splitlines():
        if line and not line.startswith(" "):
            section = line
        elif section in SECTIONS and (item := re.match(r"    (\w[\w, *]*): (.*)", line)):
            yield item[1], item[2]


def docstrings(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Yield the modules, classes and functions of a source with their docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, ast.get_docstring(node) or ""


def has_typed_text(node: ast.AST, docstring: str) -> bool:
    """Return whether the site would show the start of a property's docstring as the type of the property."""
    decorators = [ast.unparse(each) for each in getattr(node, "decorator_list", [])]
    first = re.sub(r"`[^`]*`", "", docstring.partition("\n\n")[0])
    return any(re.search(r"(^|[._])property$", each) for each in decorators) and ":" in first


def misplaced_sections(docstring: str) -> list[str]:
    """Return the heads of sections of a docstring that are indented, or whose entries have another indent than four."""
    lines = docstring.split("\n")
    return [
        line
        for line, below in itertools.pairwise([*lines, ""])
        if re.fullmatch(rf" *(?:{HEADS}):", line) and (line.startswith(" ") or not re.match(r" {4}\S", below))
    ]


def is_noun_phrase(description: str) -> bool:
    """Return whether a description may be a noun phrase, by its first word."""
    first = re.sub(r"\W*(\w*).*", r"\1", description)
    return not NOT_A_NOUN.fullmatch(first.lower())


# Modules whose names users call; the reference shows most of them. Interfaces that others implement are public, too.
PUBLIC = """
    gdl/compile/compiler_process gdl/language/{errors,parse,rule_sheet}
    gdl/machines/{choose,compiled,machine,network,pie_rule,reasoner,reference}
    ggp_agent/arena/comparison ggp_agent/common/errors
    ggp_agent/game/{game,lanes,load,python_functions} ggp_agent/game/native/registry
    ggp_agent/hidden/{equilibrium,hidden_searcher,role_belief} ggp_agent/learning/{learn,learner}
    ggp_agent/evaluation/learned_network
    ggp_agent/mcts/{config,search_result,searcher}
    ggp_agent/rl/{episodes,gym_env,pettingzoo_agents}
    ggp_agent/ui/web/open_page
"""


def public_modules() -> set[str]:
    """Return the paths of the public modules without their suffix."""
    names = [re.fullmatch(r"([^{]*)(?:{(.*)})?", word) for word in PUBLIC.split()]
    return {name[1] + last for name in names if name for last in (name[2] or "").split(",")}


ABSTRACT = {"ABC", "Protocol", "abstractmethod"}


def test_docstrings_of_the_program_itself_have_no_sections() -> None:
    found, public = [], public_modules()
    assert all((ROOT / f"{name}.py").is_file() for name in public)
    for path in [*ROOT.glob("gdl/**/*.py"), *ROOT.glob("ggp_agent/**/*.py")]:
        name = str(path.relative_to(ROOT).with_suffix(""))
        if name in public:
            continue
        tree = ast.parse(path.read_text())
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        interfaces = [each for each in classes if any(getattr(node, "id", "") in ABSTRACT for node in ast.walk(each))]
        contract = {id(node) for each in interfaces for node in ast.walk(each)}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
                and id(node) not in contract
                and re.search(r"^(Args|Attributes|Raises|Returns):$", ast.get_docstring(node) or "", re.MULTILINE)
            ):
                found.append(f"{name}: {node.name}")
    assert sorted(found) == []


def test_pages_are_in_plain_english() -> None:
    found = [each for page in PAGES for each in offences(str(page.relative_to(ROOT)), prose(page.read_text()))]
    assert found == []


def test_sources_are_in_plain_english() -> None:
    assert [each for path in SOURCES for each in offences(str(path.relative_to(ROOT)), strings(path))] == []


def test_comments_are_in_plain_english() -> None:
    assert CORE
    found = [each for path in SOURCES + CORE for each in offences(str(path.relative_to(ROOT)), comments(path))]
    assert found == []


def test_descriptions_of_arguments_are_noun_phrases() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}: {description}"
        for path in SOURCES
        for name, description in descriptions(path)
        if not is_noun_phrase(description)
    ]
    assert found == []


def test_docstrings_are_shown_as_they_are_meant() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
        for path in SOURCES
        for node, docstring in docstrings(path)
        if has_typed_text(node, docstring) or misplaced_sections(docstring)
    ]
    assert wrong == []


def test_docstrings_that_the_site_would_change_are_found() -> None:
    source = (
        "class A:\n    @functools.cached_property\n    def goals(self): 'The goals: int8.'\n    def other(self): 'a: b'"
    )
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert [has_typed_text(node, ast.get_docstring(node) or "") for node in functions] == [True, False]
    assert misplaced_sections("Do.\n\n    Returns:\n        a") == ["    Returns:"]
    assert misplaced_sections("Do.\n\nArgs:\n        a: b") == ["Args:"]
    assert misplaced_sections("Do.\n\nArgs:\n    a: b\n\nReturns:\n    c") == []


def test_each_entry_of_the_lists_is_needed() -> None:
    for name, habit in EXCEPTIONS:
        assert any(
            re.search(PATTERNS[habit][0], line, re.IGNORECASE) for _, line in prose((ROOT / name).read_text())
        ), name


@pytest.mark.parametrize(
    ("habit", "sentence"),
    [
        ("told", "cannot be told from one half"),
        ("tells", "The log tells depth and proofs."),
        ("nobody", "whoever has just moved"),
        ("it is none", "Rules that are none raise an error."),
        ("those that", "as those of the page"),
        ("inversion", "- Lies it above 50 %, the values are better."),
        ("held against", "what the tests hold it against"),
    ],
)
def test_patterns_find_earlier_sentences(habit: str, sentence: str) -> None:
    assert re.search(PATTERNS[habit][0], sentence, re.IGNORECASE)


@pytest.mark.parametrize("description", ["after which it ends.", "it.", "`told`.", "where they are kept."])
def test_descriptions_without_a_noun_are_found(description: str) -> None:
    docstring = f"Do something.\n\nArgs:\n    rows: {description}\n"
    assert [is_noun_phrase(text) for _, text in described(docstring)] == [False]


@pytest.mark.parametrize(
    "description", ["the tournament plan.", "`network` or `any`.", "whether to wait.", "0 to 100."]
)
def test_noun_phrases_are_accepted(description: str) -> None:
    docstring = f"Do something.\n\nArgs:\n    plan: {description}\n\nReturns:\n    it: of something else.\n"
    assert [is_noun_phrase(text) for _, text in described(docstring)] == [True]


def test_comments_of_sources_are_found(tmp_path: Path) -> None:
    core, source = tmp_path / "core.cpp", tmp_path / "source.py"
    core.write_text('char* url = "http://a";  // told so\nint x;  // `told`\n')
    source.write_text('x = "# told"  # told so\n')
    assert [list(offences(path.name, comments(path))) for path in (core, source)] == [
        ["core.cpp:1: 'told' (write: reported, returned, known): told so"],
        ["source.py:1: 'told' (write: reported, returned, known): # told so"],
    ]


# A number of things in a message; the total of `2 of {total} games` is rarely 1.
COUNTED = re.compile(
    r"(?<!of )\{[^{}:]*(?::,)?\} (?:game|match|move|turn|cell|question|trial|state|step|difference)e?s\b"
)


def test_messages_of_commands_have_singular_and_plural() -> None:
    assert COUNTED.search('print(f"{len(names)} matches")') and not COUNTED.search("{amount(n, 'game')}")
    sources = [*(ROOT / "ggp_agent" / "commands").glob("*.py"), *(ROOT / "ggp_agent").rglob("*display.py")]
    counted = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text().split("\n"), 1)
        if COUNTED.search(line) and "raise " not in line and "== 1" not in line
    ]
    assert counted == [], "write amount(number, noun)"


def test_lines_are_short() -> None:
    long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in PAGES
        for number, line in prose(page.read_text())
        if len(line) > MAX_LINE and not line.lstrip().startswith("|")
    ]
    assert long == []


def test_method_pages_and_the_readme_are_short() -> None:
    for page in (ROOT / "docs" / "methods").glob("*.md"):
        words = [word for word in page.read_text().split() if re.search(r"\w", word)]
        assert len(words) <= MAX_METHOD_WORDS, page.name
    assert len((ROOT / "README.md").read_text().splitlines()) <= MAX_README_LINES

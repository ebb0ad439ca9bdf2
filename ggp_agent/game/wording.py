"""The names in the messages to and from one player: the names of the rule sheet, or other names.

Other names are invented names, English words, or a permutation of the names. With invented names a player can recognise
a game only by the structure of its rules. A function returns a table of new names for each kind. The table is
one-to-one, and keywords and integers keep their names, so the renamed sheet is the same game.

>>> from gdl import parse_sheet
>>> sheet = parse_sheet("(role white) (role black) (init (cell 1 blank)) (<= (next (step ?n)) (true (step ?n)))")
>>> names = word_names(sheet, Random(1))
>>> sorted(names)
['?n', 'black', 'blank', 'cell', 'step', 'white']
>>> permuted = permuted_names(sheet, Random(1))
>>> sorted(permuted) == sorted(permuted.values()), [old for old, new in permuted.items() if old == new]
(True, ['?n'])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

from gdl import GdlError, RuleSheet, parse_term
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.rule_sheet import KEYWORD_ARITIES, Distinct, Literal, Rule
from gdl.language.terms import Spellings, Term, Variable, arguments, relation, to_kif

from ..protocol.messages import BUSY, NIL

_TEXT = """
acorn actor airport almond anchor ankle apple apricot apron arch attic autumn bacon bagel bakery balcony ballad
banana banjo barley barrel basil basket bath battery beach beard beaver bedroom beetle bench berry bicycle biscuit
blanket blouse bonnet book boot bottle bowl bracelet brass bread breakfast breeze brick bridge broom bucket buffalo
butter button cabbage cabin cactus cake camel camera canal candle canoe canyon carpet carrot castanet cattle
ceiling celery cello cement cereal chair chalk cheese cherry chest chimney chocolate cider cinema cinnamon circus
clarinet clay clinic cloak clock cloud clover coal coat cobweb coconut coffee collar comet compass concert cookie
copper coral cork cotton cough cousin crayon cream cricket crocodile cucumber cupboard curtain cushion daisy dairy
dancer dentist desert desk dessert diary dinner doctor dolphin donkey doorbell dragonfly drawer drizzle drum
dust eagle earring easel echo elbow elephant elevator emerald engine envelope evening eyebrow fabric factory falcon
farmer feather fennel fern ferry festival fiddle fig finger fireplace flame flannel flour flower flute foam fog
forest fork fountain fox freckle frost fruit funnel furnace galaxy garage garden garlic gazelle geyser giraffe
glacier glove goat gondola goose grain granite grape grass gravel guitar gutter hail hammer hammock harbour harp
harvest hazel heater hedge helmet herring hinge honey horizon hospital hotel hurricane ice igloo ink insect
iron island ivory jacket jaguar jam jasmine jelly jewel juice jungle kangaroo kettle kitchen kitten koala
ladder ladle lagoon lake lamb lantern laundry lavender lawn leaf leather lemon lemonade leopard lettuce library
lightning lily lime linen lizard lobster locket lotus lunch lute magnet mango maple marble market marmalade
mattress meadow melon mermaid meteor milk mint mirror mist mitten monkey moon moss moth motor mountain mouse
mushroom music mustard napkin necklace needle nephew nest nettle noodle nurse nutmeg oak oasis oatmeal ocean octopus
office olive onion opera orange orchid ostrich otter oven owl oyster paddle paint palace pancake panda papaya paper
parade parcel parrot parsley pasta peach peacock peanut pear pebble pelican pencil penguin pepper perfume piano
pickle picnic pillow pine pistachio planet plastic plum pocket poem polka pond pony poppy porch porridge potato
pottery powder pretzel pudding pumpkin puppy quilt rabbit radar radio radish rain raisin rake raspberry raven
recipe restaurant ribbon rice rooster rose rubber ruby rug saddle sailor salad salmon salt sandal sandwich
sapphire sauce sausage scarf school scissors seagull seaweed secret shampoo shawl shelf sherbet shirt shoe
shovel shower shrimp silk singer sink skirt sleeve slipper smoke snail snow soap sock sofa soup spaghetti sparrow
spider spinach spoon squirrel stable stadium stamp statue steam stocking stove strawberry suitcase summer sunflower
sunrise swan sweater syrup tailor tambourine tangerine teacher teapot telescope tent theatre thermos thimble
thunder ticket tiger toast tomato tornado towel tractor train trumpet tulip tunnel turkey turnip turtle twig
umbrella uncle vacuum valley vanilla velvet village vinegar violet violin volcano waffle wagon waist walnut walrus
wardrobe waterfall weasel weather wheat whisker whistle willow window winter wool workshop yoghurt zebra zipper
"""

ENGLISH_WORDS = tuple(_TEXT.split())


WORD = re.compile(r"[^\s()]+")
INTEGER = re.compile(r"[+-]?[0-9]+")
KEPT_WORDS = frozenset({*KEYWORD_ARITIES, "<=", "not", "or", "and", "distinct"})
# Words of the protocol that can stand in place of a move.
_RESERVED = {"nil", "busy", "ready", "done", "aborted"}
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"

# The uses of a name: its kind and number of arguments.
_Uses = frozenset[tuple[str, int]]
_VARIABLE: _Uses = frozenset({("variable", 0)})


def invented_names(sheet: RuleSheet, random: Random) -> dict[str, str]:
    """Return an invented name without a meaning for each symbol and variable."""
    return _replaced(sheet, iter(lambda: _invented(random), ""))


def word_names(sheet: RuleSheet, random: Random) -> dict[str, str]:
    """Return an English word for each symbol and variable; words are combined if there are more names than words."""
    return _replaced(sheet, _words(random))


def permuted_names(sheet: RuleSheet, random: Random) -> dict[str, str]:
    """Permute the names of a sheet, so that no name stays; variables are permuted among themselves.

    Names with the same uses are permuted: relations, functions and constants with the same numbers of arguments. A name
    with unique uses is permuted with the other such names. A name stays only if there is no other name.
    """
    uses = _uses(sheet)
    groups: dict[_Uses, list[str]] = {}
    for name in _renameable(sheet):
        groups.setdefault(_VARIABLE if name.startswith("?") else uses[name], []).append(name)
    variables = groups.pop(_VARIABLE, [])
    single = [group[0] for group in groups.values() if len(group) == 1]
    cycles = [group for group in groups.values() if len(group) > 1]
    if len(single) == 1 and cycles:
        cycles[0].append(single[0])
    else:
        cycles.append(single)
    table: dict[str, str] = {}
    for cycle in (*cycles, variables):
        random.shuffle(cycle)
        table |= dict(zip(cycle, [*cycle[1:], *cycle[:1]], strict=True))
    return table


def _renameable(sheet: RuleSheet) -> list[str]:
    """Return the symbols and variables of a sheet in alphabetical order, without keywords and integers."""
    words = sorted(set(WORD.findall(str(sheet))))
    return [word for word in words if word.lower() not in KEPT_WORDS and not INTEGER.fullmatch(word)]


def _replaced(sheet: RuleSheet, names: Iterator[str]) -> dict[str, str]:
    """Return the next name that is not yet used, for each symbol and variable."""
    words = _renameable(sheet)
    taken = {*KEPT_WORDS, *_RESERVED, *(word.lower().lstrip("?") for word in words)}
    table = {}
    for word in words:
        name = next(name for name in names if name not in taken)
        taken.add(name)
        table[word] = f"?{name}" if word.startswith("?") else name
    return table


def _invented(random: Random) -> str:
    syllables = random.randint(3, 4)
    return "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(syllables))


def _words(random: Random) -> Iterator[str]:
    """Yield all words in random order, then endlessly pairs of words."""
    yield from random.sample(ENGLISH_WORDS, len(ENGLISH_WORDS))
    while True:
        yield "_".join(random.sample(ENGLISH_WORDS, 2))


def _uses(sheet: RuleSheet) -> dict[str, _Uses]:
    """Return the uses of each name: as relation, function or constant, with the number of arguments."""
    found: dict[str, set[tuple[str, int]]] = {}

    def visit(term: Term, kind: str) -> None:
        if isinstance(term, Variable):
            return
        name, arity = relation(term)
        found.setdefault(name, set()).add((kind if arity or kind == "relation" else "constant", arity))
        inner = "fluent" if kind == "relation" and name in ("init", "true", "next", "base") else "function"
        for argument in arguments(term):
            visit(argument, inner)

    for rule in sheet.rules:
        visit(rule.head.sentence, "relation")
        for atom in rule.atoms():
            if isinstance(atom, Distinct):
                visit(atom.left, "function")
                visit(atom.right, "function")
            else:
                visit(atom.sentence, "relation")
    return {name: frozenset(kinds) for name, kinds in found.items()}


class UnknownNameError(Exception):
    """A player sent a name that does not exist in its rules."""


class Wording:
    """Encode rules and moves for one player, and decode its answers.

    >>> from random import Random
    >>> from gdl import parse_sheet
    >>> from ggp_agent.game.wording import invented_names
    >>> sheet = parse_sheet("(role white) (init (cell 1 ?x))")
    >>> plain = Wording(sheet)
    >>> plain.encode("(mark 1 1)"), plain.decode("( MARK 1 1 )")
    ('( mark 1 1 )', '(MARK 1 1)')
    >>> scrambled = Wording(sheet, invented_names(sheet, Random(1)))
    >>> scrambled.decode(scrambled.encode("(cell 1 white)"))
    '(cell 1 white)'
    """

    def __init__(self, sheet: RuleSheet, names: Mapping[str, str] | None = None) -> None:
        self._sheet = sheet
        self._theirs = dict(names or {})
        self._ours = {theirs: ours for ours, theirs in self._theirs.items()}
        self._spellings = sheet.spellings
        if self._theirs:
            kept = [word for word in sheet.spellings.by_lower_case.values() if word not in self._theirs]
            self._spellings = Spellings({word.lower(): word for word in (*kept, *self._ours)})

    def rules(self, state: Iterable[str] | None = None) -> str:
        """Return the text of the rules in START and PREVIEW."""
        text = "".join(f"{self.encode(str(rule))} " for rule in self._rules(state))
        if len(text) > MAX_CHARACTERS:  # players read no longer rules
            text = "".join(self.rename(str(rule)) for rule in self._rules(state))
            text = text.replace(" (", "(").replace(") ", ")")
        return text

    def lines(self) -> str:
        """Return the rules as canonical KIF, one per line."""
        return "\n".join(self.rename(str(rule)) for rule in self._sheet.rules)

    def encode(self, term: str) -> str:
        """Encode a move, role or rule, with blanks inside the parentheses as in GGP-Base."""
        return self.rename(term).replace("(", "( ").replace(")", " )")

    def rename(self, term: str) -> str:
        """Return a term in the names of the player, as canonical KIF."""
        if not self._theirs:
            return term
        return WORD.sub(lambda word: self._theirs.get(word[0], word[0]), term)

    def decode(self, text: str) -> str:
        """Parse a move in any spelling; return it as canonical KIF in the names of the rule sheet."""
        term = to_kif(parse_term(text, self._spellings))
        if not self._theirs:
            return term
        return WORD.sub(lambda word: self._our_name(word[0]), term)

    def read_move(self, text: str, legal: Sequence[str]) -> tuple[str, str, str]:
        """Parse the move of a player; return move, error code of the record, and description of the error.

        >>> from gdl import parse_sheet
        >>> wording = Wording(parse_sheet("(role white) (init (cell 1 ?x))"))
        >>> wording.read_move("( Mark 1 1 )", ["(Mark 1 1)"]), wording.read_move("(", ["noop"])
        (('(Mark 1 1)', '', ''), ('', 'IN (', "'(' is not a move"))
        """
        shown, problem = excerpt(text), ""
        try:
            move = self.decode(text)
            if move in legal:
                return move, "", ""
        except GdlError:
            return "", f"IN {shown}".strip(), f"{shown!r} is not a move"
        except UnknownNameError as error:
            move, problem = shown, f": {error}"
        if move.lower() in (BUSY, NIL):
            return "", f"IN {move.lower()}", f"answers {move.lower()!r} to PLAY"
        if " ?" in f" {move}":
            return "", f"IN {shown}", f"{shown!r} contains a variable"
        return "", f"IL {excerpt(move)}", f"{excerpt(move)} is not a legal move{problem}"

    def _our_name(self, word: str) -> str:
        if word in self._ours:
            return self._ours[word]
        if word in KEPT_WORDS or INTEGER.fullmatch(word):
            return word
        raise UnknownNameError(f"{word[:100]!r} is not a name of the player's rules")

    def _rules(self, state: Iterable[str] | None) -> Iterator[Rule]:
        if state is None:
            yield from self._sheet.rules
            return
        for rule in self._sheet.rules:
            if relation(rule.head.sentence)[0] != "init":
                yield rule
        for fluent in state:
            yield Rule(Literal(parse_term(f"(init {fluent})", self._sheet.spellings)))


def excerpt(text: str) -> str:
    """Return a text as one line of bounded length."""
    return " ".join(text.split())[:200]

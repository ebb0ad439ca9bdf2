"""The configuration of the search in games with hidden information; a part of `SearchConfig` (config.py)."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.toml_schema import Flag, Section, Whole, Word, key

# The method that searches the true state.
SEEING = "seeing"


@dataclass(frozen=True, slots=True)
class HiddenConfig(Section):
    """The search in games with hidden information (GDL-II); see `csrc/hidden`.

    Attributes:
        method: `ismcts`, the tree search over information states; `oos`, online outcome sampling of whole games;
            `determinised`, uniform play-outs from possible states; `seeing`, the ordinary search of the true state, for
            comparisons only.
        particles: number of particles of the belief, 1 .. 1000000.
        learned: whether the belief of `ismcts` assumes that the other roles choose by the mean strategies of the
            search, mixed with 30 % uniform choices, instead of uniformly. Players then search while they
            wait, and in comparisons also in turns with one move, to learn them.
    """

    method: str = key(Word("ismcts", "oos", "determinised", SEEING), "ismcts")
    particles: int = key(Whole(1, 1_000_000), 4096)
    learned: bool = key(Flag(), True)

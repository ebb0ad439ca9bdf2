"""The file of a stored search tree.

| bytes | content |
|---|---|
| 22 | `ggp-agent search tree` and a line feed |
| 4 | the version of the format, `VERSION`, as all numbers little-endian |
| 4 | the length of the header |
| | the header: JSON with the keys of `TreeHeader` |
| | the trees one after the other, as `csrc/search/tree/archive.hpp` writes them |
| 32 | SHA-256 of everything before |

The trees are an image of the structures in memory. They are valid for the same version of the format, the same rules
with the same numbers of fluents and moves, and the same configuration. The digest detects damage. It does not
detect a file that was forged, so load only files from a source that you trust.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gdl.json_text import checked_count, parse_json

from ..common.errors import UserError, describe_os_error

# Increases with every change of the bytes, including changes of the classes that `archive` functions write.
VERSION = 3

_MAGIC = b"ggp-agent search tree\n"
_NUMBERS = struct.Struct("<II")
_DIGEST_BYTES = 32


@dataclass(frozen=True, slots=True)
class TreeHeader:
    """What a tree belongs to."""

    numbering: str  # `NumberedMachine.numbering` of its machine
    roles: tuple[str, ...]  # the roles of the game, to name it in messages
    config: str  # the configuration of the search, as TOML
    sizes: tuple[int, ...]  # the length of each tree, in bytes
    tree_hash: int  # `Searcher.tree_hash` of all trees


def pack(header: TreeHeader, trees: Sequence[bytes]) -> bytes:
    """Return the bytes of a file."""
    text = json.dumps(asdict(header)).encode()
    data = b"".join([_MAGIC, _NUMBERS.pack(VERSION, len(text)), text, *trees])
    return data + hashlib.sha256(data).digest()


def unpack(data: bytes, source: str) -> tuple[TreeHeader, list[memoryview]]:
    """Return header and trees of a file."""
    start = len(_MAGIC) + _NUMBERS.size
    if data[: len(_MAGIC)] != _MAGIC:
        raise UserError(f"{source}: this is not a search tree that Searcher.save has written")
    if len(data) < start:
        raise _damaged(source)
    version, length = _NUMBERS.unpack_from(data, len(_MAGIC))
    if version != VERSION:
        raise UserError(
            f"{source}: the search tree has format {version}, and this version of the program reads format {VERSION}; "
            "search again"
        )
    view = memoryview(data)
    end = len(data) - _DIGEST_BYTES
    if end < start + length or hashlib.sha256(view[:end]).digest() != view[end:]:
        raise _damaged(source)
    try:
        fields = parse_json(data[start : start + length])
        sizes = tuple(map(checked_count, fields["sizes"]))
        header = TreeHeader(**{**fields, "roles": tuple(fields["roles"]), "sizes": sizes})
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _damaged(source) from None
    trees, at = [], start + length
    for size in header.sizes:
        trees.append(view[at : at + size])
        at += size
    if at != end:
        raise _damaged(source)
    return header, trees


def read(path: Path) -> bytes:
    """Return the bytes of a file; of a file of another kind only the first bytes."""
    try:
        with path.open("rb") as file:
            first = file.read(len(_MAGIC))
            return first + file.read() if first == _MAGIC else first
    except OSError as error:
        raise UserError(describe_os_error(error)) from None


def _damaged(source: str) -> UserError:
    return UserError(f"{source}: the file is truncated or damaged; search again, or restore it from a copy")

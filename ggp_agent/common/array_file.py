"""Read NumPy archives (`.npz`) from untrusted sources."""

from __future__ import annotations

import io
import math
import zipfile
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_DAMAGED = "it is damaged, or not an archive of NumPy"
_SUFFIX = ".npy"
# The kinds of NumPy types: integers, unsigned integers and floats.
_NUMBERS = "iuf"


class _TooLargeError(Exception):
    """The arrays exceed the limit."""


class _TypeError(Exception):
    """The elements of an array are not numbers."""


def read_arrays(content: bytes, max_bytes: int) -> dict[str, Array]:
    """Return the arrays of an archive by name. Objects are not unpickled, and memory is bounded."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > max_bytes:
                raise _TooLargeError
            parts = {entry.filename.removesuffix(_SUFFIX): _read(archive, entry) for entry in entries}
    except _TooLargeError:
        raise ValueError("its arrays are too large") from None
    except Exception:  # the errors of the methods of compression have many classes
        raise ValueError(_DAMAGED) from None
    return {name: _array(part) for name, part in parts.items()}


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the content of an entry; more than its announced size is not unpacked."""
    with archive.open(entry) as file:
        return file.read(entry.file_size)


def _array(content: bytes) -> Array:
    """Read an array; numbers must have as many bytes as the shape in the header says."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, is_fortran, kind = reader(stream)
        rest = content[stream.tell() :]
        # The parser accepts a boolean as a length.
        if any(type(length) is not int or length < 0 for length in shape) or type(is_fortran) is not bool:
            raise ValueError(_DAMAGED)
        if kind.kind not in _NUMBERS:
            raise _TypeError
        if math.prod(shape) * kind.itemsize != len(rest):
            raise ValueError(_DAMAGED)
        values = np.frombuffer(rest, kind)
        return (values.reshape(shape[::-1]).T if is_fortran else values.reshape(shape)).copy()
    except _TypeError:
        raise ValueError("an array has another type") from None
    except Exception:  # the parser of headers evaluates text, whose errors have many classes
        raise ValueError(_DAMAGED) from None

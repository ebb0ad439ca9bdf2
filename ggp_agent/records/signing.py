r"""Sign match records and verify signatures, in the format of GGP-Base.

The signed text is the canonical text (`canonical_json`, in UTF-8) of the document with the public key in the field
`matchHostPK` and without the field `matchHostSignature`. The signature consists of `A` (the code of the canonical
text), the code of the kind of key, and base64. A public key consists of the code of its kind and the base64 of its
X.509 form. The kinds are

- `0`: RSA with PKCS #1 v1.5 and SHA-1, used by GGP-Base. This program only verifies it, because SHA-1 is weak.
- `1`: Ed25519 (RFC 8032), used by this program.

A valid signature proves that the owner of the key wrote the record, but not who the owner is.

The canonical text is that of strategy `A` of GGP-Base. Keys are sorted, and there is no white space. Strings and
numbers are printed as by the library org.json: `</` becomes `<\/`, and the characters 80 to 9f and 2000 to 20ff
(hexadecimal) are escaped. A number with a point or an exponent is printed as a Java double, without a fraction of
zeros. An integer beyond 64 bits is printed as a string.

>>> canonical_json({"b": [10.0, 1e3, 0.5, 1e7], "a": "</a> \u2026", "c": {"z": None, "y": True}})
'{"a":"<\\/a> \\u2026","b":[10,1000,0.5,1.0E7],"c":{"y":true,"z":null}}'
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import chain
from json.encoder import encode_basestring
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.errors import UserError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ESCAPED = re.compile("[\x80-\x9f\u2000-\u20ff]|(?<=<)/")
# org.json reads larger integers as strings.
_LONG = 1 << 63
# Java prints doubles from the first number on, and below the second, with an exponent.
_LARGE, _SMALL = 1e7, 1e-3


def canonical_json(document: Any) -> str:
    """Return the canonical text of a value as returned by `json.loads`."""
    if _is_plain(document):
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if text.isascii():
            return text.replace("</", r"<\/")
    parts: list[str] = []
    _render(document, parts)
    return "".join(parts)


def _is_plain(document: Any) -> bool:
    """Return whether Java and Python print all numbers in the same way."""
    level = [document]
    while level:
        kinds = set(map(type, level))
        if float in kinds:
            return False
        whole = [each for each in level if type(each) is int] if int in kinds else ()
        if whole and not -_LONG <= min(whole) <= max(whole) < _LONG:
            return False
        inner = [each for each in level if isinstance(each, list | dict)] if kinds & {list, dict} else ()
        level = list(chain.from_iterable(each.values() if isinstance(each, dict) else each for each in inner))
    return True


def _render(value: Any, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_quoted(value))
    elif isinstance(value, list):
        parts.append("[")
        for number, each in enumerate(value):
            if number:
                parts.append(",")
            _render(each, parts)
        parts.append("]")
    elif isinstance(value, dict):
        parts.append("{")
        for number, key in enumerate(sorted(value, key=_java_order)):
            parts.append(f"{',' if number else ''}{_quoted(key)}:")
            _render(value[key], parts)
        parts.append("}")
    elif value is None:
        parts.append("null")
    elif isinstance(value, bool):
        parts.append("true" if value else "false")
    elif isinstance(value, int):
        parts.append(str(value) if -_LONG <= value < _LONG else f'"{value}"')
    else:
        parts.append(_double(value))


def _java_order(key: str) -> bytes:
    """Return a sort key in the order of 16-bit units, as Java compares strings."""
    return key.encode("utf-16-be", "surrogatepass")


def _quoted(text: str) -> str:
    quoted = encode_basestring(text)
    return quoted.replace("</", r"<\/") if quoted.isascii() else _ESCAPED.sub(_escape, quoted)


def _escape(found: re.Match[str]) -> str:
    return r"\/" if found[0] == "/" else f"\\u{ord(found[0]):04x}"


def _double(value: float) -> str:
    """Return a double as printed by Java, without a fraction of zeros.

    >>> [_double(value) for value in (10.0, -0.0, 0.001, 1.5e-4, 1e-6, 12345678.9, 1e21)]
    ['10', '-0', '0.001', '1.5E-4', '1.0E-6', '1.23456789E7', '1.0E21']
    """
    if value == 0 or _SMALL <= abs(value) < _LARGE:
        return repr(value).removesuffix(".0")
    # The shortest digits that give the same number.
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *others = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(others) or '0'}E{int(exponent) + len(others)}"


KEY_FIELD = "matchHostPK"
SIGNATURE_FIELD = "matchHostSignature"

_TEXT_CODE = "A"
_RSA, _ED25519 = "0", "1"
# The largest key file that is read.
_MAX_KEY_BYTES = 1 << 16

# The field of Ed25519, and the y coordinates of the eight points whose order divides 8: 1, -1, 0 (twice) and two others
# (twice each). With such a key, one signature is valid for nearly any text. See Chalkias, Garillot and Nikolaenko,
# "Taming the many EdDSAs" (SSR 2020), table 1, which also lists six non-canonical encodings.
_FIELD = 2**255 - 19
_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = frozenset({0, 1, _FIELD - 1, _ORDER_8, _FIELD - _ORDER_8})

MISSING = "signatures need the package cryptography; install it with pip install cryptography"


class _SmallOrderError(Exception):
    """A key or a signature is of small order, so it proves nothing."""


class Verdict(StrEnum):
    """The result of verifying a signature."""

    VALID = "valid"
    NONE = "none"
    BAD = "bad"
    # The package cryptography is missing, or the system forbids SHA-1.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Sign records with an Ed25519 key."""

    _private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """The public key, as stored in records."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        encoded = self._private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return _ED25519 + base64.b64encode(encoded).decode()

    def sign(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the document with key and signature; existing ones are replaced."""
        signed = {name: value for name, value in document.items() if name != SIGNATURE_FIELD}
        signed[KEY_FIELD] = self.public
        signature = self._private.sign(_signed_bytes(signed))
        signed[SIGNATURE_FIELD] = _TEXT_CODE + _ED25519 + base64.b64encode(signature).decode()
        return signed


def verify(document: dict[str, Any]) -> tuple[Verdict, str]:
    """Verify the signature of a document; return the verdict, and the reason if it is not valid."""
    public, signature = document.get(KEY_FIELD), document.get(SIGNATURE_FIELD)
    if public is None and signature is None:
        return Verdict.NONE, "it is not signed"
    if not isinstance(public, str) or not isinstance(signature, str):
        return Verdict.BAD, f"{KEY_FIELD} or {SIGNATURE_FIELD} is missing or not a text"
    if not signature.startswith(_TEXT_CODE):
        return Verdict.BAD, f"its canonical form {signature[:1]!r} is unknown; only A is known"
    kind = public[:1]
    if kind not in (_RSA, _ED25519) or signature[1:2] != kind:
        return Verdict.BAD, f"the kinds of key and signature, {kind!r} and {signature[1:2]!r}, are not both 0 or both 1"
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    except ImportError:
        return Verdict.UNKNOWN, MISSING
    try:
        key_bytes = base64.b64decode(public[1:], validate=True)
        signature_bytes = base64.b64decode(signature[2:], validate=True)
        text = _signed_bytes({name: value for name, value in document.items() if name != SIGNATURE_FIELD})
        _verify(kind, key_bytes, signature_bytes, text)
    except _SmallOrderError as error:
        return Verdict.BAD, f"{error} is of small order, so it would fit nearly any text"
    except InvalidSignature:
        return Verdict.BAD, "it does not fit the record, which was changed after signing"
    except (binascii.Error, ValueError, RecursionError):
        return Verdict.BAD, "the key or the signature cannot be read"
    except UnsupportedAlgorithm as error:
        return Verdict.UNKNOWN, f"this system cannot check it: {error}"
    return Verdict.VALID, ""


def new_key(path: Path) -> SigningKey:
    """Create a key; write it to a new file for its owner only, and the public key to the name + `.pub`."""
    ed25519, serialization = _packages()
    public_path = path.with_name(f"{path.name}.pub")
    for taken in (path, public_path):
        if taken.exists() or taken.is_symlink():
            raise UserError(f"{taken}: this exists already; keys are never overwritten, give a new file")
    private = ed25519.Ed25519PrivateKey.generate()
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key = SigningKey(private)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_new(path, pem, 0o600)
    _write_new(public_path, f"{key.public}\n".encode(), 0o644)
    return key


def load_key(path: Path) -> SigningKey:
    """Read a private Ed25519 key in PEM, as `new_key` writes it."""
    ed25519, serialization = _packages()
    from cryptography.exceptions import UnsupportedAlgorithm

    data = _key_bytes(path)
    try:
        private = serialization.load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, ed25519.Ed25519PrivateKey):
        advice = "make one with: ggp-agent records key --new FILE"
        raise UserError(f"{path}: this is not a private Ed25519 key without password; {advice}")
    return SigningKey(private)


def read_public(word: str) -> str:
    """Return the public key given by `word`: the key itself, or a file that contains it or the private key."""
    if word[:1] in (_RSA, _ED25519) and _is_base64(word[1:]):
        return word
    path = Path(word)
    text = _key_bytes(path).decode(errors="replace").strip()
    if text[:1] in (_RSA, _ED25519) and _is_base64(text[1:]):
        return text
    return load_key(path).public


def _verify(kind: str, key_bytes: bytes, signature: bytes, text: bytes) -> None:
    """Raise InvalidSignature for a bad signature, ValueError or _SmallOrderError for a bad key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.hashes import SHA1
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    key = load_der_public_key(key_bytes)
    if kind == _ED25519 and isinstance(key, Ed25519PublicKey):
        if _is_of_small_order(key.public_bytes_raw()):
            raise _SmallOrderError("the key")
        key.verify(signature, text)
        if _is_of_small_order(signature[:32]):
            raise _SmallOrderError("a part of the signature")
    elif kind == _RSA and isinstance(key, RSAPublicKey):
        key.verify(signature, text, PKCS1v15(), SHA1())
    else:
        raise ValueError("the kind of the key contradicts its code")


def _is_of_small_order(point: bytes) -> bool:
    r"""Return whether 32 bytes encode, in any encoding, a point whose order divides 8; the highest bit is a sign.

    >>> _is_of_small_order(bytes(32)), _is_of_small_order(b"\x09" + bytes(31))
    (True, False)
    """
    return int.from_bytes(point, "little") % 2**255 % _FIELD in _SMALL_ORDER


def _signed_bytes(document: dict[str, Any]) -> bytes:
    # Java also replaces half a character by a question mark.
    return canonical_json(document).encode("utf-8", "replace")


def _packages() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise UserError(MISSING) from None
    return ed25519, serialization


def _key_bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: this is not a file; give the file of a key")
        with path.open("rb") as file:
            return file.read(_MAX_KEY_BYTES)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UserError(f"{path}: cannot read the key: {reason[:1].lower()}{reason[1:]}") from None


def _is_base64(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) > 40
    except (binascii.Error, ValueError):
        return False


def _write_new(path: Path, data: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(handle, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())

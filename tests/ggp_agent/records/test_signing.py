"""Signatures of match records: the canonical text, Ed25519 and RSA signatures, key files."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from quick import examples

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.read_record import read_document, read_record
from ggp_agent.records.signing import (
    KEY_FIELD,
    SIGNATURE_FIELD,
    Verdict,
    _render,
    canonical_json,
    load_key,
    new_key,
    read_public,
    verify,
)

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.fixture(scope="session")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def record(**fields: Any) -> MatchRecord:
    made = MatchRecord("m.1", "g", "ggp-agent:g", ("a", "b"), ("agent", "x </y> é"), 10, 0.5, **fields)
    made.append_state(["(at 1)"], ["", "TO"])
    made.append_moves(["noop", "(go 1)"], [0.1, 0.25])
    made.append_state(["(at 2)"], ["", ""])
    return made


def sign_as_of_old(document: dict[str, Any], key: rsa.RSAPrivateKey) -> dict[str, Any]:
    """Sign in the format of GGP-Base; only the canonical text comes from our code."""
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    document = {**document, "matchHostPK": "0" + base64.b64encode(public).decode()}
    signature = key.sign(canonical_json(document).encode(), PKCS1v15(), SHA1())
    return {**document, "matchHostSignature": "A0" + base64.b64encode(signature).decode()}


def one_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    shown = capsys.readouterr()
    (line,) = shown.err.splitlines()
    return line.removeprefix("ggp-agent: error: ")


@pytest.mark.parametrize(
    ("document", "text"),
    [
        # The example of GGP-Base's own test of its canonical text, in strict JSON.
        ('{"1":2,"2":3,"3":{"2":5,"c":4,"7":9,"a":6}}', '{"1":2,"2":3,"3":{"2":5,"7":9,"a":6,"c":4}}'),
        ('{"b": [ true, null , false, {} , []],\n "a": ""}', '{"a":"","b":[true,null,false,{},[]]}'),
        # A number with a point or an exponent is printed as a Java double, without a fraction of zeros.
        ("[10, 10.0, 1e3, 1E+3, -0, -0.0, 0.50]", "[10,10,1000,1000,0,-0,0.5]"),
        ("[1e7, 12345678.9, 1.5e-4, 0.001, 1e-3, 9999999.5]", "[1.0E7,1.23456789E7,1.5E-4,0.001,0.001,9999999.5]"),
        ("[1e22, 1.7976931348623157e308, 123e-30]", "[1.0E22,1.7976931348623157E308,1.23E-28]"),
        ("[1795291439385, 9223372036854775807]", "[1795291439385,9223372036854775807]"),
        ("[9223372036854775808, -9223372036854775809]", '["9223372036854775808","-9223372036854775809"]'),
        # Escaped in strings: slashes after <, control characters, and two other ranges.
        (r'["a/b", "</a>", "<\/a>", "\u003c/", "<", "/"]', r'["a/b","<\/a>","<\/a>","<\/","<","/"]'),
        (r'["\"\\\b\f\n\r\t\u0001\u001f\u007f"]', '["\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f"]'),
        (r'["\u0080\u009f\u00a0", "\u1fff\u2000\u20ff\u2100"]', '["\\u0080\\u009f\xa0","\u1fff\\u2000\\u20ff\u2100"]'),
        (r'["\ud83d\ude00 \u00e9"]', '["\U0001f600 é"]'),
        # Keys are in the order of 16-bit units: surrogates come before U+FB01.
        ('{"\ufb01":1,"\U0001f600":2,"a":3,"B":4,"</":5}', '{"<\\/":5,"B":4,"a":3,"\U0001f600":2,"\ufb01":1}'),
    ],
)
def test_canonical_text(document: str, text: str) -> None:
    assert canonical_json(json.loads(document)) == text


_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)


@examples(60, deadline=None)
@given(st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_canonical_text_is_json_of_the_same(value: Any) -> None:
    parts: list[str] = []
    _render(value, parts)
    assert canonical_json(value) == "".join(parts)

    def numbers_beyond(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: numbers_beyond(each) for key, each in value.items()}
        if isinstance(value, list):
            return [numbers_beyond(each) for each in value]
        large = isinstance(value, int) and not -(2**63) <= value < 2**63
        return str(value) if large else value

    assert json.loads(canonical_json(value)) == numbers_beyond(value)


def test_signed_and_verified() -> None:
    key = new_key(Path("keys/host.pem"))
    made = record(key=key)
    made.write(Path("m.json"))
    document = read_document(Path("m.json"))
    assert document[KEY_FIELD] == key.public and document[SIGNATURE_FIELD][:2] == "A1"
    assert verify(document) == (Verdict.VALID, "")
    # Each later write is signed, too. Layout and order do not matter, but the content does.
    made.aborted = True
    assert verify(made.document()) == (Verdict.VALID, "")
    shuffled = json.loads(json.dumps(dict(reversed(document.items())), ensure_ascii=True))
    assert verify(shuffled)[0] is Verdict.VALID
    for change in (
        {"isAborted": True},
        {"startTime": document["startTime"] + 1},
        {"beyond": None},
        {"moves": [["noop", "(go 2)"]]},
        {KEY_FIELD: new_key(Path("other.pem")).public},
    ):
        verdict, why = verify({**document, **change})
        assert verdict is Verdict.BAD and why == "it does not fit the record, which was changed after signing"
    # A record that was read is written without its old signature, unless there is a key.
    again = read_record(Path("m.json"))
    assert again.document() == record(
        random_token=made.random_token, started=made.started, state_times=[]
    ).document() | {"stateTimes": again.state_times}
    assert verify(again.document())[0] is Verdict.NONE


def test_unicode_and_odd_numbers_survive_the_file() -> None:
    key = new_key(Path("host.pem"))
    odd = {"note": "</script> \u2028 \x85 \U0001f600 \ud800", "\U0001f600": [1e3, 10.0, 1e-9, 2**70, -0.0], "ﬁ": None}
    document = key.sign({**record().document(), **odd})
    assert verify(json.loads(json.dumps(document)))[0] is Verdict.VALID
    document["note"] = document["note"].replace("</", "< /")
    assert verify(document)[0] is Verdict.BAD


def test_rsa_signatures(rsa_key: rsa.RSAPrivateKey) -> None:
    document = record().document()
    document["playClock"] = 10.0
    document["tournamentNameFromHost"] = "</b> \u2013 \u00e9"
    signed = sign_as_of_old(document, rsa_key)
    assert verify(signed) == (Verdict.VALID, "")
    assert verify({**signed, "playClock": 10}) == (Verdict.VALID, "")
    assert verify({**signed, "playClock": 11})[0] is Verdict.BAD


def test_invalid_signatures(rsa_key: rsa.RSAPrivateKey) -> None:
    good = new_key(Path("host.pem")).sign(record().document())
    old = sign_as_of_old(record().document(), rsa_key)
    elliptic = ec.generate_private_key(ec.SECP256R1()).public_key()
    other_kind = base64.b64encode(elliptic.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()
    for change, complaint in (
        ({SIGNATURE_FIELD: None}, "is missing or not a text"),
        ({KEY_FIELD: 7}, "is missing or not a text"),
        ({SIGNATURE_FIELD: "B" + good[SIGNATURE_FIELD][1:]}, "its canonical form 'B' is unknown"),
        ({SIGNATURE_FIELD: ""}, "its canonical form '' is unknown"),
        ({SIGNATURE_FIELD: "A0" + good[SIGNATURE_FIELD][2:]}, "kinds of key and signature, '1' and '0'"),
        ({KEY_FIELD: "9abc", SIGNATURE_FIELD: "A9abc"}, "kinds of key and signature, '9' and '9'"),
        ({KEY_FIELD: "1???"}, "cannot be read"),
        ({KEY_FIELD: "1" + "A" * 80}, "cannot be read"),
        ({KEY_FIELD: "1" + other_kind}, "cannot be read"),
        ({KEY_FIELD: "1" + old[KEY_FIELD][1:]}, "cannot be read"),
        ({SIGNATURE_FIELD: "A1"}, "does not fit"),
        ({SIGNATURE_FIELD: "A1" + "A" * 88}, "does not fit"),
        ({KEY_FIELD: old[KEY_FIELD], SIGNATURE_FIELD: "A0" + "AAAA"}, "does not fit"),
    ):
        verdict, why = verify({**good, **change})
        assert verdict is Verdict.BAD and complaint in why
    assert verify(record().document()) == (Verdict.NONE, "it is not signed")


# RFC 8032, section 5.1: the field, the order of the base point, and the encoded base point.
_P, _L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
_BASE = bytes.fromhex("58" + "66" * 31)
_SPKI = bytes.fromhex("302a300506032b6570032100")


def _small_order_encodings() -> list[bytes]:
    """Find all encodings, in 32 bytes, of the points whose order divides 8, by halving (0, 1)."""
    d = -121665 * pow(121666, -1, _P) % _P
    # Twice (x, y) has x = 0 if x = 0 or y = 0. It has y = 0 if x^2 = -y^2, so d y^4 + 2 y^2 - 1 = 0.
    root = pow((1 + d) % _P, (_P + 3) // 8, _P)
    root = root if root * root % _P == (1 + d) % _P else root * pow(2, (_P - 1) // 4, _P) % _P
    ys = {0, 1, _P - 1}
    for square in ((sign * root - 1) * pow(d, -1, _P) % _P for sign in (1, -1)):
        y = pow(square, (_P + 3) // 8, _P)
        y = y if y * y % _P == square else y * pow(2, (_P - 1) // 4, _P) % _P
        ys |= {y, _P - y} if y * y % _P == square else set()
    assert len(ys) == 5
    written = [y + extra for y in sorted(ys) for extra in (0, _P) if y + extra < 2**255]
    return [(y + sign).to_bytes(32, "little") for y in written for sign in (0, 2**255)]


def test_keys_and_signatures_of_small_order_prove_nothing() -> None:
    """With the neutral element as key, one signature fits every record."""
    encodings = _small_order_encodings()
    assert len(encodings) == 14
    anything = "A1" + base64.b64encode(_BASE + (1).to_bytes(32, "little")).decode()
    for encoding in encodings:
        forged = {**record().document(), KEY_FIELD: "1" + base64.b64encode(_SPKI + encoding).decode()}
        verdict, why = verify({**forged, SIGNATURE_FIELD: anything})
        assert verdict is Verdict.BAD
        assert why == "the key is of small order, so it would fit nearly any text"
    # The owner of a valid key can make a signature whose first half is of small order.
    seed = bytes(range(32))
    private = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    document = {**record().document(), KEY_FIELD: "1" + base64.b64encode(_SPKI + public).decode()}
    secret = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little") & (2**254 - 8) | 2**254
    first = (1).to_bytes(32, "little")
    text = canonical_json(document).encode()
    challenge = int.from_bytes(hashlib.sha512(first + public + text).digest(), "little")
    both = first + (challenge * secret % _L).to_bytes(32, "little")
    private.public_key().verify(both, text)  # the library accepts it
    verdict, why = verify({**document, SIGNATURE_FIELD: "A1" + base64.b64encode(both).decode()})
    assert verdict is Verdict.BAD and why.startswith("a part of the signature is of small order")


def test_a_repeated_key_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Some readers use the first value, others the last: the signature would be valid only for some of them."""
    key = new_key(Path("host.pem"))
    text = json.dumps(key.sign(record().document()))
    Path("m.json").write_text(text.replace('{"matchId"', '{"isCompleted": true, "matchId"', 1))
    refusal = 'm.json: this is not a match record: the key "isCompleted" occurs twice'
    for action in (["records", "verify"], ["records", "show"], ["records", "list"], ["match", "--resume"]):
        assert main([*action, "m.json"]) == 2
        assert capsys.readouterr().err == f"ggp-agent: error: {refusal}\n"
    Path("m.json").write_text(text.replace('{"matchId"', '{"note": {"\\u001b": 1, "\\u001b": 2}, "matchId"', 1))
    assert 'the key "\\u001b" occurs twice' in one_line(capsys, "records", "show", "m.json")


def test_key_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "key", "--new", "host.pem"]) == 0
    public = capsys.readouterr().out.strip()
    assert stat.S_IMODE(os.stat("host.pem").st_mode) == 0o600
    assert read_public("host.pem") == read_public("host.pem.pub") == read_public(public) == public
    assert main(["records", "key", "host.pem"]) == 0
    assert capsys.readouterr().out.strip() == public == load_key(Path("host.pem")).public
    before = Path("host.pem").read_bytes()
    assert "host.pem: this exists already; keys are never overwritten" in one_line(
        capsys, "records", "key", "--new", "host.pem"
    )
    Path("half.pem.pub").touch()
    assert "half.pem.pub: this exists already" in one_line(capsys, "records", "key", "--new", "half.pem")
    Path("dangling").symlink_to("elsewhere")
    assert "dangling: this exists already" in one_line(capsys, "records", "key", "--new", "dangling")
    assert Path("host.pem").read_bytes() == before and not Path("half.pem").exists()
    encrypted = ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    Path("garbage.pem").write_bytes(encrypted[:60] + b"!!!" + encrypted[60:])
    Path("rsa.pem").write_bytes(
        rsa.generate_private_key(65537, 1024).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    for name, complaint in (
        ("garbage.pem", "garbage.pem: this is not a private Ed25519 key without password"),
        ("rsa.pem", "rsa.pem: this is not a private Ed25519 key without password"),
        ("host.pem.pub", "host.pem.pub: this is not a private Ed25519 key"),
        ("absent.pem", "absent.pem: cannot read the key: no such file or directory"),
        (".", ".: this is not a file; give the file of a key"),
    ):
        assert complaint in one_line(capsys, "records", "key", name)
        assert complaint in one_line(capsys, "match", "tic_tac_toe", "--sign", name)


def test_verify_command(capsys: pytest.CaptureFixture[str], rsa_key: rsa.RSAPrivateKey) -> None:
    key, other = new_key(Path("host.pem")), new_key(Path("other.pem"))
    Path("matches").mkdir()
    record(key=key).write(Path("matches/ours.json"))
    assert main(["records", "verify", "matches", "--key", "host.pem.pub"]) == 0
    assert capsys.readouterr().out == f"m.1: valid, by {key.public[:24]}..\n"
    assert main(["records", "verify", "ours", "--key", other.public]) == 1
    assert capsys.readouterr().out == f"m.1: bad: the signature is valid, but of another key, {key.public[:24]}..\n"
    Path("matches/old.json").write_text(json.dumps(sign_as_of_old(record().document(), rsa_key)))
    assert main(["records", "verify", "matches"]) == 0
    capsys.readouterr()
    document = json.loads(Path("matches/ours.json").read_text())
    Path("matches/bad.json").write_text(json.dumps({**document, "isAborted": True}))
    record().write(Path("matches/none.json"))
    assert main(["records", "verify", "matches", "--json"]) == 1
    verified = json.loads(capsys.readouterr().out)["records"]
    assert [(Path(each["file"]).name, each["verdict"]) for each in verified] == [
        ("bad.json", "bad"),
        ("none.json", "none"),
        ("old.json", "valid"),
        ("ours.json", "valid"),
    ]
    assert main(["records", "list", "--csv"]) == 0
    assert sorted(line.split(",")[-2] for line in capsys.readouterr().out.splitlines()[1:]) == [
        "bad",
        "none",
        "valid",
        "valid",
    ]
    Path("matches/torn.json").write_text('{"matchId": "m')
    assert main(["records", "verify", "matches"]) == 2
    assert "torn.json: this match record is incomplete" in capsys.readouterr().err
    assert "nokey: cannot read the key" in one_line(capsys, "records", "verify", "matches", "--key", "nokey")


def test_without_the_package(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    signed = new_key(Path("host.pem")).sign(record().document())
    Path("m.json").write_text(json.dumps(signed))
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    how = "signatures need the package cryptography; install it with pip install cryptography"
    assert one_line(capsys, "records", "key", "--new", "new.pem") == how
    assert one_line(capsys, "match", "tic_tac_toe", "--sign", "host.pem") == how
    assert main(["records", "verify", "m.json"]) == 2
    assert capsys.readouterr().out == f"m.1: unknown: {how}\n"
    assert main(["records", "m.json"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("unknown")
    with pytest.raises(UserError):
        load_key(Path("host.pem"))


def test_the_record_of_a_match_is_signed() -> None:
    """The record of a match is signed during the match and at its end."""
    key = new_key(Path("host.pem"))
    Path("solo.kif").write_text("""(role solo) (init (at 0)) (succ 0 1) (succ 1 2) (legal solo go)
        (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= terminal (true (at 2))) (goal solo 70)""")
    options = [
        "--player",
        "legal",
        "--startclock",
        "20",
        "--playclock",
        "20",
        "--sign",
        "host.pem",
        "--record",
        "m.json",
        "--json",
    ]
    hosted = subprocess.Popen(
        [sys.executable, "-m", "ggp_agent", "match", "solo.kif", *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    while not Path("m.json").exists():
        assert hosted.poll() is None
        time.sleep(0.01)
    early = read_document(Path("m.json"))
    assert verify(early)[0] is Verdict.VALID
    out, _ = hosted.communicate(timeout=60)
    assert hosted.returncode == 0
    document = read_document(Path("m.json"))
    assert document["isCompleted"] and document[KEY_FIELD] == key.public
    assert verify(document) == (Verdict.VALID, "")
    printed = json.loads(out)
    assert printed.pop("record") == "m.json" and verify(printed)[0] is Verdict.VALID
    assert verify(copy.deepcopy(document) | {"goalValues": [100]})[0] is Verdict.BAD

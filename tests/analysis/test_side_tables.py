"""Programs run from their `.axbc` files as from their source; damaged, foreign and newer side tables."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from analysis.bytecode.axbc import LoadError, decode, encode, encode_file
from analysis.bytecode.module import Module
from analysis.bytecode.side_tables import MAGIC, VERSION, framed
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.run import run_module
from tests.support.compiled import compiled, module_of
from tests.support.corpus import programs

MIXED = """type A { x: Int, y: Int }
type B { x: String, z: Int }
enum E { One(Int), Two }
enum F { Three, One(String) }
fn which(v: Int) -> String {
  match v { One(n) => n, Two => "two", true => "true", 7 => "seven", Some(Two) => "some two", other => other }
}
fn first(v: Int) -> Int { match v { true => 1, One(n) => n, whole => whole } }
fn main() -> Int {
  emit [which(E::One(1)), which(F::One("f")), which(E::Two), which(F::Three), which(true), which(7), which(Some(E::Two))]
  emit [first(E::One(1)), first(F::One("f")), first(F::Three), first(true), first(false), first(Ok(3))]
  emit [A { x: 1, y: 2 }.x, B { x: "b", z: 1 }.x, Nobody { z: 5, x: 6 }.x]
  B { x: "b", z: 1 }.y
}
"""
NEEDLESS = """type P { a: Int, b: String }
enum Q { R }
fn main() -> Int { let p = P { a: 1, b: "q" }
 match Some(p.a) { Some(n) => n, _ => 0 } }
"""


def outcome(module: Module) -> Any:
    log = EventLog()
    options = Options(max_steps=50_000, trace_lines=500, gateway=Gateway(ALLOW_ALL, Mock(display), log), log=log)
    made = run_module(module, options)
    error = made.error and (made.error.kind, made.error.message, made.error.call_stack)
    return display(made.value), [display(value) for value in made.ui_output], error, made.steps, made.trace, log.text()


def reread(text: str) -> tuple[Module, Module]:
    module = module_of(text)
    return module, decode(encode_file(module))


def test_what_the_tables_are_for() -> None:
    module, loaded = reread(MIXED)
    assert outcome(loaded) == outcome(module)
    _, output, error, *_ = outcome(loaded)
    assert output == [
        '[1, "f", "two", Enum#3::0(()), "true", "seven", "some two"]',
        '[1, "f", Enum#3::0(()), 1, false, Ok(3)]',
        '[1, "b", 6]',
    ]
    assert error is not None
    assert error[1] == "no field 'y' on B"
    assert outcome(decode(encode(module))) != outcome(module)
    assert [function.parameters for function in loaded.functions] == [("v",), ("v",), ()]


@pytest.mark.parametrize("area", ["bytecode", "run", "capabilities", "diagnostics"])
def test_every_program_runs_from_its_file(area: str) -> None:
    ran = with_tables = 0
    for path in programs(area):
        module = compiled(path.read_bytes().decode("utf-8", "replace")).module
        if module is None:
            continue
        loaded = decode(encode_file(module))
        assert encode(loaded) == encode(module), path.name
        assert outcome(loaded) == outcome(module), path.name
        ran += 1
        with_tables += len(encode_file(module)) > len(encode(module))
    assert 0 < with_tables < ran


def test_a_module_that_means_the_same_without_is_the_references_file() -> None:
    module, loaded = reread(NEEDLESS)
    assert encode_file(module) == encode(module)
    assert outcome(loaded) == outcome(module)


def test_infinite_constants() -> None:
    module, loaded = reread(f"fn main() -> Float {{ 1.5 - 1{'0' * 400}.0 }}")
    assert loaded.constants == module.constants
    assert outcome(loaded)[0] == "-inf"
    for without in (encode(module), encode(module) + framed(encode(module), VERSION, b'{"functions":[],"infinite":[]}')):
        with pytest.raises(LoadError, match=r"invalid type: null, expected f64 at constants\[1\]"):
            decode(without)


def test_damage_is_told() -> None:
    module = module_of(MIXED)
    size, data = len(encode(module)), encode_file(module)
    for place in range(size + len(MAGIC), len(data)):
        for bit in (1, 128):
            garbled = bytearray(data)
            garbled[place] ^= bit
            with pytest.raises(LoadError, match=r"invalid side tables: .*compile the program again"):
                decode(bytes(garbled))
    for end in range(size + 1, len(data)):
        with pytest.raises(LoadError, match="invalid side tables: truncated"):
            decode(data[:end])
    other = encode(module_of("fn main() -> Int { 1 }"))
    with pytest.raises(LoadError, match="damaged, or of another module"):
        decode(other + data[size:])


def test_what_is_not_ours_is_left_out() -> None:
    module = module_of(MIXED)
    plain = decode(encode(module))
    for behind in (b"x", b"BORU", b"\0" * 100, framed(encode(module), VERSION + 1, b"of another kind")):
        assert decode(encode(module) + behind) == plain
    assert decode(encode_file(module) + b"more") == decode(encode_file(module))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"functions":[],"infinite":[]}',
        b'{"functions":[{"fields":[],"arms":[],"parameters":[],"compiled":true}]}',
        b'{"functions":[{"fields":[],"arms":[],"parameters":[],"compiled":true}],"infinite":[0]}',
        b'{"functions":[{"fields":[],"arms":[],"parameters":[],"compiled":true}],"infinite":[5]}',
        b'{"functions":[1],"infinite":[]}',
        b'{"functions":[{"fields":[],"arms":[],"parameters":["x"],"compiled":true}],"infinite":[]}',
        b'{"functions":[{"fields":[],"arms":[[]],"parameters":[],"compiled":true}],"infinite":[]}',
        b'{"functions":[{"fields":[[0,"x"]],"arms":[],"parameters":[],"compiled":true}],"infinite":[]}',
        b'{"functions":[{"fields":[[-1,"x"]],"arms":[],"parameters":[],"compiled":true}],"infinite":[]}',
        b'{"functions":[{"fields":[["a","x"]],"arms":[],"parameters":[],"compiled":true}],"infinite":[]}',
        b'{"functions":[{"fields":[],"arms":[],"parameters":[],"compiled":1}],"infinite":[]}',
        b'{"functions":[{"fields":7,"arms":[],"parameters":[],"compiled":true}],"infinite":[]}',
    ],
)
def test_tables_that_do_not_fit(content: bytes) -> None:
    data = encode(module_of("fn main() -> Int { 1 }"))
    with pytest.raises(LoadError, match="side tables: do not fit the module"):
        decode(data + framed(data, VERSION, content))


def test_the_frame_is_as_documented() -> None:
    module = module_of(MIXED)
    data, behind = encode(module), encode_file(module)[len(encode(module)) :]
    assert behind[:6] == b"BSDT\x01\x00"
    length = int.from_bytes(behind[6:10], "little")
    assert len(behind) == 42 + length
    assert behind[10:42] == sha256(data + behind[:10] + behind[42:]).digest()
    assert json.loads(behind[42:])["functions"][1]["parameters"] == ["v"]
    assert "BSDT" in (Path(__file__).parents[2] / "docs" / "bytecode.md").read_text()

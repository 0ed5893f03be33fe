"""Modules as bytes: round trip, number formats, errors of the loader with their place."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bytecode import axbc
from analysis.bytecode.axbc import LoadError, decode, encode, float_text, written
from analysis.bytecode.disassembly import constant_text, disassembly
from analysis.bytecode.module import OPCODES, Arm, Constant, FunctionCode, Module, Op, TypeEntry
from tests.support.compiled import module_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
WHOLE = {"u8": st.integers(0, 255), "u32": st.integers(0, 2**32 - 1), "kind": st.sampled_from(["Requires", "Ensures"])}


def constants() -> st.SearchStrategy[Constant]:
    plain: st.SearchStrategy[Constant] = st.one_of(
        st.sampled_from([("Unit",), ("None",), ("Bool", True), ("Bool", False)]),
        st.tuples(st.just("Int"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(st.just("Float"), st.floats(allow_nan=False, allow_infinity=False)),
        st.tuples(st.just("String"), TEXTS),
        st.tuples(st.just("ActorId"), st.integers(0, 2**64 - 1)),
        st.tuples(st.just("FnRef"), WHOLE["u32"]),
    )

    def nested(inner: st.SearchStrategy[Constant]) -> st.SearchStrategy[Constant]:
        items = st.lists(inner, max_size=3).map(tuple)
        pairs = st.dictionaries(TEXTS, inner, max_size=3).map(lambda found: tuple(sorted(found.items(), key=by_bytes)))
        return st.one_of(
            st.tuples(st.sampled_from(["Some", "Ok", "Err"]), inner),
            st.tuples(st.just("List"), items),
            st.tuples(st.just("Map"), pairs),
            st.tuples(st.just("Record"), WHOLE["u32"], items),
            st.tuples(st.just("Enum"), WHOLE["u32"], WHOLE["u8"], inner),
        )

    return st.recursive(plain, nested, max_leaves=8)


def by_bytes(pair: tuple[str, Constant]) -> bytes:
    return pair[0].encode()


OPS: st.SearchStrategy[Op] = st.sampled_from(list(OPCODES.values())).flatmap(
    lambda opcode: st.tuples(st.just(opcode.name), *[WHOLE[kind] for _, kind in opcode.operands])
)
TYPES = st.one_of(
    st.builds(TypeEntry, TEXTS, st.just(False), st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple)),
    st.builds(TypeEntry, TEXTS, st.just(True), st.lists(st.tuples(TEXTS, st.none() | TEXTS), max_size=3).map(tuple)),
)
ARMS = st.builds(Arm, st.integers(-(2**31), 2**31 - 1), WHOLE["u32"], st.none())
FUNCTIONS = st.builds(
    FunctionCode,
    TEXTS,
    WHOLE["u8"],
    st.integers(0, 65535),
    st.lists(OPS, max_size=6).map(tuple),
    st.lists(st.sampled_from(["NetFetch", "StepInput", "McpCall"]), max_size=2).map(tuple),
    st.none() | TEXTS,
    st.lists(st.lists(ARMS, max_size=2).map(tuple), max_size=2).map(tuple),
)
MODULES = st.builds(
    Module,
    TEXTS,
    st.just(1),
    st.lists(constants(), max_size=4).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(TYPES, max_size=2).map(tuple),
    st.lists(FUNCTIONS, max_size=2).map(tuple),
    WHOLE["u32"],
)


@settings(max_examples=50)
@given(MODULES)
def test_what_is_written_is_read_again(module: Module) -> None:
    data = encode(module)
    assert decode(data) == module
    assert decode(data + b"garbage") == module
    assert data[:10] == b"LLMB" + struct.pack("<HI", 1, len(data) - 10)
    assert disassembly(module).count("\n") >= 8


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_back(value: float) -> None:
    text = float_text(value)
    assert float(text) == value
    assert "e" not in text or "." not in text.partition("e")[2]
    assert json.loads(text) == value


@pytest.mark.parametrize(
    "value, text, shown",
    [
        (100.0, "100.0", "100"),
        (1e15, "1000000000000000.0", "1000000000000000"),
        (1e16, "1e+16", "10000000000000000"),
        (1.2345678901234568e29, "1.2345678901234568e+29", "123456789012345680000000000000"),
        (1e-5, "0.00001", "0.00001"),
        (1.2e-5, "0.000012", "0.000012"),
        (-1.2e-5, "-0.000012", "-0.000012"),
        (1e-6, "1e-6", "0.000001"),
        (1.23e-6, "1.23e-6", "0.00000123"),
        (-0.0, "-0.0", "-0"),
        (float("inf"), "null", "inf"),
        (float("nan"), "null", "NaN"),
    ],
)
def test_how_floats_are_written(value: float, text: str, shown: str) -> None:
    assert float_text(value) == text
    assert constant_text(("Float", value)) == shown


def test_the_example_of_the_format() -> None:
    data = encode(Module("r", 1, (("Int", 1),), (), (), (FunctionCode("main", 0, 0, (("PushConst", 0), ("Ret",))),), 0))
    assert len(data) == 224
    assert data[:10].hex() == "4c4c4d420100d6000000"


def test_text_is_escaped_as_little_as_json_allows() -> None:
    assert written(['"\\/\x00\x1f\b\t\n\f\r\x7fé\u2028']) == '["\\"\\\\/\\u0000\\u001f\\b\\t\\n\\f\\r\x7fé\u2028"]'


def packed(payload: bytes, version: int = 1) -> bytes:
    return b"LLMB" + struct.pack("<HI", version, len(payload)) + payload


def changed(**fields: Any) -> bytes:
    value = axbc.module_to_json(module_of("fn main() -> Int { 1 }"))
    function = {key: item for key, item in fields.items() if key in value["functions"][0] and key != "name"}
    value["functions"][0] |= function
    value |= {key: item for key, item in fields.items() if key not in function}
    return packed(json.dumps(value).encode())


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "invalid bytecode: too short"),
        (b"LLMB\x01\x00\x00\x00\x00", "invalid bytecode: too short"),
        (b"ELF!" + bytes(10), "invalid magic bytes"),
        (packed(b"{}", 2), "unsupported version: 2"),
        (packed(b"{}")[:-1], "invalid bytecode: truncated payload"),
        (packed(b'{"name":"x","version":1}'), "serialization error: missing field `constants`"),
        (changed(entry="zero"), 'serialization error: invalid type: string "zero", expected u32 at entry'),
        (changed(arity=256), "serialization error: invalid value: integer `256`, expected u8 at functions[0].arity"),
        (changed(code=[{"PushConst": -1}]), "invalid value: integer `-1`, expected u32 at functions[0].code[0]"),
        (changed(code=["Teleport"]), "unknown variant `Teleport`, expected one of `PushConst`, `LoadLocal`"),
        (changed(code=["PushConst"]), "invalid type: null, expected u32"),
        (changed(code=[{"Call": [1]}]), "expected tuple variant Op::Call"),
        (changed(capabilities=["Fly"]), "unknown variant `Fly`, expected one of `NetFetch`"),
        (changed(constants=[{"Float": None}]), "invalid type: null, expected f64 at constants[0]"),
        (changed(constants=[{"Some": {"Int": True}}]), "invalid type: boolean `true`, expected i64 at constants[0]"),
        (changed(constants=[{"Float": 10**400}]), "number out of range at constants[0]"),
        (changed(name="\ud800"), "serialization error: "),
        (packed(b'{"name":NaN}'), "NaN is no number of JSON"),
        (packed("\ufeff{}".encode()), "serialization error: "),
        (packed('{"name":"x"}'.encode("utf-16")), "serialization error: "),
        (packed(b"[" * 127 + b"1" + b"]" * 127), "invalid type: sequence, expected struct Module"),
        (packed(b"[" * 128 + b"1" + b"]" * 128), "serialization error: recursion limit exceeded"),
        (packed(b"[" * 100_000), "serialization error: "),
    ],
)
def test_files_that_hold_no_module(data: bytes, message: str) -> None:
    with pytest.raises(LoadError) as caught:
        decode(data)
    assert message in str(caught.value)


def test_what_the_loader_lets_pass() -> None:
    module = decode(changed(entry=7, version=9, signature="x"))
    assert (module.entry, module.version) == (7, 9)
    value = axbc.module_to_json(module_of("fn main() -> Int { 1 }"))
    del value["functions"][0]["intent"]
    assert axbc.module_from_json(value).functions[0].intent is None

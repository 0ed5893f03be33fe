"""Values: equality, order, truth, printed forms, maps whose versions share a table; and none of it recurses."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boruna_ls.runtime import builtins, operators
from boruna_ls.runtime.errors import VmError
from boruna_ls.runtime.forms import TooLarge, display, from_tagged, public, public_json, tagged
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import (
    NONE,
    ActorId,
    AnonymousType,
    FnRef,
    Value,
    enum,
    equal,
    err,
    items_of,
    make_list,
    ok,
    record,
    some,
    truthy,
    type_name,
)

# value, type name, display, public JSON, tagged JSON, truthy
FORMS: list[tuple[Value, str, str, str, str, bool]] = [
    (None, "Unit", "()", "null", '"Unit"', False),
    (True, "Bool", "true", "true", '{"Bool":true}', True),
    (False, "Bool", "false", "false", '{"Bool":false}', False),
    (-3, "Int", "-3", "-3", '{"Int":-3}', True),
    (0, "Int", "0", "0", '{"Int":0}', False),
    (2.0, "Float", "2", "2.0", '{"Float":2.0}', True),
    (-0.0, "Float", "-0", "-0.0", '{"Float":-0.0}', False),
    (1e21, "Float", "1000000000000000000000", "1e+21", '{"Float":1e+21}', True),
    (1e-5, "Float", "0.00001", "0.00001", '{"Float":1e-05}', True),
    (1.5e-7, "Float", "0.00000015", "1.5e-7", '{"Float":1.5e-07}', True),
    (0.1 + 0.2, "Float", "0.30000000000000004", "0.30000000000000004", '{"Float":0.30000000000000004}', True),
    (math.inf, "Float", "inf", "null", '{"Float":null}', True),
    (-math.inf, "Float", "-inf", "null", '{"Float":null}', True),
    (math.nan, "Float", "NaN", "null", '{"Float":null}', True),
    ("", "String", '""', '""', '{"String":""}', False),
    ('q"é\n', "String", '"q"é\n"', '"q\\"é\\n"', '{"String":"q\\"é\\n"}', True),
    ("0", "String", '"0"', '"0"', '{"String":"0"}', True),
    (NONE, "None", "None", '{"option":"None"}', '"None"', False),
    (some(0), "Some", "Some(0)", '{"option":"Some","value":0}', '{"Some":{"Int":0}}', True),
    (ok(0), "Ok", "Ok(0)", '{"result":"Ok","value":0}', '{"Ok":{"Int":0}}', True),
    (err(None), "Err", "Err(())", '{"result":"Err","value":null}', '{"Err":"Unit"}', False),
    (make_list([]), "List", "[]", "[]", '{"List":[]}', False),
    (make_list([1, "a"]), "List", '[1, "a"]', '[1,"a"]', '{"List":[{"Int":1},{"String":"a"}]}', True),
    (Map({}), "Map", "{}", "{}", '{"Map":{}}', False),
    (
        Map({"é": 3, "b": 2, "Z": 4}),
        "Map",
        "{Z: 4, b: 2, é: 3}",
        '{"Z":4,"b":2,"é":3}',
        '{"Map":{"Z":{"Int":4},"b":{"Int":2},"é":{"Int":3}}}',
        True,
    ),
    (
        record(7, (1, "b")),
        "Record",
        'Record#7{1, "b"}',
        '{"fields":[1,"b"],"type":"record","type_id":7}',
        '{"Record":{"type_id":7,"fields":[{"Int":1},{"String":"b"}]}}',
        True,
    ),
    (
        enum(3, 2, 0.5),
        "Enum",
        "Enum#3::2(0.5)",
        '{"payload":0.5,"type":"enum","type_id":3,"variant":2}',
        '{"Enum":{"type_id":3,"variant":2,"payload":{"Float":0.5}}}',
        True,
    ),
    (
        enum(3, 0),
        "Enum",
        "Enum#3::0(())",
        '{"payload":null,"type":"enum","type_id":3,"variant":0}',
        '{"Enum":{"type_id":3,"variant":0,"payload":"Unit"}}',
        True,
    ),
    (ActorId(4), "ActorId", "Actor#4", '{"actor_id":4}', '{"ActorId":4}', True),
    (FnRef(5), "FnRef", "Fn#5", '{"fn_ref":5}', '{"FnRef":5}', True),
]


@pytest.mark.parametrize("value, name, shown, json_text, tagged_text, truth", FORMS, ids=[row[2] for row in FORMS])
def test_forms(value: Value, name: str, shown: str, json_text: str, tagged_text: str, truth: bool) -> None:
    assert type_name(value) == name
    assert display(value) == shown
    assert public_json(value) == json_text
    assert json.loads(json_text) == public(value)
    assert json.dumps(tagged(value), ensure_ascii=False, separators=(",", ":")) == tagged_text
    assert truthy(value) is truth
    if "null" not in tagged_text:
        assert equal(from_tagged(json.loads(tagged_text)), value)


def test_different_kinds_are_never_equal() -> None:
    kinds = [
        None,
        0,
        0.0,
        "",
        False,
        NONE,
        some(0),
        ok(0),
        err(0),
        make_list([]),
        Map({}),
        record(0, ()),
        enum(0, 0),
        FnRef(0),
        ActorId(0),
    ]
    for one, left in enumerate(kinds):
        for other, right in enumerate(kinds):
            assert equal(left, right) is (one == other)


@pytest.mark.parametrize(
    "left, right, same",
    [
        (math.nan, math.nan, False),
        (0.0, -0.0, True),
        (record(1, (1,)), record(2, (1,)), False),
        (record(1, (1,)), record(1, (True,)), False),
        (enum(1, 0, 2), enum(1, 1, 2), False),
        (Map({"a": 1}), Map({"a": 1}), True),
        (Map({"a": 1}), Map({"b": 1}), False),
        (make_list([1, 2]), make_list([1]), False),
        (record(AnonymousType(("a",)), (1,)), record(AnonymousType(("a",)), (1,)), True),
        (record(AnonymousType(("a",)), (1,)), record(AnonymousType(("b",)), (1,)), False),
    ],
)
def test_equality(left: Value, right: Value, same: bool) -> None:
    assert equal(left, right) is same
    assert equal(make_list([left]), make_list([right])) is same


def test_a_list_that_holds_nan_is_not_itself() -> None:
    xs = make_list([math.nan])
    assert not equal(xs, xs)


def test_order() -> None:
    assert operators.lt("Z", "a")
    assert operators.lt("a", "é")
    assert not operators.lt(math.nan, 1.0)
    assert operators.lte(math.nan, 1.0)
    assert operators.gte(1.0, math.nan)
    for left, right, name in [(1, 1.0, "Int"), (True, False, "Bool"), (NONE, NONE, "None"), ("a", 1, "String")]:
        with pytest.raises(VmError, match=f"^type error: expected comparable, got {name}$"):
            operators.lt(left, right)


def nested(levels: int) -> Value:
    value: Value = 1
    for level in range(levels):
        value = (make_list([value]), some(value), record(0, (value,)), enum(1, 0, value), Map({"k": value}))[level % 5]
    return value


def test_values_nested_a_hundred_thousand_levels() -> None:
    left, right = nested(100_000), nested(100_000)
    assert equal(left, right)
    assert display(left) == display(right)
    assert public_json(left).count("[") == 40_000
    assert equal(from_tagged(tagged(left)), right)
    depth, inner = 0, public(left)
    while isinstance(inner, (list, dict)):
        inner = (
            inner[0]
            if isinstance(inner, list)
            else next(inner[key] for key in ("value", "payload", "fields", "k") if key in inner)
        )
        depth += 1
    assert depth == 120_000, "a record's fields are a list inside an object"


def test_values_that_share_their_parts() -> None:
    left: Value = make_list([1])
    right: Value = make_list([1])
    for _ in range(200):
        left, right = make_list([left, left]), make_list([right, right])
    assert equal(left, right), "pairs are compared once"
    for write in (display, public_json, public, tagged):
        with pytest.raises(TooLarge):
            write(left, 10_000)


def test_pushing_never_changes_other_lists() -> None:
    empty = make_list([])
    one = builtins.pushed(empty, 1)
    two = builtins.pushed(one, 2)
    other = builtins.pushed(one, 3)
    assert [items_of(xs) for xs in (empty, one, two, other)] == [[], [1], [1, 2], [1, 3]]
    assert display(builtins.list_concat(one, one)) == "[1, 1]"
    assert items_of(builtins.list_reverse(one)) == [1]
    with pytest.raises(VmError, match="index 1, length 1"):
        builtins.list_get(one, 1)


changes = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(["a", "b", "c", "d"]), st.one_of(st.none(), st.integers(0, 9))), max_size=40
)


@given(changes)
def test_every_version_of_a_map_keeps_its_entries(steps: list[tuple[int, str, Any]]) -> None:
    """Changes start from any earlier version; None removes."""
    many = {str(number): number for number in range(12)}
    versions: list[tuple[Map, dict[str, int]]] = [(Map({}), {}), (Map(dict(many)), many)]
    for back, key, value in steps:
        version, entries = versions[max(0, len(versions) - 1 - back)]
        if value is None:
            versions.append((version.without(key), {name: kept for name, kept in entries.items() if name != key}))
        else:
            versions.append((version.with_entry(key, value), entries | {key: value}))
        for other, expected in versions:
            assert other.entries() == expected
            assert equal(other, versions[-1][0]) == (expected == versions[-1][1])


def test_a_long_chain_of_map_changes() -> None:
    first = table = Map({})
    for number in range(50_000):
        table = table.with_entry(str(number), number)
    assert len(table) == 50_000
    assert len(first) == 0
    assert len(table) == 50_000


def test_versions_that_are_far_apart_go_on_by_themselves() -> None:
    old = Map({str(number): number for number in range(20)})
    new = old
    for number in range(2_000):
        new = new.with_entry("x", number)
        assert old.entries().get("x") is None
        assert new.entries()["x"] == number
        assert not equal(old, new)
        assert equal(new, old.with_entry("x", number))
    assert old.without("3").with_entry("3", 3).entries() == old.entries()


def test_versions_that_are_read_in_order_share_a_dictionary() -> None:
    versions = [Map({str(number): number for number in range(20)})]
    for number in range(500):
        versions.append(versions[-1].with_entry(f"x{number}", number))
    for _ in range(3):
        for number, version in enumerate(versions):
            assert len(version) == 20 + number
        assert sum(version._table is not None for version in versions) <= 3

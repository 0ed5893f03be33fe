"""`boruna.toml`: its table of fields, messages with places, and where keys and values stand."""

from __future__ import annotations

import tomllib
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.config.schema import Field, ListOf, Table, Text, Whole, json_schema, read
from analysis.config.settings import TABLE, read_settings
from analysis.config.toml_document import MOST_PROBLEMS
from analysis.config.toml_places import places
from analysis.inputs import CheckSettings


def problems_of(text: str) -> list[tuple[int, str, str]]:
    """Line, marked text and message of each problem."""
    return [(one.line, text[slice(*one.span)], one.message) for one in read_settings(text).problems]


def test_everything_that_can_be_set() -> None:
    found = read_settings(
        '[check]\nselect = ["W"]\nignore = ["W5"]\nseverity = { W301 = "info", E013 = "off" }\nportable = true\n'
        '[workspace]\nexclude = ["old/"]\ninclude = ["build/"]\n'
    )
    assert found.check == CheckSettings(("W",), ("W5",), (("E013", "off"), ("W301", "info")), True)
    assert (found.exclude, found.include, found.problems) == (("old/",), ("build/",), ())


@pytest.mark.parametrize(
    "text, line, marked, message",
    [
        ("\n[check]\nselekt = []\n", 3, "selekt", "unknown setting `check.selekt`: did you mean `select`?"),
        ("[checks]\n", 1, "checks", "unknown setting `checks`: did you mean `check`?"),
        ("nonsense = 1\n", 1, "nonsense", "unknown setting `nonsense`: known here: check, workspace"),
        ("check = 1\n", 1, "1", "`check` must be a table, not an integer"),
        ("[check]\nportable = 'yes'\n", 2, "'yes'", "`check.portable` must be a boolean, not a string"),
        ("[check]\nselect = 'W5' # all\n", 2, "'W5'", "`check.select` must be an array, not a string"),
        ("[check]\nignore = ['W5', 3]\n", 2, "3", "`check.ignore[1]` must be a string, not an integer"),
        ("check.portable = 1979-05-27\n", 1, "1979-05-27", "`check.portable` must be a boolean, not a date or time"),
        (
            "[check]\nseverity.W301 = 'warn'\n",
            2,
            "'warn'",
            '`check.severity.W301` is "warn": it must be one of error, warning, info, hint, off',
        ),
        ("[check.severity]\nW301 = 'hints'\n", 2, "'hints'", '`check.severity.W301` is "hints": did you mean "hint"?'),
        ("[workspace]\nexclude = [\n  'a',\n  '#b',\n]\n", 4, "'#b'", '`workspace.exclude[1]`: "#b" is not a pattern as in .gitignore'),  # noqa: E501
        (
            '[check]\n"\\u202e" = 1\n',
            2,
            '"\\u202e"',
            "unknown setting `check.\\u{202e}`: known here: select, ignore, severity, portable",
        ),
        ("[check]\nportable = \n", 2, "\n", "Invalid value"),
        ("[check", 1, "", "Expected ']' at the end of a table declaration"),
    ],
)  # fmt: skip
def test_a_mistake_has_a_place_and_says_what_is_possible(text: str, line: int, marked: str, message: str) -> None:
    assert problems_of(text) == [(line, marked, message)]


def test_a_mistake_costs_itself_alone() -> None:
    found = read_settings("[check]\nignore = ['W5', 3]\nportable = 1\nseverity = { W1 = 'hint', W2 = 2 }\n[other]\n")
    assert found.check == CheckSettings(ignore=("W5",), severity=(("W1", "hint"),))
    assert len(found.problems) == 4


@pytest.mark.parametrize("text", ["a" * 70_000, "[check" + ".a" * 300 + "]\n", "a = " + "[" * 5_000, "\0", "[check]\nselect = ["])
def test_what_is_no_document_counts_as_empty(text: str) -> None:
    found = read_settings(text)
    assert (found.check, found.is_readable, len(found.problems)) == (CheckSettings(), False, 1)


def test_problems_are_bounded() -> None:
    lines = "".join(f"W{number} = 1\n" for number in range(5_000))
    assert len(read_settings("[check.severity]\n" + lines).problems) == MOST_PROBLEMS


def test_the_table_as_json_schema() -> None:
    schema = json_schema(TABLE, "boruna.toml")
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid({"check": {"select": ["W5"], "severity": {"W301": "info"}}, "workspace": {"exclude": ["old/"]}})
    wrong: list[dict[str, Any]] = [{"portable": 1}, {"severity": {"W301": "warn"}}, {"select": "W"}, {"selekt": []}]
    assert not any(validator.is_valid({"check": one}) for one in wrong)
    assert schema["properties"]["check"]["properties"]["portable"]["default"] is False


def test_required_fields_and_bounds() -> None:
    table = Table({"name": Field(Text(), "A name.", is_required=True), "sizes": Field(ListOf(Whole(1, 9)), "Sizes.")})
    kept, defects = read(table, {"sizes": [1, 10, True]})
    assert kept == {"sizes": [1]}
    assert [one.message for one in defects] == [
        "`sizes[1]` must be from 1 to 9",
        "`sizes[2]` must be an integer, not a boolean",
        "`name` is missing",
    ]


KEYS = st.text("ab.\"'\\é #=[]{}\n", max_size=4)
VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text("a'\"\\\n]}#,é", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_each_value_has_its_place(document: dict[str, Any]) -> None:
    text = "# top\n" + "".join(f"{_basic(name)} = {_written(value)} # end\n" for name, value in document.items())
    assert tomllib.loads(text) == document
    found = places(text)
    for path, value in _leaves(document):
        begin, end = found.values[path]
        assert tomllib.loads(f"x = {text[begin:end]}") == {"x": value}
        if isinstance(path[-1], str):
            assert tomllib.loads(f"{text[slice(*found.keys[path])]} = 1") == {path[-1]: 1}


@given(st.text("ab=[]{}.,\"'#\n \\", max_size=40))
def test_places_of_any_text(text: str) -> None:
    assert all(0 <= begin <= end <= len(text) for begin, end in places(text).values.values())


def test_places_of_lists_of_tables() -> None:
    text = "[[a.b]]\nx = 1\n[[a.b]]\nx = '''\n2'''\n[a.c]\n"
    found = places(text)
    assert {path: text[slice(*span)] for path, span in found.values.items()} == {
        ("a", "b", 0, "x"): "1",
        ("a", "b", 1, "x"): "'''\n2'''",
    }
    assert [path for _, path in found.tables] == [(), ("a", "b", 0), ("a", "b", 1), ("a", "c")]


def _basic(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _basic(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_basic(name)} = {_written(one)}" for name, one in value.items()) + "}"
    return str(value)


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([(path, value)] if path else []), *(leaf for part, one in children for leaf in _leaves(one, (*path, part)))]

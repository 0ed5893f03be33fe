"""Schemas for results: what they say is wrong, and where; schemas that cannot be used."""

from __future__ import annotations

import json
from typing import Any

import pytest

from boruna_ls.runtime.schemas import ERRORS_SHOWN, InvalidSchema, violations


def violations_of(schema: Any, result: Any) -> list[tuple[str, str]]:
    shown, _ = violations(json.dumps(schema), json.dumps(result))
    return [(one["path"], one["message"]) for one in shown]


@pytest.mark.parametrize(
    "schema, good, bad",
    [
        (True, [1, "a", None], []),
        (False, [], [1]),
        ({"multipleOf": 2}, [4, 4.0, "text", True], [5, 4.5]),
        ({"multipleOf": 0.1}, [5.5], [0.3]),
        ({"type": "integer"}, [5, 5.0], [5.5, "5"]),
        ({"format": "date"}, ["no date"], []),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema#", "type": "integer"}, [5], ["5"]),
        ({"properties": {"multipleOf": {"type": "string"}}}, [{"multipleOf": "x"}], [{"multipleOf": 1}]),
    ],
)
def test_what_fits(schema: Any, good: list[Any], bad: list[Any]) -> None:
    assert [one for one in good if violations_of(schema, one)] == []
    assert [one for one in bad if not violations_of(schema, one)] == []


def test_paths_are_pointers_into_the_result() -> None:
    schema = {"items": {"properties": {"a/b~c": {"multipleOf": 0.5}}}}
    assert violations_of(schema, [{}, {"a/b~c": 0.3}]) == [("/1/a~1b~0c", "0.3 is not a multiple of 0.5")]


def test_many_errors_are_counted() -> None:
    shown, total = violations(json.dumps({"items": {"type": "string"}}), json.dumps(list(range(250))))
    assert (len(shown), total) == (ERRORS_SHOWN, 250)


@pytest.mark.parametrize(
    "schema, words",
    [
        ({"type": "strin"}, "anyOf"),
        (5, "5 is not of types"),
        ("true", '"true" is not of types "boolean", "object"'),
        ('{"type": "integer"}', 'is not of types "boolean", "object"'),
        (
            {"$schema": "2020-12"},
            "Resource '2020-12' is not present in a registry and retrieving it failed: No base URI is available",
        ),
        ({"$schema": "https://example.test/2020-12/schema"}, "cannot fetch https://example.test/2020-12/schema"),
        ({"$schema": 5}, '5 is not of type "string"'),
        ({"pattern": "("}, "regex"),
        ({"multipleOf": 0}, "0 is less than or equal to the minimum of 0"),
        ({"multipleOf": "x"}, '"x" is not of type "number"'),
        ({"$ref": "#/nope"}, "/nope"),
        ({"$ref": "https://example.test/schema"}, "example.test"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "only JSON Schema Draft 2020-12"),
        ({"description": "x" * 300_000}, "exceeds 262144 bytes"),
    ],
)
def test_schemas_that_cannot_be_used(schema: Any, words: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        violations(json.dumps(schema), "1")
    assert words in str(caught.value)


def test_expensive_pattern_is_bounded() -> None:
    schema = {"pattern": r"^(a+)+\1$"}
    assert violations_of(schema, "a" * 40 + "b")

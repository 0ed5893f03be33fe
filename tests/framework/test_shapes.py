"""The table of shapes: where fields are found, and that capabilities are those of the language."""

from __future__ import annotations

import pytest

from analysis.bytecode.module import CAPABILITIES
from analysis.semantics import app_shapes as shapes


@pytest.mark.parametrize(
    "declared, found",
    [
        (("state", "effects"), (0, 1)),
        (("effects", "state"), (1, 0)),
        (("model", "requests"), (0, 1)),
        (("note", "state", "effects"), (1, 2)),
        (("model", "effects", "note"), (0, 1)),
        (("effects", "model"), (1, 0)),
        (("state",), (0, None)),
    ],
)
def test_fields_are_found_by_name_and_else_by_position(declared: tuple[str, ...], found: tuple[int | None, ...]) -> None:
    assert shapes.field_positions(shapes.UPDATE_RESULT, declared) == found


def test_effects_need_capabilities_of_the_language() -> None:
    assert set(shapes.CAPABILITIES) <= {kind.name for kind in CAPABILITIES}


def test_an_app_has_the_required_functions() -> None:
    assert shapes.is_app(["view", "helper", "init", "update"])
    assert not shapes.is_app(["view", "init", "policies"])

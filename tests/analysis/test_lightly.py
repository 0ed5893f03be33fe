"""`light_dataclass` behaves as `dataclass` does: each property is asked of a class of either kind."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from analysis.lightly import light_dataclass


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    column: int = 3
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)


@light_dataclass(frozen=True)
class LightPlace:
    line: int
    column: int = 3
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(slots=True)
class Shelf:
    books: list[str] = field(default_factory=list)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = len(self.books)


@light_dataclass()
class LightShelf:
    books: list[str] = field(default_factory=list)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = len(self.books)


@dataclass(slots=True, eq=False)
class Tall(Shelf):
    height: int = 0


@light_dataclass(eq=False)
class LightTall(LightShelf):
    height: int = 0


@dataclass(frozen=True, slots=True)
class Only:
    name: Any


@light_dataclass(frozen=True)
class LightOnly:
    name: Any


PLACES = pytest.mark.parametrize("place", (Place, LightPlace))
SHELVES = pytest.mark.parametrize("shelf", (Shelf, LightShelf))


@PLACES
def test_values_are_compared_hashed_and_shown(place: Any) -> None:
    assert place(1) == place(1, 3) == place(line=1, notes=("not compared",))
    assert place(1) != place(2)
    assert place(1) != (1, 3)
    assert len({place(1), place(1, 3, ("not compared",)), place(2)}) == 2
    assert repr(place(1)) == f"{place.__name__}(line=1, column=3)"
    assert [each.name for each in fields(place)] == ["line", "column", "notes"]


@PLACES
def test_frozen_values_cannot_be_changed_but_copied(place: Any) -> None:
    made = place(1)
    with pytest.raises(FrozenInstanceError):
        made.line = 2
    with pytest.raises(FrozenInstanceError):
        del made.line
    assert not hasattr(made, "__dict__")
    assert replace(made, column=5) == place(1, 5)
    assert copy.copy(made) == made
    assert pickle.loads(pickle.dumps(place(1, 2, ("kept",)))).notes == ("kept",)


@PLACES
def test_wrong_arguments_are_refused_each_time(place: Any) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="line"):
            place()
        with pytest.raises(TypeError, match="unknown"):
            place(1, unknown=2)


@PLACES
def test_patterns_match(place: Any) -> None:
    match place(1, 2):
        case place(1, column):
            assert column == 2
        case _:
            pytest.fail("no match")


@SHELVES
def test_each_instance_gets_its_own_default(shelf: Any) -> None:
    first, second = shelf(), shelf()
    first.books.append("one")
    assert second.books == []
    assert shelf(["a", "b"]).count == 2
    assert shelf.__hash__ is None


@pytest.mark.parametrize("tall", (Tall, LightTall))
def test_a_derived_class_has_all_fields(tall: Any) -> None:
    made = tall(["a"], 7)
    assert (made.books, made.count, made.height) == (["a"], 1, 7)


@pytest.mark.parametrize("only", (Only, LightOnly))
def test_one_field_is_compared_as_a_part(only: Any) -> None:
    not_a_number = float("nan")
    assert only(not_a_number) == only(not_a_number)
    assert only(1) != only(2)


def test_what_a_class_defines_itself_stays() -> None:
    @light_dataclass()
    class Own:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __eq__(self, other: object) -> bool:
            return True

    assert repr(Own("a")) == "<a>"
    assert Own("a") == Own("b")

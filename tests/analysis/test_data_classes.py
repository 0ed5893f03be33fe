"""The data classes of `analysis.data_classes` against those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import weakref
from typing import Any, ClassVar

import pytest

from analysis import data_classes
from analysis.data_classes import dataclass, field, replace

OPTIONS: tuple[dict[str, bool], ...] = (
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"slots": True, "eq": False, "repr": False},
    {"eq": False, "kw_only": True},
    {"frozen": True, "slots": True, "weakref_slot": True},
)


def _declared() -> tuple[type, type]:
    class Base:
        """Its document."""

        first: int
        second: str = "two"
        shared: ClassVar[int] = 7

    class Derived:
        third: list[int]
        hidden: int
        last: float

        def __post_init__(self) -> None:
            object.__setattr__(self, "hidden", len(self.third))

    return Base, Derived


def _pair(module: Any, options: dict[str, bool]) -> tuple[Any, Any]:
    """A record and one that derives from it."""
    base, derived = _declared()
    base = module.dataclass(**options)(base)
    space = {name: value for name, value in vars(derived).items() if name not in ("__dict__", "__weakref__")}
    space["third"] = module.field(default_factory=list)
    space["hidden"] = module.field(init=False, compare=False, repr=False)
    space["last"] = 0.5
    base.__qualname__ = "Base"
    made = module.dataclass(**{name: value for name, value in options.items() if name != "weakref_slot"})(
        type("Derived", (base,), space)
    )
    return base, made


@pytest.fixture(params=OPTIONS, ids=str)
def pairs(request: pytest.FixtureRequest) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return _pair(data_classes, request.param), _pair(dataclasses, request.param)


def _outcome(call: Any) -> Any:
    try:
        return call()
    except (TypeError, AttributeError, ValueError) as error:
        return type(error).__name__


CALLS = (
    lambda base, derived: repr(base(first=1)).rpartition(" at ")[0],
    lambda base, derived: base(1) == base(1),
    lambda base, derived: base(first=1) == base(first=1, second="two"),
    lambda base, derived: base(first=1) == base(first=2),
    lambda base, derived: base(first=1) == derived(first=1),
    # Both are held: an object may get the address of one that is gone, and its hash.
    lambda base, derived: len({hash(each) for each in [base(first=1), base(first=1)]}),
    lambda base, derived: base(),
    lambda base, derived: base(first=1, other=2),
    lambda base, derived: base(1, "x", 3),
    lambda base, derived: base(first=1).shared,
    lambda base, derived: derived(first=1).third,
    lambda base, derived: derived(first=1, third=[1, 2]).hidden,
    lambda base, derived: derived(first=1).last,
    lambda base, derived: derived(first=1, hidden=3),
    lambda base, derived: setattr(base(first=1), "first", 2),
    lambda base, derived: delattr(base(first=1), "first"),
    lambda base, derived: (base.__match_args__, derived.__match_args__),
    lambda base, derived: [(each.name, each.init, each.compare, each.repr) for each in dataclasses.fields(derived)],
    lambda base, derived: dataclasses.asdict(derived(first=1, third=[4])),
    lambda base, derived: dataclasses.is_dataclass(base),
    lambda base, derived: dataclasses.replace(derived(first=1), first=5).first,
    lambda base, derived: dataclasses.replace(derived(first=1), hidden=5),
    lambda base, derived: copy.copy(derived(first=1, third=[4])).third,
    lambda base, derived: weakref.ref(base(first=1)) is not None,
    lambda base, derived: base.__doc__,
    lambda base, derived: hasattr(base(first=1), "__dict__"),
)


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_records_behave_as_data_classes(pairs: Any, number: int) -> None:
    ours, standard = pairs
    call = CALLS[number]
    assert _outcome(lambda: call(*ours)) == _outcome(lambda: call(*standard))
    # The second time the compiled methods answer.
    assert _outcome(lambda: call(*ours)) == _outcome(lambda: call(*standard))


def test_replace_is_that_of_the_standard_library(pairs: Any) -> None:
    (_, ours), (_, standard) = pairs
    for module, cls in ((data_classes, ours), (dataclasses, standard)):
        changed = module.replace(cls(first=1, third=[1]), second="x", third=[1, 2])
        assert (changed.first, changed.second, changed.third, changed.hidden) == (1, "x", [1, 2], 2)
        with pytest.raises((TypeError, ValueError)):
            module.replace(cls(first=1), hidden=2)
        with pytest.raises(TypeError):
            module.replace(cls(first=1), unknown=2)


@dataclass(frozen=True, slots=True)
class Stored:
    name: str
    number: int = field(default=0, repr=False)


@dataclasses.dataclass(frozen=True)
class Wider(Stored):
    more: int = 1


def test_records_are_pickled_and_read_in_the_form_of_the_standard_library() -> None:
    stored = Stored("a", 2)
    assert stored.__reduce_ex__(4)[2] == ["a", 2]
    assert pickle.loads(pickle.dumps(stored)) == stored
    assert replace(stored, number=3) == Stored("a", 3)
    assert repr(stored) == "Stored(name='a')"


def test_a_standard_data_class_may_derive_from_a_record() -> None:
    wider = Wider("a", 2, 3)
    assert (wider.name, wider.number, wider.more) == ("a", 2, 3)
    assert replace(wider, more=4) == Wider("a", 2, 4)


def test_a_record_may_not_derive_from_a_standard_data_class() -> None:
    with pytest.raises(TypeError, match="Wider, a base of Third"):

        @dataclass(frozen=True)
        class Third(Wider):
            pass


def test_records_equal_to_themselves_need_not_compare_their_values() -> None:
    value = float("nan")
    assert Stored("a", value) == Stored("a", value)  # type: ignore[arg-type]
    assert Stored("a", value) != Stored("a", float("nan"))  # type: ignore[arg-type]

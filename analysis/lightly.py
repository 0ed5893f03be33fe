"""`light_dataclass`: `dataclass` at a quarter of its cost, for the classes that every process defines when it starts.

`dataclass` compiles up to seven functions for each class. Here only `__init__` is compiled, when the first instance is made;
comparing, hashing and showing are closures over the names of the fields.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import Field, FrozenInstanceError, dataclass, field, fields, make_dataclass
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field, Field))
def light_dataclass(
    *, frozen: bool = False, eq: bool = True, repr: bool = True, slots: bool = True
) -> Callable[[type[T]], type[T]]:
    """The same as the library's `dataclass` of these options; fields are positional, without `kw_only` and `InitVar`."""

    def decorate(cls: type[T]) -> type[T]:
        # Without one, `dataclass` would write a signature.
        cls.__doc__ = cls.__doc__ or cls.__name__
        own = set(cls.__dict__)
        if "__eq__" in own and cls.__hash__ is None:  # Python has added it
            own.discard("__hash__")
        light: type[T] = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        # mypy takes only what it knows to be a dataclass.
        all_fields: tuple[Field[Any], ...] = fields(light)  # type: ignore[arg-type]
        added: dict[str, Any] = {"__init__": _first_init(light, all_fields, frozen)}
        if repr:
            added["__repr__"] = _showing([each.name for each in all_fields if each.repr])
        if eq:
            added |= _comparing([each.name for each in all_fields if each.compare], frozen)
        if frozen:
            added |= {"__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
            added |= {"__getstate__": _getstate, "__setstate__": _setstate}
        for name, value in added.items():
            if name not in own:
                setattr(light, name, value)
        return light

    return decorate


def _first_init(cls: type, all_fields: tuple[Field[Any], ...], frozen: bool) -> Callable[..., None]:
    """An `__init__` that compiles the true one and takes its place."""

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        true_init = _compiled_init(cls, all_fields, frozen)
        if cls.__init__ is __init__:  # type: ignore[misc]
            cls.__init__ = true_init  # type: ignore[misc]
        true_init(self, *arguments, **named)

    return __init__


def _compiled_init(cls: type, all_fields: tuple[Field[Any], ...], frozen: bool) -> Callable[..., None]:
    """The library's `__init__`, from a class that has nothing but these fields."""
    own = {"__doc__": cls.__name__}
    if (after := getattr(cls, "__post_init__", None)) is not None:
        own["__post_init__"] = after
    named = [(each.name, each.type, copy(each)) for each in all_fields]
    bare = make_dataclass(cls.__name__, named, namespace=own, repr=False, eq=False, frozen=frozen)
    init: Callable[..., None] = bare.__init__  # type: ignore[misc]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _showing(names: list[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return __repr__


def _comparing(names: list[str], frozen: bool) -> dict[str, Any]:
    if len(names) > 1:
        values: Callable[[Any], Any] = attrgetter(*names)
    else:

        def values(self: Any) -> Any:
            return tuple([getattr(self, name) for name in names])

    def __eq__(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _refuse_setting(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)

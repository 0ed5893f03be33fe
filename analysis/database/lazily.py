"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from analysis.database import checkpoint

_Value = TypeVar("_Value")


class lazily(Generic[_Value]):
    """`functools.cached_property` as it is from Python 3.12 on: nothing is locked while the function runs.

    Before, a job that gave way inside of one kept all others out of the same attribute of every object of the class. Most of
    the functions search a whole text, so others may go first.
    """

    def __init__(self, function: Callable[[Any], _Value]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazily[_Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...

    def __get__(self, instance: object | None, owner: type) -> lazily[_Value] | _Value:
        if instance is None:
            return self
        checkpoint()
        value = instance.__dict__[self._name] = self._function(instance)
        return value

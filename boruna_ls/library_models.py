"""Imports of libraries that define hundreds of message classes, of which a process uses a few.

The classes of both protocols take longer to make than all else that a server imports. While such a library is imported inside
one of these contexts, what pydantic and attrs compile for a class waits until somebody uses it. The classes behave as ever, so a
library that was imported elsewhere before is only slower, and one that has changed falls back to its own way. Threads may be
inside at the same time: at worst some classes are made at once. Enter a context where a view is imported, not in a view.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from reprlib import recursive_repr
from types import ModuleType
from typing import Any, Final

_ALWAYS: Final = property(lambda _: True)


@contextlib.contextmanager
def late_pydantic() -> Iterator[None]:
    """Models and adapters that are defined inside get their validators when they are first used, under pydantic's own lock."""
    import pydantic

    defaults: Any = pydantic.BaseModel.model_config
    adapter: Any = pydantic.TypeAdapter
    # pydantic has no setting for adapters of unions; each of them would make the validators of all models that it joins.
    decides = adapter.__dict__.get("_defer_build")
    defaults["defer_build"] = True
    if isinstance(decides, property):
        adapter._defer_build = _ALWAYS
    try:
        yield
    finally:
        defaults.pop("defer_build", None)
        if isinstance(decides, property) and decides is not _ALWAYS:
            adapter._defer_build = decides


@contextlib.contextmanager
def light_attrs() -> Iterator[None]:
    """Classes that are defined inside share one `__repr__`, and compile the methods of classes with equal attributes once."""
    import attrs

    module: Any = attrs
    # It has its `compile` from the builtins; one of its own precedes.
    compiling = vars(sys.modules.get("attr._make", ModuleType("none")))
    define = module.define
    if not hasattr(define, "is_light"):
        module.define = _light(define)
    compiling["compile"] = _compile_once()
    try:
        yield
    finally:
        if not hasattr(define, "is_light"):
            module.define = define
        compiling.pop("compile", None)


def _light(define: Any) -> Any:
    def light(cls: Any = None, **options: Any) -> Any:
        if cls is None or options or "__repr__" in cls.__dict__:
            return define(cls, **options)
        model = define(cls, repr=False)
        model.__repr__ = _repr
        return model

    light.is_light = True  # type: ignore[attr-defined]
    return light


@recursive_repr()
def _repr(self: Any) -> str:
    """As attrs writes it."""
    shown = [
        f"{field.name}={(repr if field.repr is True else field.repr)(getattr(self, field.name))}"
        for field in type(self).__attrs_attrs__
        if field.repr
    ]
    return f"{type(self).__qualname__.rpartition('>.')[2]}({', '.join(shown)})"


def _compile_once() -> Any:
    """`compile` that knows the last results; attrs gives it the methods of a class as a text, without names of that class."""
    results: dict[tuple[Any, ...], Any] = {}

    def compile_once(text: Any, filename: str, mode: str, *arguments: Any, **named: Any) -> Any:
        if arguments or named or not isinstance(text, str):
            return compile(text, filename, mode, *arguments, **named)
        if (text, mode) not in results:
            results[text, mode] = compile(text, filename, mode)
        return results[text, mode]

    return compile_once

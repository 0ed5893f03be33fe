"""Imports of libraries that define hundreds of message classes, of which a process uses a few.

The classes of both protocols take longer to make than all else that a server imports. While such a library is imported inside
one of these contexts, what pydantic and attrs compile for a class waits until somebody uses it. The classes behave as ever, so a
library that was imported elsewhere before is only slower. Threads may be inside at the same time: at worst some classes are made
at once. Enter a context where a view is imported, not in a view.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, Final, get_type_hints

from boruna_ls import lock_order

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
def late_attrs() -> Iterator[None]:
    """Classes that are defined inside get their methods when one is first created or its attributes are asked for."""
    import attrs

    module: Any = attrs
    define = module.define
    is_first = not hasattr(define, "is_late")
    was_imported = "lsprotocol.types" in sys.modules
    if is_first:
        module.define = _late(define)
    try:
        yield
    finally:
        if is_first:
            module.define = define
        hooks: Any = sys.modules.get("lsprotocol._hooks")
        if not was_imported and hasattr(hooks, "_resolved_forward_references"):
            # It would complete all classes only to resolve the names of types in them, which `_complete` does for each.
            hooks._resolved_forward_references = True


def _late(define: Any) -> Any:
    def late(cls: Any = None, **options: Any) -> Any:
        if cls is None or options:
            return define(cls, **options)
        for name in _AT_FIRST_USE:
            setattr(cls, name, _Incomplete(name, define))
        return cls

    late.is_late = True  # type: ignore[attr-defined]
    return late


_AT_FIRST_USE: Final = ("__attrs_attrs__", "__init__")
"""What stands for a class that is not complete: its attributes, and what makes an object of it."""
_completing: Final = lock_order.lock("classes")


class _Incomplete:
    """Completes its class when it is read, and gives what has taken its place."""

    def __init__(self, name: str, define: Any) -> None:
        self.name = name
        self.define = define

    def __get__(self, instance: object, owner: type) -> Any:
        for cls in owner.__mro__:
            with _completing:
                if cls.__dict__.get(self.name) is self:
                    _complete(cls, self.define)
                    break
        return getattr(owner if instance is None else instance, self.name)


def _complete(cls: Any, define: Any) -> None:
    """Gives a class its attributes and methods, in place."""
    with contextlib.suppress(NameError):
        # Classes that name each other: only now all of them exist.
        types = get_type_hints(cls, vars(sys.modules[cls.__module__]), include_extras=True)
        cls.__annotations__ = {name: types[name] for name in cls.__annotations__}
    # A class with slots would be another one than the one that was imported.
    define(cls, slots=False, init=True)

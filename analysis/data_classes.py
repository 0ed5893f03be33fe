"""`dataclass` for processes that must start fast: the classes of the standard library, methods compiled at their first call.

The standard one compiles up to eight functions for each class while its module is imported, and imports `inspect`; together that
was a third of the time of `boruna-ls check FILE`. Most records of a process are never compared, many never made. `fields`,
`asdict` and `is_dataclass` of the standard library accept these classes, and its data classes may derive from them. Not
supported, because unused: `order`, `unsafe_hash`, `InitVar`, `KW_ONLY`, and standard data classes as bases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    # Type checkers know what these three mean.
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace

_MISSING: Final = object()
_SPECIFICATION: Final = "__record__"


class _Field:
    """An attribute of a record; `name`, `annotation` and `kw_only` are set by its class."""

    __slots__ = ("annotation", "compare", "default", "factory", "init", "kw_only", "name", "repr")

    def __init__(self, default: Any, factory: Any, init: bool, repr: bool, compare: bool) -> None:
        self.default, self.factory, self.init, self.repr, self.compare = default, factory, init, repr, compare
        self.name, self.annotation, self.kw_only = "", "", False


class _StandardFields:
    """`__dataclass_fields__` of a class, for the functions of `dataclasses`: made when it is read."""

    def __init__(self, fields: Iterable[_Field], frozen: bool, eq: bool) -> None:
        self._fields, self._parameters = tuple(fields), (frozen, eq)
        self._standard: Any = None

    def standard(self) -> Any:
        if self._standard is None:
            import dataclasses

            frozen, eq = self._parameters
            members: list[tuple[str, Any, Any]] = []
            for each in self._fields:
                given: dict[str, Any] = {"default": each.default} if each.default is not _MISSING else {}
                given |= {"default_factory": each.factory} if each.factory is not _MISSING else {}
                given |= {"init": each.init, "repr": each.repr, "compare": each.compare, "kw_only": each.kw_only}
                members.append((each.name, each.annotation, dataclasses.field(**given)))
            self._standard = dataclasses.make_dataclass("Record", members, init=False, repr=False, eq=eq, frozen=frozen)
        return self._standard

    def __get__(self, instance: object, owner: type) -> Any:
        return self.standard().__dataclass_fields__


class _StandardParameters:
    """`__dataclass_params__`, likewise."""

    def __init__(self, fields: _StandardFields) -> None:
        self._fields = fields

    def __get__(self, instance: object, owner: type) -> Any:
        return self._fields.standard().__dataclass_params__


# ---- the three names that are imported from here --------------------------------------------------------------------

if not TYPE_CHECKING:

    def dataclass(
        cls=None,
        /,
        *,
        init=True,
        repr=True,
        eq=True,
        frozen=False,
        slots=False,
        weakref_slot=False,
        kw_only=False,
    ):
        """As `dataclasses.dataclass`; methods that a class writes itself are kept."""

        def made(cls):
            return _record(cls, init, repr, eq, frozen, slots, weakref_slot, kw_only)

        return made if cls is None else made(cls)

    def field(*, default=_MISSING, default_factory=_MISSING, init=True, repr=True, compare=True):
        """As `dataclasses.field`."""
        return _Field(default, default_factory, init, repr, compare)

    def replace(record, /, **changes):
        """As `dataclasses.replace`; for data classes of the standard library, too."""
        cls = type(record)
        specification = getattr(cls, _SPECIFICATION, None)
        if specification is None or specification is not cls.__dict__.get(_SPECIFICATION):
            import dataclasses

            return dataclasses.replace(record, **changes)
        for each in specification.values():
            if not each.init:
                if each.name in changes:
                    raise ValueError(f"field {each.name} is declared with init=False, it cannot be specified with replace()")
            elif each.name not in changes:
                changes[each.name] = getattr(record, each.name)
        return cls(**changes)


# ---- how a class becomes a record -----------------------------------------------------------------------------------


def _record(cls: type, init: bool, repr: bool, eq: bool, frozen: bool, slots: bool, weakref_slot: bool, kw_only: bool) -> type:
    fields, own = _fields_of(cls, kw_only)
    added: dict[str, Any] = {_SPECIFICATION: fields}
    added["__dataclass_fields__"] = standard = _StandardFields(fields.values(), frozen, eq)
    added["__dataclass_params__"] = _StandardParameters(standard)
    added["__match_args__"] = tuple(each.name for each in fields.values() if each.init and not each.kw_only)
    # The class that the methods belong to: with slots it is another one than the one decorated.
    owner: list[type] = []
    if init:
        added["__init__"] = _first_init(owner, fields, frozen, hasattr(cls, "__post_init__"))
    if repr:
        added["__repr__"] = _repr_of(fields)
    compared = tuple(each.name for each in fields.values() if each.compare)
    if eq:
        added["__eq__"] = _first_eq(owner, compared)
        if "__hash__" not in cls.__dict__ or (cls.__dict__["__hash__"] is None and "__eq__" in cls.__dict__):
            added["__hash__"] = _first_hash(owner, compared) if frozen else None
    if frozen:
        added["__setattr__"], added["__delattr__"] = _refusals(owner, frozenset(fields))
        if slots:
            added["__getstate__"], added["__setstate__"] = _states(fields)
    written = cls.__dict__
    added = {name: value for name, value in added.items() if name == "__hash__" or name not in written}
    record = _with_slots(cls, added, fields, own, weakref_slot) if slots else _with_attributes(cls, added, own)
    owner.append(record)
    return record


def _fields_of(cls: type, kw_only: bool) -> tuple[dict[str, _Field], list[_Field]]:
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited = base.__dict__.get(_SPECIFICATION)
        if inherited is None and "__dataclass_fields__" in base.__dict__:
            raise TypeError(f"{base.__name__}, a base of {cls.__name__}, is a data class of the standard library")
        fields.update(inherited or {})
    own = []
    for name, annotation in cls.__annotations__.items():
        # Text, as in every module with `from __future__ import annotations`.
        if annotation.startswith("ClassVar"):
            continue
        default = cls.__dict__.get(name, _MISSING)
        each = default if isinstance(default, _Field) else _Field(default, _MISSING, True, True, True)
        if each.default is not _MISSING and each.default.__class__.__hash__ is None:
            raise ValueError(f"mutable default for field {name}: use default_factory")
        each.name, each.annotation, each.kw_only = name, annotation, kw_only
        fields[name] = each
        own.append(each)
    return fields, own


def _with_attributes(cls: type, added: dict[str, Any], own: Iterable[_Field]) -> type:
    for each in own:
        if each.default is not _MISSING:
            setattr(cls, each.name, each.default)
        elif each.name in cls.__dict__:
            delattr(cls, each.name)
    for name, value in added.items():
        setattr(cls, name, value)
    return cls


def _with_slots(cls: type, added: dict[str, Any], fields: dict[str, _Field], own: Iterable[_Field], weakref_slot: bool) -> type:
    """The class once more: slots cannot be added to one that exists."""
    space = {name: value for name, value in cls.__dict__.items() if name not in fields}
    for each in own:
        space.pop(each.name, None)
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    names = [*fields, "__weakref__"] if weakref_slot else fields
    space["__slots__"] = tuple(name for name in names if name not in inherited)
    slotted = type(cls)(cls.__name__, cls.__bases__, space | added)
    slotted.__qualname__ = cls.__qualname__
    return slotted


# ---- methods --------------------------------------------------------------------------------------------------------


def _compiled(owner: type, name: str, parameters: Iterable[str], body: Iterable[str], names: dict[str, Any]) -> Any:
    """A method from its text, put into its class in place of the one that was there first.

    The text holds names of attributes alone; defaults are among `names`.
    """
    lines = "".join(f"\n  {line}" for line in body) or "\n  pass"
    space: dict[str, Any] = {}
    exec(f"def {name}({', '.join(parameters)}):{lines}", names, space)
    method = space[name]
    method.__qualname__, method.__module__ = f"{owner.__qualname__}.{name}", owner.__module__
    setattr(owner, name, method)
    return method


def _first_init(owner: list[type], fields: dict[str, _Field], frozen: bool, has_post_init: bool) -> Callable[..., None]:
    def __init__(_self_: Any, /, *args: Any, **given: Any) -> None:
        _compiled(owner[0], "__init__", *_init_text(owner[0], fields, frozen, has_post_init))(_self_, *args, **given)

    return __init__


def _init_text(
    owner: type, fields: dict[str, _Field], frozen: bool, has_post_init: bool
) -> tuple[list[str], list[str], dict[str, Any]]:
    names: dict[str, Any] = {"_MISSING_": _MISSING, "_set_": object.__setattr__}
    positional, body = ["_self_"], []
    keywords: list[str] = []
    for each in fields.values():
        name, value = each.name, each.name
        setter = getattr(getattr(owner, name, None), "__set__", None)
        if each.init:
            default = "" if each.default is _MISSING and each.factory is _MISSING else f"=_d_{name}"
            (keywords if each.kw_only else positional).append(f"{name}{default}")
            names[f"_d_{name}"] = each.default
        if each.factory is not _MISSING:
            names[f"_f_{name}"] = each.factory
            new = "[]" if each.factory is list else "{}" if each.factory is dict else f"_f_{name}()"
            value = f"{new} if {name} is _MISSING_ else {name}" if each.init else new
        elif not each.init:
            if each.default is _MISSING or setter is None:
                # Left to `__post_init__`, or an attribute of the class.
                continue
            names[f"_d_{name}"], value = each.default, f"_d_{name}"
        if not frozen:
            body.append(f"_self_.{name} = {value}")
        elif setter is not None:
            # The slot's own: `object.__setattr__` would look for it each time.
            names[f"_s_{name}"] = setter
            body.append(f"_s_{name}(_self_, {value})")
        else:
            body.append(f"_set_(_self_, {name!r}, {value})")
    if has_post_init:
        body.append("_self_.__post_init__()")
    return [*positional, *(["*", *keywords] if keywords else ())], body, names


def _first_eq(owner: list[type], compared: tuple[str, ...]) -> Callable[[Any, object], Any]:
    def __eq__(self: Any, other: object) -> Any:
        mine, others = (f"({''.join(f'{side}.{name},' for name in compared)})" for side in ("self", "other"))
        body = ["if other.__class__ is self.__class__:", f" return {mine} == {others}", "return NotImplemented"]
        return _compiled(owner[0], "__eq__", ("self", "other"), body, {})(self, other)

    return __eq__


def _first_hash(owner: list[type], compared: tuple[str, ...]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        body = [f"return hash(({''.join(f'self.{name},' for name in compared)}))"]
        result: int = _compiled(owner[0], "__hash__", ("self",), body, {})(self)
        return result

    return __hash__


def _repr_of(fields: dict[str, _Field]) -> Callable[[Any], str]:
    names = tuple(each.name for each in fields.values() if each.repr)

    @recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _refusals(owner: list[type], fields: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    def refuse(verb: str, name: str) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {verb} field {name!r}")

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is owner[0] or name in fields:
            refuse("assign to", name)
        object.__setattr__(self, name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is owner[0] or name in fields:
            refuse("delete", name)
        object.__delattr__(self, name)

    return __setattr__, __delattr__


def _states(fields: dict[str, _Field]) -> tuple[Callable[[Any], list[Any]], Callable[[Any, Iterable[Any]], None]]:
    """Pickling methods of frozen records with slots, compatible with the standard library's format."""
    names = tuple(fields)

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: Iterable[Any]) -> None:
        for name, value in zip(names, state, strict=False):
            object.__setattr__(self, name, value)

    return __getstate__, __setstate__

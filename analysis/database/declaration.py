"""Declaration of inputs and queries: the decorators `@input` and `@query`, their types, and the fast path.

A declared query is a plain Python function.  Called with an answer that is verified in the current revision, it
does one dictionary look-up and one comparison and returns; everything else is the engine's business (`engine.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, TypeVarTuple, cast, overload

from analysis.database import setting
from analysis.database.gate import get_ident
from analysis.database.memo import MISSING, NEVER, Durability, Memo
from analysis.database.retention import Subject

if TYPE_CHECKING:
    from analysis.database.engine import Database

DEFAULT_LIMIT: Final = 20_000
"""Memos of one query that stay resident unless its declaration or the database says otherwise."""

Args = TypeVarTuple("Args")
Value = TypeVar("Value")
Answer = TypeVar("Answer", covariant=True)

_HAS_REST: Final = 0x04 | 0x08
"""Flags of code with `*arguments` and with `**arguments`."""
_indexes = itertools.count()
_NO_MEMO = Memo(None, MISSING)
assert _NO_MEMO.verified_at == NEVER


class Declaration:
    """The engine's data about one input or query."""

    __slots__ = ("arguments", "durability", "function", "index", "is_input", "limit", "name", "single", "subjects")

    def __init__(self, function: Callable[..., Any], *, is_input: bool, durability: int, limit: int) -> None:
        self.index = next(_indexes)
        """Position of this declaration's memos in every database."""
        self.name = function.__name__
        self.function = function
        self.arguments = _count_parameters(function)
        self.single = self.arguments == 1
        """One argument: the key is the argument itself, else the tuple of arguments."""
        self.is_input = is_input
        self.durability = durability
        self.limit = limit
        self.subjects: tuple[Subject, ...] = ()
        """Subjects of the first arguments (`retention.py`)."""

    def call(self, function: Callable[..., Any], database: Database, key: Any) -> Any:
        return function(database, key) if self.single else function(database, *key)


def _count_parameters(function: Callable[..., Any]) -> int:
    # Not `inspect.signature`: every process that starts declares a hundred queries, and it takes 30 µs for each.
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r}: a query is a plain function")
    code = function.__code__
    is_plain = not (code.co_posonlyargcount or code.co_kwonlyargcount or code.co_flags & _HAS_REST)
    if not is_plain or function.__defaults__:
        raise TypeError(f"{function.__name__}: a query takes plain positional parameters without defaults")
    if not code.co_argcount:
        raise TypeError(f"{function.__name__}: a query takes the database as its first parameter")
    return code.co_argcount - 1


class Query(Protocol[*Args, Answer]):
    """A derived query: call it like a function (arguments by position).  `body` is the function as written."""

    name: str
    declaration: Declaration
    body: Callable[..., Any]

    def __call__(self, db: Database, /, *args: *Args) -> Answer: ...


class Input(Protocol[*Args, Value]):
    """An input: call it to read it, `set` or `remove` it from outside of all queries."""

    name: str
    declaration: Declaration

    def __call__(self, db: Database, /, *args: *Args) -> Value: ...

    def set(self, db: Database, /, *args_and_value: *tuple[*Args, Value], durability: Durability | None = None) -> None:
        """Give the input a value: `source.set(db, file, text)`.  A value equal to the old one changes nothing."""

    def remove(self, db: Database, /, *args: *Args) -> None:
        """Forget the value; from now on the input has its default again."""


class QueryDecorator(Protocol):
    def __call__(self, function: Callable[[Database, *Args], Answer], /) -> Query[*Args, Answer]: ...


class InputDecorator(Protocol):
    def __call__(self, function: Callable[[Database, *Args], Value], /) -> Input[*Args, Value]: ...


@overload
def query(function: Callable[[Database, *Args], Answer], /) -> Query[*Args, Answer]: ...


@overload
def query(*, limit: int = ..., subject: Subject | tuple[Subject, ...] = ...) -> QueryDecorator: ...


def query(
    function: Callable[..., Any] | None = None,
    /,
    *,
    limit: int = DEFAULT_LIMIT,
    subject: Subject | tuple[Subject, ...] = (),
) -> Any:
    """Declare a derived query: a pure function of its (hashable) arguments and of what it asks the database.

    `limit`: how many answers stay in memory.  `subject`: what the answers are about, one for each of the first
    arguments; an answer is evicted with its subject (`retention.py`).
    """

    def declare(function: Callable[..., Any]) -> Any:
        declaration = Declaration(function, is_input=False, durability=Durability.CONSTANT, limit=limit)
        declaration.subjects = (subject,) if isinstance(subject, Subject) else subject
        if len(declaration.subjects) > declaration.arguments:
            raise TypeError(f"{declaration.name}: more subjects than arguments")
        ask = _reader(declaration)
        ask.body = function
        return ask

    return declare if function is None else declare(function)


@overload
def input(function: Callable[[Database, *Args], Value], /) -> Input[*Args, Value]: ...


@overload
def input(*, durability: Durability = ..., limit: int = ...) -> InputDecorator: ...


def input(
    function: Callable[..., Any] | None = None,
    /,
    *,
    durability: Durability = Durability.LOW,
    limit: int = DEFAULT_LIMIT,
) -> Any:
    """Declare an input; the function gives its value while it is not set, from its arguments alone.

    `durability`: how rarely it changes, unless `set` says otherwise.  `limit`: how many defaults that were read
    stay in memory; values that were set stay until they are removed.
    """
    if durability is Durability.CONSTANT:
        raise ValueError("an input can change: it cannot be constant")

    def declare(function: Callable[..., Any]) -> Any:
        declaration = Declaration(function, is_input=True, durability=int(durability), limit=limit)
        ask = _reader(declaration)
        single = declaration.single

        def set(db: Database, /, *args_and_value: Any, durability: Durability | None = None) -> None:
            *args, value = args_and_value
            key = args[0] if single else tuple(args)
            setting.set_input(db, declaration, key, value, declaration.durability if durability is None else int(durability))

        def remove(db: Database, /, *args: Any) -> None:
            setting.remove_input(db, declaration, args[0] if single else args)

        ask.set = set
        ask.remove = remove
        return ask

    return declare if function is None else declare(function)


def _reader(declaration: Declaration) -> Any:
    """The function that callers see: the fast path, twice because a one-argument key needs no tuple.

    The order of the reads matters to threads that do not hold the lock: a memo's value is written before its
    `verified_at`, so a value that is read after the comparison is at least as new; an eviction leaves MISSING.
    """
    index = declaration.index

    def ask_one(db: Database, key: Any, /) -> Any:
        try:
            memo = db._tables[index][key]
        except LookupError:
            memo = _NO_MEMO
        if memo.verified_at >= db._now:
            value = memo.value
            if value is not MISSING:
                memo.used = db._tick
                memo.hits += 1
                reads = db._reads
                if reads is not None and memo.tracked and db._gate.owner == get_ident():
                    reads[memo] = None
                return value
        return db._ask(declaration, key, memo)

    def ask_many(db: Database, /, *key: Any) -> Any:
        try:
            memo = db._tables[index][key]
        except LookupError:
            memo = _NO_MEMO
        if memo.verified_at >= db._now:
            value = memo.value
            if value is not MISSING:
                memo.used = db._tick
                memo.hits += 1
                reads = db._reads
                if reads is not None and memo.tracked and db._gate.owner == get_ident():
                    reads[memo] = None
                return value
        return db._ask(declaration, key, memo)

    ask = cast(Any, ask_one if declaration.single else ask_many)
    ask.__name__ = declaration.name
    ask.__qualname__ = declaration.function.__qualname__
    ask.__doc__ = declaration.function.__doc__
    ask.__module__ = declaration.function.__module__
    ask.__wrapped__ = declaration.function
    ask.name = declaration.name
    ask.declaration = declaration
    return ask

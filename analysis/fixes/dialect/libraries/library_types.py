"""Types of Rust's library that are lists or texts here: iterators, heaps, errors."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree.types import BOOL, CHAR, INT, UNIT, Type, argument, head
from analysis.suggestions.foreign_words import PLAIN_TYPES

_CHARS: Final = frozenset(("char", "Char", "Character", "rune"))
WIDTHS: Final = frozenset("u8 u16 u32 u64 usize i8 i16 i32 i64 isize".split())
"""Types of numbers whose width decides how far they count."""
_ITERATORS: Final = frozenset(("Iterator", "ListIterator", "Iter", "IntoIter", "Chars", "Peekable", "SplitWhitespace"))
_ERRORS: Final = frozenset(("ParseIntError", "ParseFloatError", "Error"))
"""Types of errors that are no type of the program: their texts."""


def library_type(word: str, parts: list[Type], text: str) -> Type | None:
    """The type that stands for one of the library; None for another word."""
    if word == "BinaryHeap":
        item = parts[0] if parts else Type()
        is_least = item.trait == "reverse" or (not item.name and "Reverse" in text)
        return Type("List", item, trait="least" if is_least else "greatest")
    if word == "PriorityQueue" and len(parts) == 1 and head(parts[0]) in ("Int", "Float", "String"):
        return Type("List", parts[0], trait="least")
    if word == "Reverse" and parts:
        return Type(parts[0].name, *parts[0].arguments, trait="reverse")
    if word in _ERRORS:
        return Type("String")
    return _iterator(word, parts) if word in _ITERATORS else None


def _iterator(word: str, parts: list[Type]) -> Type:
    """`Peekable<Chars>`, `Iterator<T>`: the items that are left."""
    item = parts[-1] if parts else CHAR if word == "Chars" else Type("String") if word == "SplitWhitespace" else Type()
    return Type("List", argument(item) if head(item) == "List" and word == "Peekable" else item, trait="iterator")


FUNCTION_TYPES: Final = frozenset(
    "Func Function BiFunction Predicate BiPredicate Supplier UnaryOperator BinaryOperator Consumer BiConsumer Action".split()
)
"""Types of functions in Java and C#."""


def function_of(word: str, parts: list[Type]) -> Type:
    if word in ("Predicate", "BiPredicate"):
        return Type("Fn", *parts, BOOL)
    if word in ("Consumer", "BiConsumer", "Action"):
        return Type("Fn", *parts, UNIT)
    if word == "UnaryOperator":
        return Type("Fn", parts[0], parts[0])
    return Type("Fn", *parts, parts[0]) if word == "BinaryOperator" and len(parts) == 1 else Type("Fn", *parts)


def type_of_word(word: str, *parts: Type) -> Type:
    """The type that a word names which is no collection's."""
    if word == "Ordering":
        return INT
    if word in _CHARS:
        return CHAR
    if word == "None":
        # `-> None` of Python.
        return Type("Unit")
    if word in WIDTHS:
        return Type("Int", trait=word)
    return Type(PLAIN_TYPES.get(word, word), *parts) if word != "_" else Type()

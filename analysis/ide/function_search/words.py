"""Functions by words: their names, what other languages call them, and what their comments say.

A name that is exactly the query's counts most. Else each word of the query counts by the place where it is found, and the more
the fewer functions have it. Nothing is found for a query of which most is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from math import log
from typing import Final, NamedTuple

from analysis.ide.function_search.known import Known, folded
from analysis.suggestions.foreign_words import CONTAINERS, PLAIN_TYPES
from analysis.suggestions.lexicon import KINDS

_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SEGMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TEXT: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
_COUNTED: Final = re.compile(r"\b(?:get )?(?:the )?number of\b")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_CONVERSION: Final = re.compile(r"(?:^|\s)(\w+)\s+to\s+(?:an?\s+)?(\w+)\s*$")
_CONVERSIONS: Final = {("List", "String"): "join", ("String", "List"): "chars"}
_STOP: Final = frozenset(
    (
        "a an the of to in on at by with from for is are be it its this that and or if as how do i two function "
        "each every find can all given stored under turn into please want"
    ).split()
)
_ENDINGS: Final = ("s", "ing", "ed", "e")
_SAME: Final = {
    "uppercase": "upper", "lowercase": "lower", "whitespace": "white", "length": "len", "size": "len", "element": "item",
    "entry": "item", "character": "chars", "add": "push", "string": "text", "number": "int float", "convert": "parse",
    "decimal": "digits", "ai": "llm", "ask": "prompt answer", "current": "now", "remove": "without",
    "delete": "remove without", "has": "contains", "largest": "max", "biggest": "max", "smallest": "min",
    "maximum": "max", "minimum": "min", "combine": "concat merge", "merge": "concat", "fallback": "default",
    "index": "position", "occurrence": "often occurs", "frequency": "often occurs", "word": "text", "separator": "sep",
    "dictionary": "map", "array": "list", "check": "whether",
}  # fmt: skip
"""Words that people say, by those that names and comments use."""
_OPERATORS: Final = (
    (re.compile(r"^(?:s|str|text|string|name|word|line)\[[^\]:]*:[^\]]*\]$"), "substring"),
    (re.compile(r"^\w+\[[^\]:]*:[^\]]*\]$"), "list_slice"),
    (re.compile(r"^\w+\[[^\]]*\]\s*=[^=]"), "list_set"),
    (re.compile(r"^\w+\[[^\]]*\]$"), "list_get"),
    (re.compile(r"^\+\+$"), "++"),
    (re.compile(r"^\w*\s*(?:\+\+|\+=)"), "increment"),
    (re.compile(r"^\w*\s*\*\*"), "int_pow"),
    (re.compile(r"^\w*\s*<<"), "int_shift_left"),
    (re.compile(r"^\w*\s*>>"), "int_shift_right"),
    (re.compile(r"^\w*\s*//"), "floor_division"),
    (re.compile(r"^for\b.*\brange\b"), "for_range"),
)
"""Operators of other languages, by the name that is searched instead."""
_OTHERS: Final = frozenset("set math decimal decimals single short long char character characters".split())
"""Names of types that mean something else in a sentence."""
_MATH: Final = frozenset(("Int", "Float"))
_DECIMAL: Final = frozenset(("sqrt",))
"""Names that other languages have for decimal numbers in the first place."""
_FORM: Final = 12.0
_SPECIAL: Final = 30.0
_LEAST: Final = 0.45
_LEAST_OF_SENTENCE: Final = 0.28
"""The share of the words that a function has to cover, in a short query and in a sentence, where some only stand around."""
_SENTENCE: Final = 4
_SHARE: Final = 0.6
_WORDED: Final = 70.0
_ALL: Final = 1.0


class _Fields(NamedTuple):
    """The words of a function, by where they are."""

    name: frozenset[str]
    words: frozenset[str]
    meaning: frozenset[str]
    types: frozenset[str]
    calls: frozenset[str]
    """The folded names: its own in full and in short, and those of other languages as they are written."""


def by_words(query: str, functions: Sequence[Known]) -> list[Known]:
    """What a query in words or names can mean, the likeliest first."""
    name, kinds = _name_of(query)
    scores = {one.key: _as_name(one, name, kinds) for one in functions} if name else {}
    if not any(scores.values()) and not re.search(r"\s", query.strip()):
        last = _SEGMENT.findall(_ARGUMENTS.sub("", query))[-1:]
        scores = {one.key: _as_name(one, last[0], kinds) for one in functions} if last else {}
    if not any(scores.values()):
        is_name = not re.search(r"\s", query.strip())
        words = [part for part in _parts(_COUNTED.sub("length of", _TEXT.sub(" ", query))) if part not in _STOP and len(part) > 1]
        scores = _as_words(words, functions, _ALL if is_name else 0.0)
    matching = [one for one in functions if scores.get(one.key, 0.0) > 0]
    matching.sort(key=lambda one: -scores[one.key])
    return matching or _alike(name, functions)


def _name_of(query: str) -> tuple[str, frozenset[str]]:
    """The one name that a query gives, and the kinds of value that it may be about; `strings.Split`: `Split` and String."""
    text = query.strip().rstrip("!?;")
    for pattern, name in _OPERATORS:
        if pattern.match(text):
            return name, frozenset()
    conversion = _CONVERSION.search(text.casefold())
    if conversion:
        source, target = min(_kinds(conversion[1]), default=""), min(_kinds(conversion[2]), default="")
        if source and target:
            return _CONVERSIONS.get((source, target), f"to_{target.casefold()}"), frozenset((source,))
    owner = frozenset(("String",)) if _TEXT.match(text) else frozenset[str]()
    plain = _ARGUMENTS.sub("", _TEXT.sub("", text))
    segments = _SEGMENT.findall(plain)
    if not segments:
        return "", owner
    if re.search(r"\s", plain.strip()):
        return "".join(part for part in _parts(plain) if part not in ("a", "the")), frozenset()
    kinds = [_kinds(segment) for segment in segments[:-1]]
    return (segments[-1] if any(kinds) or owner else "".join(segments)), (owner or (kinds[-1] if kinds else frozenset()))


def _kinds(word: str) -> frozenset[str]:
    """The kinds of value that a word names: a type, a module, a usual name of a variable."""
    lower = word.casefold()
    if lower in ("math", "std", "cmath"):
        return _MATH
    plural = lower.removesuffix("s")
    for table in (KINDS, _lower_types()):
        kind = table.get(lower) or table.get(plural)
        if kind:
            return frozenset((kind,))
    return frozenset(("List",)) if lower in ("xs", "items", "nums", "numbers") else frozenset()


@cache
def _lower_types() -> dict[str, str]:
    return {word.casefold(): kind for word, kind in (*PLAIN_TYPES.items(), *CONTAINERS.items())}


def _as_name(one: Known, name: str, kinds: frozenset[str]) -> float:
    """How well a name is that of a function; 0 if it is not."""
    wanted = folded(name)
    if wanted not in _fields(one).calls and (name not in one.libraries or one.is_form):
        return 0.0
    score = 80.0
    if wanted in (folded(one.name), folded(one.name.removeprefix("__builtin_"))) and not one.is_form:
        score = 100.0
    elif wanted == folded(one.short) and not one.is_form:
        score = 90.0
    elif name not in one.words:
        score = 70.0
    score -= _FORM * one.is_form + _SPECIAL * one.is_special
    score += name.casefold() in _DECIMAL and "Float" in one.parameters
    if kinds:
        score += 15.0 if one.kind in kinds else 5.0 if not one.kind else -40.0
    return score


def _as_words(words: Sequence[str], functions: Sequence[Known], cover: float) -> dict[str, float]:
    """How much of a query each function covers, of those that cover enough, and `cover` of the words at least."""
    fits = {word: [_fit(word, one) for one in functions] for word in dict.fromkeys(words)}
    weights = {word: log((len(functions) + 1) / (sum(fit > 0 for fit in row) + 0.5)) for word, row in fits.items()}
    whole = sum(weights[word] for word in words)
    if not whole:
        return {}
    scores: dict[str, float] = {}
    for number, one in enumerate(functions):
        share = sum(weights[word] * fits[word][number] for word in words) / whole
        named = _fields(one).name
        own = sum(any(_equal(word, part) for word in words) for part in named) / max(len(named), 1)
        covered = sum(fits[word][number] > 0 for word in words) / len(words)
        if covered < cover:
            continue
        lower = (0.95 if one.write else 0.75) if one.is_form else 0.7 if one.is_special else 1.0
        scores[one.key] = (share * (0.5 + 0.5 * covered) + 0.05 * own) * lower * _WORDED
    best = max(scores.values(), default=0.0)
    lowest = _LEAST if len(words) < _SENTENCE else _LEAST_OF_SENTENCE
    least = max(lowest * _WORDED, _SHARE * best)
    return {name: score for name, score in scores.items() if score >= least}


def _fit(word: str, one: Known) -> float:
    """How well a function has a word: 1 in its name, less in the words of other languages, its comment and its types."""
    fields = _fields(one)
    alternatives = (word, *_same().get(_stem(word), ()))
    best = 0.0
    for rank, alternative in enumerate(alternatives):
        for weight, parts in ((1.0, fields.name), (0.8, fields.words), (0.6, fields.meaning)):
            if any(_equal(alternative, part) for part in parts):
                best = max(best, weight - 0.05 * (rank > 0))
    kinds = _kinds(word) if word not in _OTHERS else frozenset()
    if kinds & fields.types:
        best = max(best, 0.9 if one.kind in kinds else 0.5)
    return best


@cache
def _fields(one: Known) -> _Fields:
    signature = one.signature.partition("(")[2]
    name = frozenset(_parts(one.name.removeprefix("__builtin_"))) - _STOP
    words = frozenset(part for word in one.words for part in (folded(word), *_parts(word))) - _STOP
    meaning = frozenset() if one.is_form else frozenset(_parts(f"{one.meaning} {signature.rpartition(')')[0]}")) - _STOP
    types = frozenset(kind for parameter in (*one.parameters, one.result) for kind in re.findall(r"[A-Z]\w+", parameter))
    own = () if one.is_form else (folded(one.name), folded(one.name.removeprefix("__builtin_")), folded(one.short))
    return _Fields(name, words, meaning, types, frozenset((*own, *map(folded, one.words))))


def _parts(text: str) -> list[str]:
    """The words of names and sentences: `startsWith a_b` is starts, with, a, b."""
    return [part.casefold() for part in _PART.findall(text)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
    return word


@cache
def _same() -> dict[str, tuple[str, ...]]:
    return {_stem(word): tuple(others.split()) for word, others in _SAME.items()}


def _equal(word: str, part: str) -> bool:
    return word == part or (len(word) > 2 and _stem(word) == _stem(part))


def _alike(name: str, functions: Sequence[Known]) -> list[Known]:
    """The functions whose names are nearly the query's."""
    by_name: dict[str, list[Known]] = {}
    for one in functions:
        for called in _fields(one).calls:
            by_name.setdefault(called, []).append(one)
    close = get_close_matches(folded(name), by_name, 3, 0.8) if len(name) > 3 else []
    return list(dict.fromkeys(one for called in close for one in by_name[called]))

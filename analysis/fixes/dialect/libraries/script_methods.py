"""Methods of script languages that a few arguments tell apart: replacements and splits that happen once, places from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.libraries.ruby_calls import is_module
from analysis.fixes.dialect.tree import nodes as n


def following(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`next(x for x in xs if c)`, `next((x for …), default)`."""
    if not arguments or not isinstance(arguments[0].value, n.Comprehension):
        return None
    if len(arguments) == 1:
        return _method(arguments[0].value, "first_value", [], call)
    first = _method(arguments[0].value, "first", [], call)
    other = arguments[1].value
    is_none = isinstance(other, n.Literal) and other.kind == "none"
    return first if is_none else n.Binary("??", first, other, start=call.start, end=call.end)


def _changed_once(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`s.replace(a, b, 1)` of Python."""
    assert isinstance(call.function, n.Member)
    is_once = len(arguments) == 3 and isinstance(arguments[2].value, n.Literal) and arguments[2].value.text == "1"
    return _method(call.function.object, "replace_first", arguments[:2], call) if is_once else None


def _split_behind(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`s.rsplit(sep, 1)` of Python."""
    assert isinstance(call.function, n.Member)
    is_once = len(arguments) == 2 and isinstance(arguments[1].value, n.Literal) and arguments[1].value.text == "1"
    return _method(call.function.object, "rsplit_once", arguments[:1], call) if is_once else None


def _from_end(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`xs.at(-1)` of JavaScript."""
    assert isinstance(call.function, n.Member)
    is_behind = len(arguments) == 1 and isinstance(arguments[0].value, n.Unary)
    return n.Index(call.function.object, arguments[0].value, start=call.start, end=call.end) if is_behind else None


def _concatenated(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`s.concat(a, b)`, `xs.concat(ys, zs)`: one after the other."""
    if len(arguments) < 2 or not isinstance(call.function, n.Member) or any(each.name for each in arguments):
        return None
    if is_module(call.function.object):
        return None
    whole: n.Expr = call.function.object
    for each in arguments:
        whole = _method(whole, "concat", [each], call)
    return whole


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _trimmed(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`s.trim(',', '.')` of Kotlin and C#: of any of the characters."""
    assert isinstance(call.function, n.Member)
    values = [each.value for each in arguments]
    texts = [each.text[1:-1] for each in values if isinstance(each, n.Literal) and each.kind == "string"]
    if len(values) < 2 or len(texts) != len(values) or _is_library(call.function.object):
        return None
    signs = n.Literal("string", f'"{"".join(texts)}"', start=call.start, end=call.end)
    return _method(call.function.object, call.function.name, [n.Argument(signs)], call)


def _split_by_any(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`s.split(",", ";")` of Kotlin, `s.Split(',', ';')` of C#: at any of the texts."""
    assert isinstance(call.function, n.Member)
    values = [each.value for each in arguments]
    are_texts = all(isinstance(each, n.Literal) and each.kind == "string" for each in values)
    if len(values) < 2 or not are_texts or _is_library(call.function.object):
        return None
    whole = call.function.object
    for each in arguments[1:]:
        whole = _method(whole, "replace", [each, arguments[0]], call)
    return _method(whole, "split", arguments[:1], call)


def _is_library(owner: n.Expr) -> bool:
    """`strings.Split(…)`, `re.split(…)`, `String.split …`: a module, which has no value."""
    return is_module(owner) or (isinstance(owner, n.Name) and owner.name in ("strings", "re", "text", "string", "str", "mem"))


METHODS: Final[dict[str, Callable[[n.Call, list[n.Argument]], n.Expr | None]]] = {
    "replace": _changed_once,
    "rsplit": _split_behind,
    "at": _from_end,
    **dict.fromkeys(("trim", "trimStart", "trimEnd", "Trim", "TrimStart", "TrimEnd"), _trimmed),
    "split": _split_by_any,
    "concat": _concatenated,
}
"""What a method with arguments is; None where it is what the lexicon says."""

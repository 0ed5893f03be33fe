"""Calls of Ruby whose blocks mean more than what they give: `each_with_object`, `to_h`, `with_index`; steps, changes in place."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.suggestions.lexicon import KINDS

IN_PLACE: Final = frozenset(
    "map collect select filter reject keep_if sort sort_by reverse uniq compact flatten rotate upcase downcase capitalize "
    "swapcase gsub sub strip lstrip rstrip chomp squeeze merge transform_values".split()
)
"""Methods that change what they are called on where a mark follows their name."""
_NUMBERING: Final = ("map", "each", "select", "each_with_index", "flat_map", "collect", "each_char", "reject", "filter_map")


def is_module(owner: n.Expr) -> bool:
    """True if a name is that of a module of functions, such as `List` and `string`, whose first argument is the value."""
    return isinstance(owner, n.Name) and len(owner.name) > 1 and owner.name.lower() in KINDS


def of_ruby(call: n.Call) -> n.Expr | None:
    """Translation of a call without a block; None if it is none of Ruby."""
    function, arguments = call.function, call.arguments
    if not isinstance(function, n.Member) or any(each.name for each in arguments):
        return None
    owner, name, values = function.object, function.name, [each.value for each in arguments]
    if is_module(owner) and name != "new":
        return None
    if isinstance(owner, n.Name) and owner.name == "Array" and name == "new" and len(values) == 2:
        return n.Call(n.Name("vec!;"), [n.Argument(values[1]), n.Argument(values[0])], start=call.start, end=call.end)
    if isinstance(owner, n.Name) and owner.name == "Set" and name == "new" and len(values) == 1:
        return _method(call, values[0], "toSet")
    if name == "step" and len(values) == 1 and isinstance(owner, n.Range):
        return _method(call, _method(call, owner, "step_by", values[0]), "to_list")
    if name == "step" and len(values) == 2 and not isinstance(values[1], n.Lambda):
        return _method(call, _method(call, n.Range(owner, values[0], True), "step_by", values[1]), "to_list")
    if name in ("cover", "include", "member") and len(values) == 1 and isinstance(owner, n.Range):
        return n.Binary("in", values[0], owner, start=call.start, end=call.end)
    if name == "last" and len(values) == 1 and not isinstance(values[0], (n.Lambda, n.OperatorFunction)):
        return _method(call, owner, "takeLast", values[0])
    is_text = bool(values) and isinstance(values[0], n.Literal) and values[0].kind == "string"
    if name == "sub" and len(values) == 2 and is_text:
        return _method(call, owner, "replace_first", *values)
    if name == "tr" and len(values) == 2 and is_text and isinstance(values[1], n.Literal):
        return _translated(call, owner, values[0], values[1])
    return None


def of_block(call: n.Expr, closure: n.Lambda) -> n.Expr | None:
    """Translation of a call with the block behind it; None where the block is an argument like any other."""
    function = call.function if isinstance(call, n.Call) else call
    values = [each.value for each in call.arguments] if isinstance(call, n.Call) else []
    if not isinstance(function, n.Member):
        return None
    owner, name, parameters = function.object, function.name, closure.parameters
    if name == "each_with_object" and len(values) == 1 and len(parameters) == 2:
        return _gathered(owner, values[0], closure)
    if name == "filter_map" and not values:
        closure.body = _optional(closure.body)
        return None
    if name == "to_h" and not values:
        closure.body = _pair(closure.body)
        return _method(call, _method(call, owner, "map", closure), "to_map")
    if name == "slice_when" and len(parameters) == 2:
        closure.body = n.Unary("!", closure.body, start=closure.body.start, end=closure.body.end)
        return _method(call, owner, "runs_by", closure)
    if name == "chunk_while" and len(parameters) == 2:
        return _method(call, owner, "runs_by", closure)
    if name in ("with_index", "each_with_index") and isinstance(owner, n.Member) and len(parameters) == 2:
        return _numbered(call, owner, values, closure)
    if name == "new" and isinstance(owner, n.Name) and owner.name == "Array" and len(values) == 1:
        closure.parameters = parameters or [n.Wildcard()]
        return _method(call, n.Range(n.Literal("int", "0"), values[0], False), "map", closure)
    if name in ("then", "yield_self") and not values and len(parameters) == 1:
        given = n.Let(parameters[0], None, owner, start=call.start, end=call.end)
        return n.Block([given, n.Evaluate(closure.body, start=closure.start, end=closure.end)], start=call.start, end=closure.end)
    return None


def _method(call: n.Expr, value: n.Expr, name: str, *arguments: n.Expr) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, [n.Argument(each) for each in arguments], start=call.start, end=call.end)


def _gathered(owner: n.Expr, first: n.Expr, closure: n.Lambda) -> n.Expr | None:
    """`xs.each_with_object({}) { |x, counts| … }`: a loop that changes a value, and the value."""
    item, held = closure.parameters
    if not isinstance(held, n.Binding):
        return None
    start, end = closure.start, closure.end
    body = closure.body if isinstance(closure.body, n.Block) else n.Block([n.Evaluate(closure.body, start=start, end=end)])
    loop = n.For(item, owner, body, start=start, end=end)
    let = n.Let(n.Binding(held.name), None, first, True, start=start, end=start)
    value = n.Evaluate(n.Name(held.name, start=end, end=end), start=end, end=end)
    return n.Block([let, loop, value], start=start, end=end)


def _optional(body: n.Expr) -> n.Expr:
    """`x * 2 if x > 1` as the last value of a block: none where the condition is false."""
    if isinstance(body, n.Block) and body.statements and isinstance(last := body.statements[-1], n.Evaluate):
        last.value = _optional(last.value)
    elif isinstance(body, n.If) and body.otherwise is None:
        inner = body.then.statements[-1] if body.then.statements else None
        if isinstance(inner, n.Evaluate):
            held = n.Argument(inner.value)
            inner.value = n.Call(n.Name("Some", start=inner.start, end=inner.end), [held], start=inner.start, end=inner.end)
            none = n.Literal("none", "None", start=body.end, end=body.end)
            body.otherwise = n.Block([n.Evaluate(none, start=body.end, end=body.end)], start=body.end, end=body.end)
    return body


def _pair(body: n.Expr) -> n.Expr:
    """`[key, value]` as the last value of a block is a pair."""
    if isinstance(body, n.Block) and body.statements and isinstance(last := body.statements[-1], n.Evaluate):
        last.value = _pair(last.value)
    elif isinstance(body, n.ListOf) and len(body.items) == 2:
        return n.TupleOf(body.items, start=body.start, end=body.end)
    return body


def _numbered(call: n.Expr, owner: n.Member, values: list[n.Expr], closure: n.Lambda) -> n.Expr | None:
    """`xs.map.with_index(1) { |x, i| … }`, `xs.each_with_index.map { … }` has its own form."""
    if owner.name not in _NUMBERING or len(values) > 1:
        return None
    item, place = closure.parameters
    closure.parameters = [n.TuplePattern([place, item], start=item.start, end=place.end)]
    source = _method(call, owner.object, "chars") if owner.name == "each_char" else owner.object
    name = "for_each" if owner.name in ("each", "each_with_index", "each_char") else owner.name
    if name == "filter_map":
        closure.body = _optional(closure.body)
    if name in ("select", "reject"):
        return None
    return _method(call, _method(call, source, "enumerate", *values), name, closure)


def _translated(call: n.Call, owner: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr | None:
    """`s.tr("a-c", "x")`: sign by sign, the last one for those that have no counterpart."""
    assert isinstance(old, n.Literal)
    assert isinstance(new, n.Literal)
    before, after = _signs(old.text[1:-1]), _signs(new.text[1:-1])
    if before is None or not after or (len(before) == 1 and len(after) == 1):
        return None
    after += after[-1] * (len(before) - len(after))
    texts = [n.Literal("string", f'"{text}"', start=call.start, end=call.end) for text in (before, after)]
    return _method(call, owner, "translate_signs", *texts)


def _signs(text: str) -> str | None:
    """The signs that a text of `tr` stands for; None for one that is not read."""
    if text[:1] == "^" or "\\" in text:
        return None
    signs, at = "", 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            signs += "".join(map(chr, range(ord(text[at]), ord(text[at + 2]) + 1)))
            at += 3
        else:
            signs += text[at]
            at += 1
    return signs

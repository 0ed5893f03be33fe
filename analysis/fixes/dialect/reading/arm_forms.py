"""Arms that say in another form what a pattern says here: texts with a known beginning, numbers that may not be any."""

from __future__ import annotations

from copy import deepcopy

from analysis.fixes.dialect.tree import nodes as n


def behind_prefix(rest: n.Pattern, prefix: n.Pattern, body: n.Expr) -> tuple[n.Pattern, n.Expr, n.Expr]:
    """`"hi " <> name -> …`: a pattern with a condition, and a body that begins with the rest of the text."""
    assert isinstance(prefix, n.LiteralPattern)
    start, end = prefix.start, prefix.end
    name = f"text_{start}"
    own = n.Name(name, start=start, end=end)
    begins = n.Call(
        n.Member(own, "starts_with", start=start, end=end), [n.Argument(deepcopy(prefix.value))], start=start, end=end
    )
    if isinstance(rest, n.Wildcard):
        return n.Binding(name, start=start, end=end), begins, body
    length = n.Call(n.Member(deepcopy(prefix.value), "len", start=start, end=end), [], start=start, end=end)
    left = n.Call(n.Member(deepcopy(own), "drop", start=start, end=end), [n.Argument(length)], start=start, end=end)
    statements = body.statements if isinstance(body, n.Block) else [n.Evaluate(body, start=body.start, end=body.end)]
    whole = n.Block([n.Let(rest, None, left, start=start, end=end), *statements], start=start, end=body.end)
    return n.Binding(name, start=start, end=end), begins, whole


def tried_number(value: n.Expr) -> n.Expr | None:
    """`Int32.TryParse s`: the number in a text, as an Option; None for any other value."""
    function = value.function if isinstance(value, n.Call) and len(value.arguments) == 1 else None
    if not isinstance(value, n.Call) or not isinstance(function, n.Member) or function.name.lower() != "tryparse":
        return None
    owner = function.object.name if isinstance(function.object, (n.Name, n.Member)) else ""
    word = "to_float" if owner.lower() in ("double", "float", "decimal", "single") else "to_int"
    member = n.Member(value.arguments[0].value, word, start=value.start, end=value.end)
    return n.Call(member, [], start=value.start, end=value.end)


def option_pattern(pattern: n.Pattern) -> n.Pattern:
    """`true, n` and `false, _` as patterns of an Option."""
    parts = pattern.items if isinstance(pattern, n.TuplePattern) else []
    first = parts[0] if len(parts) == 2 else None
    if not isinstance(first, n.LiteralPattern) or not isinstance(first.value, n.Literal):
        return pattern
    if first.value.text == "true":
        return n.VariantPattern("", "Some", [parts[1]], start=pattern.start, end=pattern.end)
    return n.VariantPattern("", "None", start=pattern.start, end=pattern.end)

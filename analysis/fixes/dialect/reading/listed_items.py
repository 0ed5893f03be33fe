"""Contents of list brackets: items, a repeated item, comprehensions with several loops, numbers in steps."""

from __future__ import annotations

from copy import deepcopy

from analysis.fixes.dialect.tree import nodes as n


def is_item(first: n.Expr, second: n.Expr) -> bool:
    """True if what stands behind a semicolon in a list is another item, not how often the first one is there."""
    if isinstance(second, n.Literal):
        return second.kind not in ("int",)
    if isinstance(second, (n.Interpolated, n.ListOf, n.TupleOf, n.RecordOf, n.Lambda, n.If, n.Match)):
        return True
    return isinstance(first, (n.Call, n.Member)) and type(first) is type(second)


def is_nested_loop(node: n.Expr) -> bool:
    """True if a value is a comprehension of several loops."""
    return (
        isinstance(node, n.Call)
        and isinstance(node.function, n.Member)
        and node.function.name == "flatten"
        and isinstance(node.function.object, n.Comprehension)
    )


def stepped(items: list[n.Expr]) -> n.Expr | None:
    """`[1, 3 .. 9]`: the numbers from the first one on, by the difference to the second; None for another list."""
    if len(items) != 2 or not isinstance(items[1], n.Range) or items[1].low is None or items[1].high is None:
        return None
    first, then, last = items[0], items[1].low, items[1].high
    step = n.Binary("-", then, deepcopy(first), start=then.start, end=then.end)
    member = n.Member(first, "counted_by", start=first.start, end=last.end)
    return n.Call(member, [n.Argument(step), n.Argument(last)], start=first.start, end=last.end)


def sliced_backward(whole: n.Expr, first: n.Expr | None, last: n.Expr | None, step: n.Expr) -> n.Expr | None:
    """`xs[5:2:-1]`: the items from the first place down to the last one, left out; None for places that only a run knows."""
    high = None if first is None or _is_last(first) else _behind(first)
    low = None if last is None or _is_last(last) else _behind(last)
    is_known = (high is None) == (first is None or _is_last(first)) and (low is None) == (last is None)
    if not is_known or not isinstance(step, n.Literal):
        return None
    part = whole if low is None and high is None else n.Slice(whole, low, high, start=whole.start, end=whole.end)
    turned = n.Call(n.Member(part, "reversed"), [])
    return turned if step.text == "1" else n.Call(n.Member(turned, "step_by"), [n.Argument(step)])


def _is_last(place: n.Expr) -> bool:
    """True for `-1`, the place of the last item."""
    return isinstance(place, n.Unary) and isinstance(place.operand, n.Literal) and place.operand.text == "1"


def _behind(place: n.Expr) -> n.Expr | None:
    """The place behind a constant one, or behind a variable that counts from the beginning."""
    start, end = place.start, place.end
    match place:
        case n.Literal(kind="int", text=text):
            return n.Literal("int", str(int(text) + 1), start=start, end=end)
        case n.Unary(operator="-", operand=n.Literal(kind="int", text=text)):
            return n.Unary("-", n.Literal("int", str(int(text) - 1), start=start, end=end), start=start, end=end)
        case n.Name():
            return n.Binary("+", place, n.Literal("int", "1", start=start, end=end), start=start, end=end)
    return None

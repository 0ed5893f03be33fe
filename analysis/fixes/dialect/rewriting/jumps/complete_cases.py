"""Functions that end with a `switch` whose cases all return: what no case names cannot come, as the types of TypeScript say."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.tree.walking import ends_in_jump


def settle_complete_cases(items: list[n.Item]) -> None:
    """Makes a program stop where a function would end without its value."""
    functions = [item for item in items if isinstance(item, n.Function)]
    functions += [each for item in items if isinstance(item, n.Implementation) for each in item.functions]
    for function in functions:
        last = function.body.statements[-1] if function.body.statements else None
        match = last.value if isinstance(last, n.Evaluate) else None
        if isinstance(match, n.Match) and function.result is not None and head(function.result) not in ("", "Unit"):
            _complete(match)


def _complete(match: n.Match) -> None:
    rest = match.arms[-1] if match.arms else None
    if rest is None or not isinstance(rest.pattern, n.Wildcard) or not isinstance(rest.body, n.Block) or rest.body.statements:
        return
    if all(_leaves(arm.body) for arm in match.arms[:-1]):
        end = match.end
        reason = n.Argument(n.Literal("string", '"no case fits"', start=end, end=end))
        rest.body = n.Call(n.Name("panic", start=end, end=end), [reason], start=end, end=end)


def _leaves(body: n.Expr) -> bool:
    return isinstance(body, n.Jump) or (isinstance(body, n.Block) and ends_in_jump(body))

"""Lists of Results as two lists: `partitionEithers`, `result.partition`, and the like, where the names of both tell the order."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_MODULES: Final = ("result", "Result", "Either", "results", "Results", "List", "list", "Validation")
_NAMES: Final = frozenset(
    "partitionEithers partition_eithers partitionResults partition_results partitionResult partition_result partitionMap "
    "separate".split()
)
_ERRORS: Final = frozenset(
    "bad bads err errs error errors fail failed fails failure failures left lefts invalid invalids wrong broken rejected "
    "problems".split()
)
_VALUES: Final = frozenset(
    "good goods ok oks right rights valid valids value values success successes succeeded passed parsed accepted".split()
)


def settle_partitions(items: list[n.Item]) -> None:
    """Calls that part a list of Results by what they give first."""
    declared = {item.name for item in items if isinstance(item, n.Function)}
    for item in items:
        for node in walk(item) if isinstance(item, n.Function) else ():
            if isinstance(node, n.Let) and isinstance(node.pattern, n.TuplePattern) and node.value is not None:
                _settle(node.value, _names(node.pattern), declared)


def _names(pattern: n.TuplePattern) -> list[str]:
    return [part.name.lower().split("_")[0] if isinstance(part, n.Binding) else "" for part in pattern.items]


def _settle(value: n.Expr, names: list[str], declared: set[str]) -> None:
    function = value.function if isinstance(value, (n.Call, n.Piped)) else None
    called = function.function if isinstance(function, n.Call) and not function.arguments else function
    word = _word(called, declared)
    if not word or len(names) != 2:
        return
    if word == "gleam":
        method = "oks_and_errors_reversed"
    elif names[0] in _ERRORS or names[1] in _VALUES or word == "partitionEithers":
        method = "errors_and_oks"
    elif names[0] in _VALUES or names[1] in _ERRORS:
        method = "oks_and_errors"
    else:
        return
    if isinstance(value, n.Piped):
        member = n.Member(n.Name("List"), method, start=value.start, end=value.end)
        value.function = n.Call(member, [], start=value.start, end=value.end)
    elif isinstance(value, n.Call) and len(value.arguments) == 1:
        value.function = n.Member(value.arguments[0].value, method, start=value.start, end=value.end)
        value.arguments = []


def _word(function: n.Expr | None, declared: set[str]) -> str:
    """The word of a function that parts a list of Results; "" for another one."""
    if isinstance(function, n.Name):
        return function.name if function.name in _NAMES - declared else ""
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name) or function.object.name not in _MODULES:
        return ""
    if function.name == "partition" and function.object.name.lower() in ("result", "results"):
        return "gleam" if function.object.name == "result" else "partition"
    return function.name if function.name in _NAMES else ""

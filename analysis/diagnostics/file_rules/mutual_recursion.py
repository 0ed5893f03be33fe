"""W505 and W602 for functions that always call each other: a rule about one function sees only those that call themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import Final, NamedTuple

from analysis.database import Database, checkpoint, paced, query
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import CALL, FUNCTION, FileContext, Problem
from analysis.diagnostics.rules.both_sides import nested_fix, right_sides
from analysis.inputs import FILE, FileId
from analysis.semantics.summary import CertainlyCalling, block_certain
from analysis.syntax import tree as t
from analysis.syntax.block_answers import of_blocks
from analysis.text.edits import Fix, Span

_MOST_NAMED: Final = 4
"""Functions of a circle that a message names."""


class Circles(NamedTuple):
    """Functions that certainly lead back to themselves through others: circles of them in order of their names.

    `endless` are those of calls that everybody sees, `both_sides` the calls in right sides of `&&` and `||` that close a circle,
    as pairs of caller and callee.
    """

    endless: tuple[tuple[str, ...], ...] = ()
    both_sides: tuple[tuple[str, str], ...] = ()


def mutual_recursion_problems(context: FileContext) -> Iterator[Problem]:
    """One problem for each circle, and one for each call in a right side."""
    circles = file_circles(context.db, context.file)
    if not circles.endless and not circles.both_sides:
        return
    places = {
        function.name: Place(chunk, FUNCTION, number)
        for chunk, fact in enumerate(paced(context.facts))
        for number, function in enumerate(fact.functions)
    }
    for circle in circles.endless:
        members = sorted((name for name in circle if name in places), key=places.__getitem__)
        message = f"{_listed(members)} always call each other"
        help = "add a branch to one of them that returns without such a call"
        why = "the call depth is limited: it ends with `stack overflow (max 256)`"
        yield Problem("W505", places[members[0]], message, help, why)
    for caller, callee in circles.both_sides:
        if caller in places:
            message = f"this call of '{callee}' is made even if the left side decides, and '{callee}' calls '{caller}' again"
            help = "write it with `if`, which evaluates one branch only"
            why = "both sides of `&&` and `||` are always evaluated: the recursion never ends"
            yield Problem("W602", places[caller]._replace(kind=CALL, member=callee), message, help, why)


def _listed(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(quoted)} and {len(names) - _MOST_NAMED} more functions"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


@query(subject=FILE)
def file_circles(db: Database, file: FileId) -> Circles:
    """The circles of a file: equal after most edits, so that the rules about the file are not asked again."""
    # Who calls nobody is on no circle: that are nearly all functions of a large file.
    calling = {row.name: row for rows in paced(_blocks_certain(db, file)) for chunk in rows for row in chunk if row.all}
    anyway = _circles({name: row.all for name, row in calling.items()})
    if not anyway:
        return Circles()
    endless = _circles({name: row.plain for name, row in calling.items()})
    return Circles(tuple(endless), tuple(_closing_calls(calling, anyway, frozenset().union(*endless))))


@query(subject=FILE)
def _blocks_certain(db: Database, file: FileId) -> tuple[tuple[tuple[CertainlyCalling, ...], ...], ...]:
    """What a file's functions certainly call, block by block: an edit that changes no block leaves the value equal."""
    return tuple(of_blocks(db, file, block_certain))


def _closing_calls(
    calling: Mapping[str, CertainlyCalling], circles: list[tuple[str, ...]], endless: Set[str]
) -> Iterator[tuple[str, str]]:
    for circle in circles:
        if endless.isdisjoint(circle):
            for name in circle:
                for callee in sorted((calling[name].all - calling[name].plain).intersection(circle)):
                    yield name, callee


def _circles(calls: Mapping[str, Set[str]]) -> list[tuple[str, ...]]:
    """Groups of two or more functions each of which leads to all others."""
    within = _leading_on(calls)
    return [tuple(sorted(group)) for group in _components(within) if len(group) > 1] if within else []


def _leading_on(calls: Mapping[str, Set[str]]) -> dict[str, Set[str]]:
    """The functions from which calls lead to a circle, and what they call: none in most files."""
    within: dict[str, Set[str]] = {name: called & calls.keys() for name, called in paced(calls.items(), 1_000)}
    callers: defaultdict[str, list[str]] = defaultdict(list)
    for name, called in paced(within.items(), 1_000):
        for callee in called:
            callers[callee].append(name)
    left = {name: len(called) for name, called in paced(within.items(), 1_000)}
    done = [name for name, count in paced(left.items(), 1_000) if not count]
    for name in paced(_popping(done), 1_000):
        del within[name]
        for caller in callers[name]:
            left[caller] -= 1
            if not left[caller]:
                done.append(caller)
    return within


def _components(calls: Mapping[str, Set[str]]) -> Iterator[list[str]]:
    """Strongly connected components (Tarjan)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: list[str] = []
    is_open: set[str] = set()
    for root in paced(calls, 1_000):
        waiting: list[tuple[str, Iterator[str]]] = [] if root in order else [(root, iter(sorted(calls[root])))]
        while waiting:
            checkpoint()
            name, following = waiting[-1]
            if name not in order:
                order[name] = lowest[name] = len(order)
                open_names.append(name)
                is_open.add(name)
            for callee in following:
                if callee in is_open:
                    lowest[name] = min(lowest[name], order[callee])
                elif callee in calls and callee not in order:
                    waiting.append((callee, iter(sorted(calls[callee]))))
                    break
            else:
                waiting.pop()
                if waiting:
                    lowest[waiting[-1][0]] = min(lowest[waiting[-1][0]], lowest[name])
                if lowest[name] == order[name]:
                    group = _popped(open_names, name)
                    is_open.difference_update(group)
                    yield group


def _popping(names: list[str]) -> Iterator[str]:
    """The names from the end of a list, which may grow meanwhile."""
    while names:
        yield names.pop()


def _popped(names: list[str], last: str) -> list[str]:
    """The names at the end of a list, up to one of them."""
    group = [names.pop()]
    while group[-1] != last:
        group.append(names.pop())
    return group


def both_sides_fixes(chunk: str, item: t.Item, span: Span, problem: Problem) -> tuple[Fix, ...]:
    """Writes the condition around the call as an `if`."""
    if not isinstance(item, t.Function):
        return ()
    around = [node for node, right in right_sides(item.body) if right.start <= span[0] < right.end]
    return nested_fix(chunk, around[-1]) if around else ()

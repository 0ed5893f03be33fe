"""The functions that a body certainly calls, whatever its values: a function that leads back to itself that way never ends.

`&&` and `||` evaluate both sides, so a call on the right side of one is certain, too; authors who take the left side for a
condition do not see that. Both are told apart, because they are different mistakes: W505 and W602.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from analysis.database import checkpoint, paced
from analysis.syntax import tree as t

_DEEPEST: Final = 60
"""Nested nodes that are looked at; what is deeper is taken for one that may return."""
_OFTEN: Final = 500
"""Nodes between two checkpoints."""
_NONE: Final[frozenset[str]] = frozenset()
_WITHOUT_PARTS: Final = frozenset((t.Name, t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral, t.Spawn))
"""Nodes that call nothing: `spawn` only names what another actor does."""


class CertainCalls(NamedTuple):
    """Names of functions that are called whenever a node is evaluated.

    `plain` leaves out the right sides of `&&` and `||`, `all` does not. After `may_return` nothing is certain.
    """

    plain: frozenset[str] = _NONE
    all: frozenset[str] = _NONE
    may_return: bool = False


_NO_CALLS: Final = CertainCalls()
_UNKNOWN: Final = CertainCalls(may_return=True)


def certain_calls(body: t.Block, uses: Mapping[int, int]) -> CertainCalls:
    """The certain calls of a body; `uses` are its names that mean locals, by place."""
    return certain_calls_in(body, uses)


def certain_calls_in(node: t.Node, uses: Mapping[int, int]) -> CertainCalls:
    """The certain calls of a part of a body."""
    return _Walker(uses).of(node, 0)


class _Walker:
    def __init__(self, uses: Mapping[int, int]) -> None:
        self._uses = uses

    def of(self, node: t.Node | None, depth: int) -> CertainCalls:
        if node is None:
            return _NO_CALLS
        if depth > _DEEPEST:
            return _UNKNOWN
        # Most nodes are one of these.
        if type(node) in _WITHOUT_PARTS:
            return _NO_CALLS
        deeper = depth + 1
        match node:
            case t.Binary():
                return self._chain(node, deeper)
            case t.Block(statements=statements):
                return self._in_order(statements, deeper)
            case t.If(condition=condition, then_block=then_block, else_block=else_block):
                return self._branches(condition, (then_block, else_block), deeper)
            case t.Match(value=value, arms=arms):
                return self._branches(value, tuple([arm.body for arm in paced(arms, 1_000)]), deeper)
            case t.While(condition=first, body=body) | t.For(iterable=first, body=body):
                before = self.of(first, deeper)
                return before._replace(may_return=before.may_return or self.of(body, deeper).may_return)
            case t.Call(callee=t.Name(name=name, start=start), arguments=arguments):
                before = self._in_order(arguments, deeper)
                if before.may_return or start in self._uses:
                    return before
                return CertainCalls(before.plain | {name}, before.all | {name})
            case t.Return(value=value):
                return self.of(value, deeper)._replace(may_return=True)
        return self._in_order(t.children(node), deeper)

    def _in_order(self, nodes: Sequence[t.Node], depth: int) -> CertainCalls:
        plain: set[str] = set()
        anyway: set[str] = set()
        may_return = False
        for node in paced(nodes, _OFTEN):
            calls = self.of(node, depth)
            plain |= calls.plain
            anyway |= calls.all
            if may_return := calls.may_return:
                break
        return _calls(plain, anyway, may_return)

    def _branches(self, first: t.Node, branches: tuple[t.Node | None, ...], depth: int) -> CertainCalls:
        before = self.of(first, depth)
        if before.may_return or not branches:
            return before
        first_branch, *others = branches
        plain, anyway, may_return = self.of(first_branch, depth)
        for branch in paced(others, _OFTEN):
            calls = self.of(branch, depth)
            plain &= calls.plain
            anyway &= calls.all
            may_return = may_return or calls.may_return
        return CertainCalls(before.plain | plain, before.all | anyway, may_return)

    def _chain(self, node: t.Binary, depth: int) -> CertainCalls:
        # Chains lean to the left and can be thousands long.
        spine = [node]
        while isinstance(inner := spine[-1].left, t.Binary):
            if len(spine) % 1_000 == 0:
                checkpoint()
            spine.append(inner)
        first = self.of(spine[-1].left, depth)
        plain, anyway, may_return = set(first.plain), set(first.all), first.may_return
        for part in paced(reversed(spine), 1_000):
            if may_return:
                break
            right = self.of(part.right, depth)
            if part.operator not in ("&&", "||"):
                plain |= right.plain
            anyway |= right.all
            may_return = right.may_return
        return _calls(plain, anyway, may_return)


def _calls(plain: set[str], anyway: set[str], may_return: bool) -> CertainCalls:
    if not anyway:
        return _UNKNOWN if may_return else _NO_CALLS
    return CertainCalls(frozenset(plain), frozenset(anyway), may_return)

"""`try` with what catches, and `throw`, as the tree holds them until they become Results."""

from __future__ import annotations

from dataclasses import dataclass, field

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children, ends_in_jump, walk


@dataclass(eq=False)
class Attempt(n.Expr):
    """`try { body } catch (name) { handler }`."""

    body: n.Block
    name: str
    handler: n.Block
    kinds: tuple[str, ...] = ()
    """The classes that are caught; none where all are."""
    others: list[Clause] = field(default_factory=list)
    """Handlers of other classes."""
    failed: dict[str, n.Block] = field(default_factory=dict)
    """Handlers of failing ML library functions, by exception name; "" for any."""
    otherwise: n.Block | None = None
    """Block that runs after the body if nothing was thrown; exceptions in it are not caught."""

    def of_failure(self, name: str) -> Attempt:
        """The attempt with what catches an exception of the library."""
        block = self.failed.get(name, self.failed.get(""))
        if block is None:
            return self
        return Attempt(self.body, "", block, self.kinds, start=self.start, end=self.end)


@dataclass(eq=False)
class Clause(n.Node):
    """`except ValueError as name: handler` behind another one."""

    kinds: tuple[str, ...]
    name: str
    handler: n.Block


@dataclass(eq=False)
class Thrown(n.Jump):
    """`throw Type("…")`: `value` is its message."""

    type_name: str = ""


def follow_attempts(function: n.Function) -> None:
    """Puts what follows a `try` behind its body where only the body gives a value to a variable that is used there."""
    first: dict[str, int] = {part.name: function.start for part in function.parameters}
    for node in walk(function.body):
        if isinstance(node, (n.Name, n.Binding)):
            first[node.name] = min(first.get(node.name, node.start), node.start)
    waiting: list[n.Node] = [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, n.Block):
            _follow(node, first)
        waiting += children(node)


def _follow(block: n.Block, first: dict[str, int]) -> None:
    for place, statement in enumerate(block.statements):
        attempt = statement.value if isinstance(statement, n.Evaluate) else None
        rest = block.statements[place + 1 :]
        if not isinstance(attempt, Attempt) or attempt.otherwise is not None or not rest:
            continue
        if not all(ends_in_jump(handler) for handler in (attempt.handler, *(each.handler for each in attempt.others))):
            continue
        declared = {
            each.target.name
            for each in attempt.body.statements
            if isinstance(each, n.Assign) and isinstance(each.target, n.Name) and first[each.target.name] >= attempt.start
        }
        if any(isinstance(node, n.Name) and node.name in declared for each in rest for node in walk(each)):
            attempt.otherwise = n.Block(rest, start=rest[0].start, end=rest[-1].end)
            del block.statements[place + 1 :]
            return

"""Every name in a chunk and what it stands for inside its item (spec chapter 04 section 3.2, chapter 26 S10, S11, S13).

`resolved` is a query keyed by a chunk's text alone: it finds the local declaration of each value name and leaves the
others `GLOBAL`, for `ide/name_meanings.py` to look up in the file and its libraries. Whose field or variant a name is depends
on types that other chunks declare: inference tells (`infer`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.database import Database, checkpoint, discard, paced, paced_sorted, query
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import GLOBAL, RESULT, Local, LocalKind, Occurrence, Resolved, Space, Use
from analysis.semantics.tools.call_syntax import is_path, method_of
from analysis.semantics.tools.modules import module_path
from analysis.syntax import tree as t
from analysis.syntax.lexer import IDENT
from analysis.syntax.parser import ChunkTree

_MANY: Final = 2_000
"""Names from which what was needed to find them is freed piece by piece."""
_OFTEN: Final = 500
"""Steps of a walk between two looks at whether to stop."""
_VALUE, _TYPE, _READ, _DECLARATION, _VARIABLE = Space.VALUE, Space.TYPE, Use.READ, Use.DECLARATION, LocalKind.VARIABLE
"""By names of their own, which are found faster than members of an enumeration."""
_LITERALS: Final = frozenset((t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral))
"""Expressions that name nothing."""


@query(limit=20_000, subject=CHUNK)
def resolved(db: Database, text: str) -> Resolved:
    """All names of a chunk."""
    return resolve(chunk_tree(db, text))


def resolve(tree: ChunkTree) -> Resolved:
    """All names of a chunk's tree."""
    walker = _Walker(tree)
    for item in tree.items:
        walker.item(item)
    starts = [occurrence.start for occurrence in paced(walker.occurrences, _OFTEN)]
    # By place; they are nearly in order. One sort of all objects would block other threads for too long.
    order = paced_sorted(range(len(starts)), starts.__getitem__)
    occurrences = tuple([walker.occurrences[index] for index in paced(order)])
    uses = {
        occurrence.start: occurrence.local
        for occurrence in paced(occurrences)
        if occurrence.space is _VALUE and occurrence.local != GLOBAL
    }
    names = Resolved(occurrences, walker.locals, [starts[index] for index in paced(order)], uses, frozenset(walker.inner))
    if len(starts) > _MANY:
        discard(walker)
    return names


@dataclass(slots=True)
class _Walker:
    """Walks items with a stack of its own: what is on it is a node to visit or a thing to do."""

    tree: ChunkTree
    occurrences: list[Occurrence] = field(default_factory=list)
    locals: dict[int, Local] = field(default_factory=dict)
    scope: dict[str, int] = field(default_factory=dict)
    hidden: list[tuple[str, int | None]] = field(default_factory=list)
    """Previous meanings that the names of the open scopes hide, in order of declaration."""
    owner: str = ""
    level: int = 0
    until: int = 0
    """End of the innermost open scope."""
    in_inner: frozenset[str] = frozenset()
    """In an `ensures` clause, the names that only inner blocks of the body bind."""
    inner: list[int] = field(default_factory=list)
    todo: list[t.Node | Callable[[], None]] = field(default_factory=list)

    # ---- items --------------------------------------------------------------------------------------------------

    def item(self, item: t.Item) -> None:
        match item:
            case t.Function():
                self.add(item.at, item.name, Space.VALUE, Use.DECLARATION)
                self.function(item)
            case t.Record():
                self.add(item.at, item.name, Space.TYPE, Use.DECLARATION)
                for member in paced(item.fields):
                    self.add(member.start, member.name, Space.FIELD, Use.DECLARATION, owner=item.name)
                    self.run(member.type)
            case t.Enum():
                self.add(item.at, item.name, Space.TYPE, Use.DECLARATION)
                for variant in paced(item.variants):
                    self.add(variant.start, variant.name, Space.VARIANT, Use.DECLARATION, owner=item.name)
                    if variant.payload:
                        self.run(variant.payload)
            case t.Import(form="mcp"):
                self.occurrences.append(
                    Occurrence(item.at, item.end, module_path(item.name), Space.TOOL, Use.IMPORT, GLOBAL, None)
                )
            case t.Import():
                self.add(item.at, item.name, Space.LIBRARY, Use.IMPORT)
            case t.Module():
                self.add(item.at, item.name, Space.MODULE, Use.DECLARATION)

    def function(self, item: t.Function) -> None:
        self.scope, self.hidden, self.owner, self.level, self.until = {}, [], item.name, 0, item.end
        for parameter in paced(item.parameters):
            held = t.type_text(parameter.type)
            self.declare(parameter.name, parameter.start, LocalKind.PARAMETER, False, held, parameter, item.start)
            self.run(parameter.type)
        if item.result:
            self.run(item.result)
        for capability in item.capabilities:
            self.occurrences.append(
                Occurrence(capability.start, capability.end, capability.name, Space.CAPABILITY, Use.READ, GLOBAL, None)
            )
        for clause in paced(item.requires):
            self.run(clause)
        before = len(self.locals)
        self.until = item.body.end
        for statement in paced(item.body.statements):
            self.run(statement)
        if item.ensures:
            # A clause sees every name that the body binds anywhere, those that are in scope at its end first.
            anywhere = {local.name: local.at for local in list(self.locals.values())[before:]}
            self.in_inner = frozenset(anywhere.keys() - self.scope.keys() - {"result"})
            self.scope, self.hidden = {**anywhere, **self.scope, "result": RESULT}, []
            for clause in paced(item.ensures):
                self.until = clause.end
                self.run(clause)
            self.in_inner = frozenset()

    # ---- bookkeeping --------------------------------------------------------------------------------------------

    def add(self, at: int, name: str, space: Space, use: Use, local: int = GLOBAL, owner: str | None = None) -> None:
        self.occurrences.append(Occurrence(at, at + len(name), name, space, use, local, owner))

    def declare(self, name: str, at: int, kind: LocalKind, mutable: bool, declared: str | None, node: t.Node, since: int) -> None:
        """A local that can be named from `since` on until the innermost scope ends."""
        before = self.scope.get(name, GLOBAL)
        outer = self.locals.get(before)
        is_again = outer is not None and outer.level == self.level and outer.visible[1] == self.until
        if is_again and outer is not None:
            before = outer.hides
        elif outer is not None and (outer.level == self.level or not outer.is_visible(at)):
            # The body may redeclare a parameter; in `ensures` that name is no outer name.
            before = GLOBAL
        self.locals[at] = Local(
            name, at, kind, mutable, declared, node.start, node.end, self.owner, (since, self.until), self.level, before, is_again
        )
        self.add(at, name, _VALUE, _DECLARATION, at)
        self.hidden.append((name, self.scope.get(name)))
        self.scope[name] = at

    def open_scope(self, until: int) -> Callable[[], None]:
        """Begins a scope; returns the step that ends it."""
        depth, outer = len(self.hidden), self.until
        self.level, self.until = self.level + 1, until

        def close() -> None:
            while len(self.hidden) > depth:
                name, before = self.hidden.pop()
                if before is None:
                    del self.scope[name]
                else:
                    self.scope[name] = before
            self.level, self.until = self.level - 1, outer

        return close

    def run(self, node: t.Node) -> None:
        todo, count, visits = self.todo, 0, _VISITS
        todo.append(node)
        while todo:
            next_one = todo.pop()
            count += 1
            if count % _OFTEN == 0:
                checkpoint()
            visit = visits.get(type(next_one))
            if visit is not None:
                visit(self, next_one)
            elif isinstance(next_one, t.Node):
                todo += t.children(next_one)[::-1]
            else:
                next_one()

    def plan(self, *steps: t.Node | Callable[[], None] | None) -> None:
        """Puts steps before all pending ones, in this order."""
        self.todo += [step for step in reversed(steps) if step is not None]

    # ---- statements ---------------------------------------------------------------------------------------------

    def let(self, node: t.Let) -> None:
        if node.type is None and type(node.value) in _LITERALS:
            self.declare_variable(node)
        else:
            self.plan(node.type, node.value, partial(self.declare_variable, node))

    def declare_variable(self, node: t.Let) -> None:
        declared = t.type_text(node.type) if node.type else None
        self.declare(node.name, node.at, _VARIABLE, node.mutable, declared, node, node.end)

    def assign(self, node: t.Assign) -> None:
        self.value(node.at, node.name, Use.WRITE)
        self.plan(node.value)

    def for_loop(self, node: t.For) -> None:
        def begin() -> None:
            close = self.open_scope(node.end)
            header = t.Node(node.start, node.iterable.end)
            self.declare(node.name, node.at, LocalKind.LOOP, False, None, header, node.body.start)
            self.plan(node.body, close)

        self.plan(node.iterable, begin)

    def block(self, node: t.Block) -> None:
        self.plan(*node.statements, self.open_scope(node.end))

    # ---- expressions --------------------------------------------------------------------------------------------

    def value(self, at: int, name: str, use: Use) -> None:
        local = self.scope.get(name, GLOBAL)
        # What the clause itself binds stands before the body.
        if name in self.in_inner and local > at:
            self.inner.append(at)
        self.add(at, name, _VALUE, use, local)

    def name(self, node: t.Name) -> None:
        if is_path(node.name):
            self.occurrences.append(Occurrence(node.start, node.end, node.name, Space.TOOL, Use.READ, GLOBAL, None))
            return
        self.value(node.start, node.name, _READ)

    def call(self, node: t.Call) -> None:
        callee = method_of(node)
        if callee is not None:
            self.plan(callee.object, lambda: self.add(callee.at, callee.name, Space.FIELD, Use.CALL))
        elif isinstance(node.callee, t.Name) and not is_path(node.callee.name):
            self.value(node.callee.start, node.callee.name, Use.CALL)
            self.plan(*node.arguments)
        else:
            self.plan(node.callee, *node.arguments)

    def field_access(self, node: t.FieldAccess) -> None:
        self.plan(node.object, lambda: self.add(node.at, node.name, Space.FIELD, Use.READ))

    def record(self, node: t.RecordLiteral) -> None:
        self.add(node.start, node.name, Space.TYPE, Use.CONSTRUCT)
        for written in paced(node.fields):
            self.add(written.start, written.name, Space.FIELD, Use.WRITE, owner=node.name)
        self.plan(node.spread, *paced([written.value for written in node.fields]))

    def variant(self, node: t.VariantLiteral) -> None:
        self.add(node.start, node.enum, Space.TYPE, Use.READ)
        self.add(node.at, node.variant, Space.VARIANT, Use.CONSTRUCT, owner=node.enum)
        self.plan(node.payload)

    def match(self, node: t.Match) -> None:
        self.plan(node.value, partial(self.next_arm, iter(node.arms)))

    def next_arm(self, arms: Iterator[t.Arm]) -> None:
        # A function within `match` would refer to itself, and keep all names of the chunk until cycles are looked for.
        arm = next(arms, None)
        if arm is not None:
            close = self.open_scope(arm.end)
            self.pattern(arm.pattern, arm.body.start)
            self.plan(arm.body, close, partial(self.next_arm, arms))

    def pattern(self, pattern: t.Pattern, since: int) -> None:
        inner: t.Pattern | None = pattern
        while inner is not None:
            match inner:
                case t.NamePattern(name=name):
                    self.declare(name, inner.start, LocalKind.BINDING, False, None, pattern, since)
                    return
                case t.WrapPattern():
                    inner = inner.inner
                case t.VariantPattern(name=name):
                    self.add(inner.start, name, Space.VARIANT, Use.MATCH)
                    inner = inner.payload
                case _:
                    return

    def type(self, node: t.TypeExpr) -> None:
        self.add(node.start, node.name, Space.GENERIC if node.arguments else _TYPE, _READ)
        if node.arguments:
            self.plan(*node.arguments)

    def unreadable(self, node: t.ErrorExpr) -> None:
        """The names in a statement that could not be parsed, as far as their neighbours tell what they are."""
        tokens = self.tree.tokens
        index = bisect_right(tokens.starts, node.start - 1)
        # A missing word has no width, and neither has a missing value behind one.
        while node.start < node.end and index < len(tokens.kinds) - 1 and tokens.ends[index] <= node.end:
            if index % _OFTEN == 0:
                checkpoint()
            if tokens.kinds[index] == IDENT:
                before = tokens.kinds[index - 1] if index else ""
                self.unreadable_name(tokens.starts[index], tokens.word(index), before, tokens.kinds[index + 1], node)
            index += 1

    def unreadable_name(self, at: int, name: str, before: str, after: str, node: t.ErrorExpr) -> None:
        if before in ("let", "mut", "for"):
            kind = LocalKind.LOOP if before == "for" else LocalKind.VARIABLE
            self.declare(name, at, kind, before == "mut", None, node, node.end + 1)
        elif before == ".":
            self.add(at, name, Space.FIELD, Use.READ)
        elif before == "::":
            self.add(at, name, Space.VARIANT, Use.CONSTRUCT)
        elif after == "::":
            self.add(at, name, Space.TYPE, Use.READ)
        elif "A" <= name[:1] <= "Z" and name not in self.scope:
            # A name that could be a type, a variant or a misspelt word is not recorded.
            if after == "{":
                self.add(at, name, Space.TYPE, Use.CONSTRUCT)
        elif after != ":" or name in self.scope:
            self.value(at, name, Use.CALL if after == "(" else Use.READ)


_VISITS: Final[dict[type[Any], Callable[..., None]]] = {
    t.Let: _Walker.let,
    t.Assign: _Walker.assign,
    t.For: _Walker.for_loop,
    t.Block: _Walker.block,
    t.Name: _Walker.name,
    t.Call: _Walker.call,
    t.FieldAccess: _Walker.field_access,
    t.RecordLiteral: _Walker.record,
    t.VariantLiteral: _Walker.variant,
    t.Match: _Walker.match,
    t.TypeExpr: _Walker.type,
    t.ErrorExpr: _Walker.unreadable,
}

"""Every name in a chunk and what it stands for inside its item (spec chapter 04 section 3.2, chapter 26 S10, S11, S13).

`resolved` is a query keyed by a chunk's text alone: it finds the local declaration of each value name and leaves the
others `GLOBAL`, for `ide/names.py` to look up in the file and its libraries. Whose field or variant a name is depends
on types that other chunks declare; so it is kept as an `Origin`, a recipe for the type that `ide/types.py` follows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from analysis import tree as t
from analysis.database import Database, query
from analysis.declarations import chunk_tree
from analysis.lexer import IDENT
from analysis.occurrences import GLOBAL, RESULT, Local, LocalKind, Occurrence, Origin, Resolved, Space, Step, Use
from analysis.parser import ChunkTree

_MAX_STEPS: Final = 24
"""Longest recipe for a type; beyond it nobody knows the type by heart either."""


@query(limit=20_000)
def resolved(db: Database, text: str) -> Resolved:
    """All names of a chunk."""
    return resolve(chunk_tree(db, text))


def resolve(tree: ChunkTree) -> Resolved:
    """All names of a chunk's tree."""
    walker = _Walker(tree)
    for item in tree.items:
        walker.item(item)
    occurrences = tuple(sorted(walker.found, key=lambda occurrence: occurrence.start))
    return Resolved(occurrences, walker.locals, [occurrence.start for occurrence in occurrences])


def _then(step: Step, base: Origin | None, name: str = "") -> Origin | None:
    if base is None or base.length >= _MAX_STEPS:
        return None
    return Origin(step, name, base, length=base.length + 1)


def _declared(declared: t.TypeExpr | None) -> Origin | None:
    return Origin(Step.DECLARED, type=declared) if declared else None


@dataclass(slots=True)
class _Walker:
    """Walks items with a stack of its own: what is on it is a node to visit or a thing to do."""

    tree: ChunkTree
    found: list[Occurrence] = field(default_factory=list)
    locals: dict[int, Local] = field(default_factory=dict)
    scope: dict[str, int] = field(default_factory=dict)
    hidden: list[tuple[str, int | None]] = field(default_factory=list)
    """What the names of the open scopes hid, in order of declaration."""
    bound: dict[int, int] = field(default_factory=dict)
    """The local that a name expression stands for, by where it starts."""
    origins: dict[int, Origin | None] = field(default_factory=dict)
    """Origins of postfix expressions by identity, so that a chain of them is followed once."""
    todo: list[t.Node | Callable[[], None]] = field(default_factory=list)

    # ---- items --------------------------------------------------------------------------------------------------

    def item(self, item: t.Item) -> None:
        match item:
            case t.Function():
                self.add(item.at, item.name, Space.VALUE, Use.DECLARATION)
                self.function(item)
            case t.Record():
                self.add(item.at, item.name, Space.TYPE, Use.DECLARATION)
                for member in item.fields:
                    owner = Origin(Step.NAMED, item.name)
                    self.add(member.start, member.name, Space.FIELD, Use.DECLARATION, owner=owner)
                    self.run(member.type)
            case t.Enum():
                self.add(item.at, item.name, Space.TYPE, Use.DECLARATION)
                for variant in item.variants:
                    owner = Origin(Step.NAMED, item.name)
                    self.add(variant.start, variant.name, Space.VARIANT, Use.DECLARATION, owner=owner)
                    if variant.payload:
                        self.run(variant.payload)
            case t.Import(form="mcp"):
                pass
            case t.Import():
                self.add(item.at, item.name, Space.LIBRARY, Use.IMPORT)
            case t.Module():
                self.add(item.at, item.name, Space.MODULE, Use.DECLARATION)

    def function(self, item: t.Function) -> None:
        self.scope, self.hidden = {}, []
        for parameter in item.parameters:
            self.declare(parameter.name, parameter.start, LocalKind.PARAMETER, False, _declared(parameter.type), parameter)
            self.run(parameter.type)
        if item.result:
            self.run(item.result)
        for capability in item.capabilities:
            self.found.append(
                Occurrence(capability.start, capability.end, capability.name, Space.CAPABILITY, Use.READ, GLOBAL, None)
            )
        for clause in item.requires:
            self.run(clause)
        before = len(self.locals)
        for statement in item.body.statements:
            self.run(statement)
        if item.ensures:
            # A clause sees every name that the body binds anywhere, those that are in scope at its end first.
            anywhere = {local.name: local.at for local in list(self.locals.values())[before:]}
            self.scope = {**anywhere, **self.scope, "result": RESULT}
            for clause in item.ensures:
                self.run(clause)

    # ---- bookkeeping --------------------------------------------------------------------------------------------

    def add(self, at: int, name: str, space: Space, use: Use, local: int = GLOBAL, owner: Origin | None = None) -> None:
        self.found.append(Occurrence(at, at + len(name), name, space, use, local, owner))

    def declare(self, name: str, at: int, kind: LocalKind, mutable: bool, origin: Origin | None, node: t.Node) -> None:
        self.locals[at] = Local(name, at, kind, mutable, origin, node.start, node.end)
        self.add(at, name, Space.VALUE, Use.DECLARATION, at)
        self.hidden.append((name, self.scope.get(name)))
        self.scope[name] = at

    def close_scope(self) -> Callable[[], None]:
        """What ends the scope that begins now."""
        depth = len(self.hidden)

        def close() -> None:
            while len(self.hidden) > depth:
                name, before = self.hidden.pop()
                if before is None:
                    del self.scope[name]
                else:
                    self.scope[name] = before

        return close

    def run(self, node: t.Node) -> None:
        todo = self.todo
        todo.append(node)
        while todo:
            next_one = todo.pop()
            if isinstance(next_one, t.Node):
                visit = _VISITS.get(type(next_one))
                if visit is None:
                    todo.extend(reversed(t.children(next_one)))
                else:
                    visit(self, next_one)
            else:
                next_one()

    def plan(self, *steps: t.Node | Callable[[], None] | None) -> None:
        """Puts steps before everything that is still to do, in this order."""
        self.todo.extend(step for step in reversed(steps) if step is not None)

    # ---- statements ---------------------------------------------------------------------------------------------

    def let(self, node: t.Let) -> None:
        def declare() -> None:
            origin = _declared(node.type) or self.origin(node.value)
            self.declare(node.name, node.at, LocalKind.VARIABLE, node.mutable, origin, node)

        self.plan(node.type, node.value, declare)

    def assign(self, node: t.Assign) -> None:
        self.value(node.at, node.name, Use.WRITE)
        self.plan(node.value)

    def for_loop(self, node: t.For) -> None:
        def begin() -> None:
            close = self.close_scope()
            header = t.Node(node.start, node.iterable.end)
            origin = _then(Step.ITEM, self.origin(node.iterable))
            self.declare(node.name, node.at, LocalKind.LOOP, False, origin, header)
            self.plan(node.body, close)

        self.plan(node.iterable, begin)

    def block(self, node: t.Block) -> None:
        self.plan(*node.statements, self.close_scope())

    # ---- expressions --------------------------------------------------------------------------------------------

    def value(self, at: int, name: str, use: Use) -> None:
        local = self.scope.get(name, GLOBAL)
        self.bound[at] = local
        self.add(at, name, Space.VALUE, use, local)

    def name(self, node: t.Name) -> None:
        self.value(node.start, node.name, Use.READ)

    def call(self, node: t.Call) -> None:
        if isinstance(node.callee, t.Name):
            self.value(node.callee.start, node.callee.name, Use.CALL)
            self.plan(*node.arguments)
        else:
            self.plan(node.callee, *node.arguments)

    def field_access(self, node: t.FieldAccess) -> None:
        def access() -> None:
            self.add(node.at, node.name, Space.FIELD, Use.READ, owner=self.origin(node.object))

        self.plan(node.object, access)

    def record(self, node: t.RecordLiteral) -> None:
        self.add(node.start, node.name, Space.TYPE, Use.CONSTRUCT)
        owner = Origin(Step.NAMED, node.name)
        for written in node.fields:
            self.add(written.start, written.name, Space.FIELD, Use.WRITE, owner=owner)
        self.plan(node.spread, *(written.value for written in node.fields))

    def variant(self, node: t.VariantLiteral) -> None:
        self.add(node.start, node.enum, Space.TYPE, Use.READ)
        self.add(node.at, node.variant, Space.VARIANT, Use.CONSTRUCT, owner=Origin(Step.NAMED, node.enum))
        self.plan(node.payload)

    def match(self, node: t.Match) -> None:
        def arms() -> None:
            names = tuple(arm.pattern.name for arm in node.arms if isinstance(arm.pattern, t.VariantPattern))
            base = self.origin(node.value)
            owner = Origin(Step.MATCHED, base=base, names=names, length=base.length if base else 1)
            self.plan(*(self.arm(arm, owner) for arm in node.arms))

        self.plan(node.value, arms)

    def arm(self, arm: t.Arm, owner: Origin) -> Callable[[], None]:
        def visit() -> None:
            close = self.close_scope()
            self.pattern(arm.pattern, owner)
            self.plan(arm.body, close)

        return visit

    def pattern(self, pattern: t.Pattern, owner: Origin | None) -> None:
        inner: t.Pattern | None = pattern
        while inner is not None:
            match inner:
                case t.NamePattern(name=name):
                    self.declare(name, inner.start, LocalKind.BINDING, False, owner, pattern)
                    return
                case t.WrapPattern(kind=kind):
                    owner = _then(Step.UNWRAP, owner, kind)
                    inner = inner.inner
                case t.VariantPattern(name=name):
                    self.add(inner.start, name, Space.VARIANT, Use.MATCH, owner=owner)
                    owner = _then(Step.PAYLOAD, owner, name)
                    inner = inner.payload
                case _:
                    return

    def type(self, node: t.TypeExpr) -> None:
        space = Space.GENERIC if node.arguments else Space.TYPE
        self.add(node.start, node.name, space, Use.READ)
        self.plan(*node.arguments)

    def unreadable(self, node: t.ErrorExpr) -> None:
        """The names in a statement that could not be parsed, as far as their neighbours tell what they are."""
        tokens = self.tree.tokens
        index = bisect_right(tokens.starts, node.start - 1)
        while index < len(tokens.kinds) and tokens.ends[index] <= node.end and tokens.starts[index] < node.end:
            if tokens.kinds[index] == IDENT:
                before = tokens.kinds[index - 1] if index else ""
                self.unreadable_name(tokens.starts[index], tokens.word(index), before, tokens.kinds[index + 1], node)
            index += 1

    def unreadable_name(self, at: int, name: str, before: str, after: str, node: t.ErrorExpr) -> None:
        if before in ("let", "mut", "for"):
            kind = LocalKind.LOOP if before == "for" else LocalKind.VARIABLE
            self.declare(name, at, kind, before == "mut", None, node)
        elif before == ".":
            self.add(at, name, Space.FIELD, Use.READ)
        elif before == "::":
            self.add(at, name, Space.VARIANT, Use.CONSTRUCT)
        elif after == "::":
            self.add(at, name, Space.TYPE, Use.READ)
        elif "A" <= name[0] <= "Z" and name not in self.scope:
            # Nothing is said of a name that could be a type, a variant or a misspelt word.
            if after == "{":
                self.add(at, name, Space.TYPE, Use.CONSTRUCT)
        elif after != ":" or name in self.scope:
            self.value(at, name, Use.CALL if after == "(" else Use.READ)

    # ---- origins ------------------------------------------------------------------------------------------------

    def origin(self, node: t.Node) -> Origin | None:
        """How to find the type of an expression that was walked."""
        match node:
            case t.Name(name=name):
                local = self.locals.get(self.bound.get(node.start, GLOBAL))
                return local.origin if local else None
            case t.IntLiteral():
                return Origin(Step.NAMED, "Int")
            case t.FloatLiteral():
                return Origin(Step.NAMED, "Float")
            case t.StringLiteral() | t.Binary(operator="++"):
                return Origin(Step.NAMED, "String")
            case t.BoolLiteral() | t.Binary(operator="==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"):
                return Origin(Step.NAMED, "Bool")
            case t.RecordLiteral(name=name) | t.VariantLiteral(enum=name):
                return Origin(Step.NAMED, name)
            case t.Call() | t.FieldAccess():
                if id(node) not in self.origins:
                    self.origins[id(node)] = self.postfix_origin(node)
                return self.origins[id(node)]
            case t.ListLiteral(items=items):
                return _then(Step.LIST, self.origin(items[0])) if items else None
            case t.Wrap(kind="Some", operand=operand):
                return _then(Step.SOME, self.origin(operand))
            case t.If(then_block=t.Block(statements=[*_, last])) | t.Block(statements=[*_, last]):
                return self.origin(last)
            case t.Match(arms=[first, *_]):
                return self.origin(first.body)
        return None

    def postfix_origin(self, node: t.Call | t.FieldAccess) -> Origin | None:
        if isinstance(node, t.FieldAccess):
            return _then(Step.FIELD, self.origin(node.object), node.name)
        callee = node.callee
        if isinstance(callee, t.Name) and self.bound.get(callee.start, GLOBAL) == GLOBAL:
            base = self.origin(node.arguments[0]) if node.arguments else None
            return _then(Step.CALL, base, callee.name) or Origin(Step.CALL, callee.name)
        return _then(Step.APPLY, self.origin(callee))


_VISITS: Final[dict[type[t.Node], Callable[..., None]]] = {
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

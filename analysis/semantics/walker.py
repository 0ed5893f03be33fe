"""One walk over an item's tree: uses of locals and of outer names, matches, field accesses.

The walk depends on the text alone; rules judge what it collects against the scope of the item. Which local a name means is
told by `scopes.resolved`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.database import checkpoint, paced
from analysis.semantics.leaving import leaves
from analysis.semantics.occurrences import GLOBAL, RESULT, LocalKind, Resolved
from analysis.semantics.tools.call_syntax import METHOD, as_call, is_path, may_be_module, method_of, path_of
from analysis.semantics.uses import (
    ROLE_ASSIGN,
    ROLE_CALL,
    ROLE_CONTRACT,
    ROLE_SPAWN,
    ROLE_VALUE,
    Local,
    MatchUse,
    NameUse,
    Summary,
    ToolUse,
    TypeUse,
)
from analysis.syntax.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Emit,
    Enum,
    Expr,
    FieldAccess,
    For,
    Function,
    If,
    Item,
    Let,
    ListLiteral,
    Match,
    Name,
    NamePattern,
    Node,
    Pattern,
    Record,
    RecordLiteral,
    Return,
    Send,
    Spawn,
    TypeExpr,
    Unary,
    VariantLiteral,
    VariantPattern,
    While,
    Wrap,
    WrapPattern,
)

_OFTEN: Final = 500
"""Expressions between two looks at whether to stop."""


class Walker:
    """Walks one item; `used` collects the outer names that it uses."""

    def __init__(self, into: Summary, names: Resolved) -> None:
        self._count = 0
        self._into = into
        self._declared = names.locals
        self._uses = names.uses
        self._locals: dict[int, Local] = {}
        self._contract = False
        self._ensures = False
        self._read_by_ensures: set[str] = set()
        """Names of the body's own block, and of parameters: an early `return` is judged by what they mean there."""
        self._inner_read: set[int] = set()
        """Declarations of locals of the body's inner blocks that `ensures` clauses read."""
        self.used: set[str] = set()

    def item(self, item: Item) -> None:
        match item:
            case Function():
                self._function(item)
            case Record(fields=fields):
                for declared in paced(fields):
                    self._type(declared.type)
            case Enum(variants=variants):
                for variant in paced(variants):
                    self._type(variant.payload)

    # ---- functions, locals --------------------------------------------------------------------------------------

    def _function(self, node: Function) -> None:
        for parameter in paced(node.parameters):
            self._type(parameter.type)
            self._declare(parameter.start)
        if node.name == "update" and len(node.parameters) == 2:
            # In an application the framework makes the message.
            self._into.protocol.update(("init", "view"))
        self._type(node.result)
        self._contract = True
        for clause in node.requires:
            self._expr(clause)
        self._ensures = True
        for clause in node.ensures:
            self._expr(clause)
        self._contract = self._ensures = False
        for parameter in node.parameters:
            self._locals[parameter.start].reads += parameter.name in self._read_by_ensures
        self._block(node.body)

    def _declare(self, at: int) -> None:
        variable = self._declared[at]
        reads = int(at in self._inner_read or (variable.level == 0 and variable.name in self._read_by_ensures))
        local = Local(variable, -1 if variable.is_again else variable.hides, reads)
        self._into.locals.append(local)
        self._locals[at] = local

    def _read(self, at: int) -> bool:
        """True if the name at an offset means a local; counts a read of it."""
        declared = self._uses.get(at, GLOBAL)
        if declared == GLOBAL:
            return False
        local = self._locals.get(declared)
        if local is not None:
            local.reads += 1
        if self._ensures and declared != RESULT:
            variable = self._declared[declared]
            if variable.level == 0:
                self._read_by_ensures.add(variable.name)
            else:
                self._inner_read.add(declared)
            if local is None:
                self.used.add(variable.name)
        return True

    def _type(self, node: TypeExpr | None) -> None:
        if node is None:
            return
        if node.is_named:
            # Builtin names count, too: a program may define a type of that name.
            self._into.types.append(TypeUse(node.name, node.start, node.end))
            self.used.add(node.name)
            return
        for argument in node.arguments:
            self._type(argument)

    # ---- statements ---------------------------------------------------------------------------------------------

    def _block(self, node: Block) -> None:
        final, is_left = len(node.statements) - 1, False
        for index, statement in enumerate(node.statements):
            self._statement(statement)
            if not is_left and index < final and leaves(statement):
                is_left = True
                self._into.unreachable.append((node.statements[index + 1], node.statements[-1]))

    def _statement(self, node: Node) -> None:
        match node:
            case Let():
                self._expr(node.value)
                self._type(node.type)
                self._declare(node.at)
            case Assign(name=name, at=at, value=value):
                declared = self._uses.get(at, GLOBAL)
                if declared == GLOBAL:
                    self._use(NameUse(name, at, at + len(name), ROLE_ASSIGN))
                elif declared in self._locals:
                    self._locals[declared].writes.append(at)
                self._expr(value)
            case Return(value=value):
                if value is not None:
                    self._expr(value)
            case While(condition=condition, body=body):
                self._expr(condition)
                self._block(body)
            case For(at=at, iterable=iterable, body=body):
                self._expr(iterable)
                self._declare(at)
                self._block(body)
            case Expr():
                self._expr(node)

    # ---- expressions ----------------------------------------------------------------------------------------------

    def _use(self, use: NameUse) -> None:
        if self._contract and use.role == ROLE_VALUE:
            use = use._replace(role=ROLE_CONTRACT)
        self._into.names.append(use)
        self.used.add(use.name)

    def _expr(self, node: Expr) -> None:
        self._count += 1
        if self._count % _OFTEN == 0:
            checkpoint()
        walk = _WALKS.get(type(node))
        if walk:
            walk(self, node)

    def _name(self, node: Name) -> None:
        if is_path(node.name):
            self._tool(ToolUse(node.name, node.start, node.end, None))
            return
        if not self._read(node.start):
            self._use(NameUse(node.name, node.start, node.end, ROLE_VALUE))

    def _binary(self, node: Binary) -> None:
        # Chains lean to the left and can be thousands long: down the spine in a loop.
        spine: list[Binary] = [node]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
            if not len(spine) % _OFTEN:
                checkpoint()
        self._expr(spine[-1].left)
        for part in reversed(spine):
            self._expr(part.right)

    def _unary(self, node: Unary) -> None:
        self._expr(node.operand)

    def _operand(self, node: Wrap | Emit) -> None:
        self._expr(node.operand)

    def _call(self, node: Call) -> None:
        callee = node.callee
        if isinstance(callee, Name) and is_path(callee.name):
            self._tool(ToolUse(callee.name, callee.start, callee.end, node))
        elif isinstance(callee, Name) and self._uses.get(callee.start, GLOBAL) == GLOBAL:
            self._use(NameUse(callee.name, callee.start, callee.end, ROLE_CALL, len(node.arguments), node))
        else:
            if len(node.arguments) > 255:
                self._into.indirect_calls.append(node)
            self._expr(callee)
            if isinstance(callee, Name):
                # It may hide a function of that name.
                self._into.protocol.add(callee.name)
            if (method := method_of(node)) is not None:
                self._tool(ToolUse(METHOD + method.name, method.at, method.at + len(method.name), node))
        for argument in node.arguments:
            self._expr(argument)

    def _tool(self, use: ToolUse) -> None:
        self._into.tools.append(use)
        self.used.add(use.name)

    def _field(self, node: FieldAccess) -> None:
        self._expr(node.object)
        self._into.accesses.append(node)
        self.used.add(node.name)

    def _if(self, node: If) -> None:
        self._expr(node.condition)
        self._block(node.then_block)
        if node.else_block:
            self._block(node.else_block)

    def _match(self, node: Match) -> None:
        self._expr(node.value)
        parameter = None
        if isinstance(node.value, Name):
            local = self._declared.get(self._uses.get(node.value.start, GLOBAL))
            if local is not None and local.kind is LocalKind.PARAMETER:
                parameter = local.declared
        if not self._contract:
            self._into.matches.append(MatchUse(node, parameter))
        for arm in node.arms:
            self._bind(arm.pattern)
            self._expr(arm.body)

    def _bind(self, pattern: Pattern) -> None:
        while True:
            match pattern:
                case NamePattern():
                    self._declare(pattern.start)
                    return
                case WrapPattern(inner=inner):
                    pattern = inner
                case VariantPattern(name=name, payload=payload):
                    self.used.add(name)
                    if payload is None:
                        return
                    pattern = payload
                case _:
                    return

    def _record(self, node: RecordLiteral) -> None:
        self._into.records.append(node)
        self.used.add(node.name)
        if node.spread is not None:
            self._expr(node.spread)
        for given in node.fields:
            self.used.add(given.name)
            self._expr(given.value)

    def _variant(self, node: VariantLiteral) -> None:
        self._into.variants.append(node)
        if may_be_module(node.enum):
            self._tool(ToolUse(path_of(node), node.start, node.at + len(node.variant), as_call(node), True))
        self.used.update((node.enum, node.variant))
        if node.payload is not None:
            self._expr(node.payload)

    def _list(self, node: ListLiteral) -> None:
        if len(node.items) > 255:
            self._into.lists.append(node)
        for item in node.items:
            self._expr(item)

    def _spawn(self, node: Spawn) -> None:
        self._into.spawns.append(node)
        name = node.operand
        if not isinstance(name, Name):
            self._expr(name)
            return
        # It takes functions only: no local hides them.
        self._read(name.start)
        self._into.names.append(NameUse(name.name, name.start, name.end, ROLE_SPAWN))
        self.used.add(name.name)

    def _send(self, node: Send) -> None:
        self._expr(node.target)
        self._expr(node.message)


_WALKS: Final[dict[type[Expr], Callable[..., None]]] = {
    Name: Walker._name,
    Binary: Walker._binary,
    Unary: Walker._unary,
    Call: Walker._call,
    FieldAccess: Walker._field,
    Block: Walker._block,
    If: Walker._if,
    Match: Walker._match,
    RecordLiteral: Walker._record,
    VariantLiteral: Walker._variant,
    ListLiteral: Walker._list,
    Wrap: Walker._operand,
    Spawn: Walker._spawn,
    Emit: Walker._operand,
    Send: Walker._send,
}

"""One walk over an item's tree: scopes, uses of outer names, matches, field accesses.

The walk depends on the text alone; rules judge what it collects against the scope of the item.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.database import checkpoint
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
    type_text,
    walk,
)
from analysis.tools.calls import METHOD, as_call, is_path, may_be_module, method_of, path_of

_OFTEN: Final = 500
"""Expressions between two looks at whether to stop."""


class Walker:
    """Walks one item; `used` collects the outer names that it uses."""

    def __init__(self, into: Summary, owner: str) -> None:
        self._count = 0
        self._into = into
        self._owner = owner
        self._scopes: list[dict[str, Local]] = []
        self._contract = False
        self._visible_in_contract: set[str] = set()
        self._read_in_contract: set[str] = set()
        self.used: set[str] = set()

    def item(self, item: Item) -> None:
        match item:
            case Function():
                self._function(item)
            case Record(fields=fields):
                for declared in fields:
                    self._type(declared.type)
            case Enum(variants=variants):
                for variant in variants:
                    self._type(variant.payload)

    # ---- functions, scopes --------------------------------------------------------------------------------------

    def _function(self, node: Function) -> None:
        bound = _bound_names(node.body)
        scope: dict[str, Local] = {}
        self._scopes = [scope]
        for parameter in node.parameters:
            self._type(parameter.type)
            declared = type_text(parameter.type)
            local = Local(parameter.name, parameter.start, "parameter", self._owner, False, declared)
            self._into.locals.append(local)
            scope[parameter.name] = local
        if node.name == "update" and len(node.parameters) == 2:
            # In an application the framework makes the message.
            self._into.protocol.update(("init", "view"))
        self._type(node.result)
        self._contract = True
        for clause in node.requires:
            self._expr(clause)
        # The generator keeps all locals of a function in one table, and `ensures` comes behind the body.
        self._visible_in_contract = bound
        for clause in node.ensures:
            self._scopes.append({"result": Local("result", clause.start, "result", self._owner)})
            self._expr(clause)
            self._scopes.pop()
        self._contract, self._visible_in_contract = False, set()
        self._block(node.body)

    def _declare(self, local: Local) -> None:
        local.reads += local.name in self._read_in_contract
        if local.name not in self._scopes[-1]:
            outer = self._find(local.name)
            # The body's own block may begin with a name for what became of a parameter.
            is_renewed = outer is not None and outer.kind == "parameter" and len(self._scopes) == 2
            local.hides = outer.at if outer is not None and not is_renewed else -1
        self._into.locals.append(local)
        self._scopes[-1][local.name] = local

    def _find(self, name: str) -> Local | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    def _type(self, node: TypeExpr | None) -> None:
        if node is None:
            return
        if node.is_named:
            # Builtin ones, too: a program may define a type of that name.
            self._into.types.append(TypeUse(node.name, node.start, node.end))
            self.used.add(node.name)
            return
        for argument in node.arguments:
            self._type(argument)

    # ---- statements ---------------------------------------------------------------------------------------------

    def _block(self, node: Block) -> None:
        self._scopes.append({})
        final = len(node.statements) - 1
        for index, statement in enumerate(node.statements):
            self._statement(statement)
            if isinstance(statement, Return) and index < final:
                self._into.unreachable.append((node.statements[index + 1], node.statements[-1]))
        self._scopes.pop()

    def _statement(self, node: Node) -> None:
        match node:
            case Let():
                self._let(node)
            case Assign(name=name, at=at, value=value):
                local = self._find(name)
                if local is not None:
                    local.writes.append(at)
                else:
                    self._use(NameUse(name, at, at + len(name), ROLE_ASSIGN))
                self._expr(value)
            case Return(value=value):
                if value is not None:
                    self._expr(value)
            case While(condition=condition, body=body):
                self._expr(condition)
                self._block(body)
            case For(name=name, at=at, iterable=iterable, body=body):
                self._expr(iterable)
                self._scopes.append({})
                self._declare(Local(name, at, "loop", self._owner))
                self._block(body)
                self._scopes.pop()
            case Expr():
                self._expr(node)

    def _let(self, node: Let) -> None:
        self._expr(node.value)
        self._type(node.type)
        declared = type_text(node.type) if node.type else None
        self._declare(Local(node.name, node.at, "let", self._owner, node.mutable, declared))

    # ---- expressions ----------------------------------------------------------------------------------------------

    def _use(self, use: NameUse) -> None:
        if use.name in self._visible_in_contract:
            self._read_in_contract.add(use.name)
            self.used.add(use.name)
            return
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
        local = self._find(node.name)
        if local is None:
            self._use(NameUse(node.name, node.start, node.end, ROLE_VALUE))
        else:
            local.reads += 1

    def _binary(self, node: Binary) -> None:
        # Chains lean to the left and can be thousands long: down the spine in a loop.
        spine: list[Binary] = [node]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
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
        elif isinstance(callee, Name) and self._find(callee.name) is None:
            self._use(NameUse(callee.name, callee.start, callee.end, ROLE_CALL, len(node.arguments), node))
        else:
            if len(node.arguments) > 255:
                self._into.indirect_calls.append(node)
            self._expr(callee)
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
            local = self._find(node.value.name)
            if local is not None and local.kind == "parameter":
                parameter = local.declared
        if not self._contract:
            self._into.matches.append(MatchUse(node, parameter))
        for arm in node.arms:
            self._scopes.append({})
            self._bind(arm.pattern)
            self._expr(arm.body)
            self._scopes.pop()

    def _bind(self, pattern: Pattern) -> None:
        while True:
            match pattern:
                case NamePattern(name=name):
                    self._declare(Local(name, pattern.start, "pattern", self._owner))
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
        local = self._find(name.name)
        if local is not None:
            local.reads += 1
        self._into.names.append(NameUse(name.name, name.start, name.end, ROLE_SPAWN))
        self.used.add(name.name)

    def _send(self, node: Send) -> None:
        self._expr(node.target)
        self._expr(node.message)


def _bound_names(body: Block) -> set[str]:
    """The names that are bound anywhere in a body."""
    bound: set[str] = set()
    for node in walk(body):
        match node:
            case Let(name=name) | For(name=name) | NamePattern(name=name):
                bound.add(name)
    return bound


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

"""One walk over an item's tree: scopes, uses of outer names, and what is known of types by looking.

The walk depends on the text alone; `rules/` judges what it collects against the environment. What type an expression has
`expression_types` says, once the walk has found the locals that its names stand for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.semantics.expression_types import ExpressionTypes, shown_type
from analysis.semantics.spelling import bindings
from analysis.semantics.type_recipes import (
    ARITHMETIC,
    Flow,
    Type,
    call_of,
    element_of,
    flow_of,
    message_of,
    operator_of,
    payload_of,
)
from analysis.semantics.uses import (
    ROLE_ASSIGN,
    ROLE_CALL,
    ROLE_CONTRACT,
    ROLE_SPAWN,
    ROLE_VALUE,
    AccessUse,
    CallUse,
    ConditionUse,
    LetUse,
    Local,
    MatchUse,
    NameUse,
    OperatorUse,
    Summary,
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
    children,
    type_text,
)


class Walker:
    """Walks one item; `used` collects the outer names that it uses."""

    def __init__(self, into: Summary, owner: str) -> None:
        self._into = into
        self._owner = owner
        self._scopes: list[dict[str, Local]] = []
        self._bound: dict[int, Local] = {}
        """The locals that names stand for, by where the names start."""
        self._types = ExpressionTypes(self._bound)
        self._assigned: set[str] = set()
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
        self._assigned, bound = _assigned_names(node.body)
        scope: dict[str, Local] = {}
        self._scopes = [scope]
        for number, parameter in enumerate(node.parameters, 1):
            self._type(parameter.type)
            declared = type_text(parameter.type)
            is_message = node.name == "update" and number == len(node.parameters) == 2
            hint: Type = declared if parameter.type.is_named else None
            held = self._held(parameter.name, message_of(declared) if is_message else declared)
            hint = self._held(parameter.name, hint)
            local = Local(parameter.name, parameter.start, "parameter", self._owner, False, declared, held, hint)
            self._into.locals.append(local)
            scope[parameter.name] = local
        self._type(node.result)
        self._contract = True
        for clause in node.requires:
            self._expr(clause)
        # The generator keeps all locals of a function in one table, and `ensures` comes behind the body.
        self._visible_in_contract = bound
        result = type_text(node.result) if node.result else None
        for clause in node.ensures:
            self._scopes.append({"result": Local("result", clause.start, "result", self._owner, type=result)})
            self._expr(clause)
            self._scopes.pop()
        self._contract, self._visible_in_contract = False, set()
        self._block(node.body, result)

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

    def _block(self, node: Block, expected: str | None = None) -> None:
        self._scopes.append({})
        final = len(node.statements) - 1
        for index, statement in enumerate(node.statements):
            self._statement(statement, expected if index == final else None)
            if isinstance(statement, Return) and index < final:
                self._into.unreachable.append((node.statements[index + 1], node.statements[-1]))
        self._scopes.pop()

    def _statement(self, node: Node, expected: str | None) -> None:
        match node:
            case Let():
                self._let(node)
            case Assign(name=name, at=at, value=value):
                local = self._find(name)
                if local is not None:
                    local.writes.append(at)
                else:
                    self._use(NameUse(name, at, at + len(name), ROLE_ASSIGN))
                if local is not None and isinstance(local.hint, Flow):
                    local.hint.assigned.append(self._hint(value))
                self._expr(value)
                if local is not None and isinstance(local.type, Flow):
                    local.type.assigned.append(self._types.of(value))
            case Return(value=value):
                if value is not None:
                    self._expr(value, expected)
            case While(condition=condition, body=body):
                self._condition(condition, "while")
                self._block(body)
            case For(name=name, at=at, iterable=iterable, body=body):
                self._expr(iterable)
                kept = self._held(name, element_of(self._types.of(iterable)))
                self._scopes.append({})
                self._declare(Local(name, at, "loop", self._owner, type=kept))
                self._block(body)
                self._scopes.pop()
            case Expr():
                self._expr(node, expected)

    def _let(self, node: Let) -> None:
        hint = self._hint(node.value)
        declared = type_text(node.type) if node.type else None
        self._expr(node.value, declared)
        if node.type is not None:
            self._type(node.type)
            if node.type.is_named and hint is not None and declared is not None:
                self._into.lets.append(LetUse(node, declared, hint))
        kept = declared if node.type is not None and node.type.is_named else hint
        held = self._held(node.name, declared if declared is not None else self._types.of(node.value))
        kept = self._held(node.name, kept)
        self._declare(Local(node.name, node.at, "let", self._owner, node.mutable, declared, held, kept))

    def _held(self, name: str, first: Type) -> Type:
        """The type of a name that begins with a value of type `first`."""
        return flow_of(first) if name in self._assigned else first

    def _condition(self, node: Expr, keyword: str) -> None:
        self._expr(node)
        held = self._types.of(node)
        if held is not None:
            self._into.conditions.append(ConditionUse(node, held, keyword))

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

    def _expr(self, node: Expr, expected: str | None = None) -> None:
        walk = _WALKS.get(type(node))
        if walk:
            walk(self, node, expected)

    def _find_bound(self, node: Name) -> Local | None:
        local = self._find(node.name)
        if local is not None:
            self._bound[node.start] = local
        return local

    def _name(self, node: Name, expected: str | None) -> None:
        local = self._find_bound(node)
        if local is None:
            self._use(NameUse(node.name, node.start, node.end, ROLE_VALUE))
        else:
            local.reads += 1

    def _binary(self, node: Binary, expected: str | None) -> None:
        # Chains lean to the left and can be thousands long: down the spine in a loop.
        spine: list[Binary] = [node]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        self._expr(spine[-1].left)
        for part in reversed(spine):
            self._expr(part.right)
        chain = tuple(spine)
        left = self._types.of(spine[-1].left)
        for part in reversed(spine):
            right = self._types.of(part.right)
            if not _fit(part.operator, left, right):
                self._into.operators.append(OperatorUse(part, left, right, chain))
            left = operator_of(part.operator, left, right)

    def _unary(self, node: Unary, expected: str | None) -> None:
        self._expr(node.operand)
        held = self._types.of(node.operand)
        if node.operator == "-" and held is not None and held not in _NUMBERS:
            self._into.operators.append(OperatorUse(node, None, held))

    def _operand(self, node: Wrap | Emit, expected: str | None) -> None:
        self._expr(node.operand)

    def _call(self, node: Call, expected: str | None) -> None:
        callee = node.callee
        if isinstance(callee, Name) and self._find(callee.name) is None:
            hints = tuple(map(self._hint, node.arguments))
            self._use(NameUse(callee.name, callee.start, callee.end, ROLE_CALL, len(node.arguments), node))
            if not self._contract and any(hint is not None for hint in hints):
                self._into.calls.append(CallUse(callee.name, node, hints))
        else:
            if len(node.arguments) > 255:
                self._into.indirect_calls.append(node)
            self._expr(callee)
        for argument in node.arguments:
            self._expr(argument)

    def _field(self, node: FieldAccess, expected: str | None) -> None:
        self._expr(node.object)
        self._into.accesses.append(AccessUse(node, self._types.of(node.object)))
        self.used.add(node.name)

    def _if(self, node: If, expected: str | None) -> None:
        self._condition(node.condition, "if")
        self._block(node.then_block, expected)
        if node.else_block:
            self._block(node.else_block, expected)

    def _match(self, node: Match, expected: str | None) -> None:
        self._expr(node.value)
        held = self._types.of(node.value)
        parameter = None
        if isinstance(node.value, Name):
            local = self._find(node.value.name)
            if local is not None and local.kind == "parameter" and local.hint is not None:
                parameter = local.declared
        if not self._contract:
            self._into.matches.append(MatchUse(node, held, parameter, expected))
        for arm in node.arms:
            self._scopes.append({})
            self._bind(arm.pattern, held)
            self._expr(arm.body, expected)
            self._scopes.pop()

    def _bind(self, pattern: Pattern, held: Type) -> None:
        while True:
            match pattern:
                case NamePattern(name=name):
                    self._declare(Local(name, pattern.start, "pattern", self._owner, type=self._held(name, held)))
                    return
                case WrapPattern(kind=kind, inner=inner):
                    pattern, held = inner, payload_of(held, kind)
                case VariantPattern(name=name, payload=payload):
                    self.used.add(name)
                    if payload is None:
                        return
                    pattern, held = payload, payload_of(held, name)
                case _:
                    return

    def _record(self, node: RecordLiteral, expected: str | None) -> None:
        self._into.records.append(node)
        self.used.add(node.name)
        if node.spread is not None:
            self._expr(node.spread)
        for given in node.fields:
            self.used.add(given.name)
            self._expr(given.value)

    def _variant(self, node: VariantLiteral, expected: str | None) -> None:
        self._into.variants.append(node)
        self.used.update((node.enum, node.variant))
        if node.payload is not None:
            self._expr(node.payload)

    def _list(self, node: ListLiteral, expected: str | None) -> None:
        if len(node.items) > 255:
            self._into.lists.append(node)
        for item in node.items:
            self._expr(item)

    def _spawn(self, node: Spawn, expected: str | None) -> None:
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

    def _send(self, node: Send, expected: str | None) -> None:
        self._expr(node.target)
        self._expr(node.message)

    # ---- hints ----------------------------------------------------------------------------------------------------

    def _hint(self, node: Expr) -> Type:
        """The type name that can be told without thinking (chapter 04 section 4.4)."""
        match node:
            case Name(name=name):
                local = self._find(name)
                return local.hint if local is not None else None
            case Call(callee=Name(name=name)) if self._find(name) is None:
                return call_of(name)
        return shown_type(node)


def _assigned_names(body: Block) -> tuple[set[str], set[str]]:
    """The names that are assigned, and those that are bound, anywhere in a body."""
    assigned: set[str] = set()
    bound: set[str] = set()
    stack: list[Node] = [body]
    while stack:
        node = stack.pop()
        match node:
            case Assign(name=name, value=value):
                assigned.add(name)
                stack.append(value)
            case Let(name=name, value=value):
                bound.add(name)
                stack.append(value)
            case For(name=name, iterable=iterable, body=inner):
                bound.add(name)
                stack += (iterable, inner)
            case Match(value=value, arms=arms):
                stack.append(value)
                for arm in arms:
                    bound.update(bindings(arm.pattern))
                    stack.append(arm.body)
            case _:
                stack += children(node)
    return assigned, bound


_NUMBERS: Final = ("Int", "Float")
_TAKEN: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(ARITHMETIC, _NUMBERS),
    "%": ("Int",),
    "++": ("String",),
    "&&": ("Bool",),
    "||": ("Bool",),
}
"""What operators take that look at each of their operands by itself."""


def _fit(operator: str, left: Type, right: Type) -> bool:
    """Whether it can be told here that the operands of an operator are fine, or that nothing is known of them."""
    taken = _TAKEN.get(operator)
    if taken is not None:
        return (left is None or left in taken) and (right is None or right in taken)
    if left is None or right is None:
        return True
    return left == right and (operator in ("==", "!=") or left in (*_NUMBERS, "String"))


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

"""Bidirectional inference over one item: `synth` tells the type of an expression, `check` compares it with what is wanted.

A local that is assigned has the join of all its values. What a value assigned to it has can depend on the local itself, so the
body is walked again until nothing changes; after `_MOST_PASSES` what still changes is unknown. Each pass is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from analysis.database import checkpoint
from analysis.semantics import ty
from analysis.semantics.infer import call_types, list_types, pattern_types
from analysis.semantics.infer.operator_types import binary, is_evaluated_whole, unary
from analysis.semantics.infer.result import Access, Branches, Condition, Inference, Mismatch, Payload, Role, Want
from analysis.semantics.infer.scope_types import MESSAGE_FIELDS, ScopeTypes
from analysis.semantics.occurrences import GLOBAL, RESULT
from analysis.semantics.tools.call_syntax import as_call, path_of
from analysis.semantics.ty import BOOL, NEVER, UNIT, UNKNOWN, Ty
from analysis.syntax import tree as t
from analysis.syntax.node import REGION

_MOST_PASSES: Final = 6
_DEEPEST: Final = 400
"""Levels of an item that are looked at; the types of one that nests deeper stay unknown."""
_OFTEN: Final = 512
"""Expressions between two looks at whether to stop."""


class TooDeep(Exception):
    """An item nests deeper than inference goes."""


class Engine:
    """Infers one item. `uses` holds where the declaration of each local stands that a name at an offset means."""

    def __init__(self, scope: ScopeTypes, uses: Mapping[int, int]) -> None:
        self.scope = scope
        self.out = Inference()
        self.join = ty.likelier if scope.likely else ty.join
        self.in_contract = False
        self.failures = 0
        """Operations, calls and accesses so far that certainly end the run where they are evaluated."""
        self._uses = uses
        self._count = 0
        self._depth = 0
        self._changed = False
        self._first: dict[int, Ty] = {}
        """Types of the locals' initial values."""
        self._assigned: dict[int, Ty] = {}
        """Types of the values assigned to locals, as far as they are known."""
        self._wanted: dict[int, Want] = {}
        """Declared types of locals with an annotation."""
        self._evident: dict[int, Ty] = {}
        """Types that the reference infers for locals, from annotations and first values."""
        self._doubtful: set[int] = set()
        """Locals that are evidently assigned values of several types."""
        self._function = ""
        self._result = UNKNOWN
        self._given: list[Ty] = []
        """Types of the values that the function returns early."""
        self._result_at: tuple[int, int] | None = None

    # ---- items ------------------------------------------------------------------------------------------------------

    def function(self, item: t.Function) -> Inference:
        """The inference of a function."""
        for number in range(_MOST_PASSES + 2):
            if number:
                self.out = Inference()
            self._changed = False
            self._pass(item)
            if not self._changed:
                break
            if number >= _MOST_PASSES:
                self._assigned = dict.fromkeys(self._assigned, UNKNOWN)
        return self.out

    def _pass(self, item: t.Function) -> None:
        self._function = item.name
        self._result = self.scope.read(t.type_text(item.result)) if item.result else UNKNOWN
        self._result_at = (item.result.start, item.result.end) if item.result else None
        for number, parameter in enumerate(item.parameters, 1):
            held = declared = self.scope.read(t.type_text(parameter.type))
            if item.name == "update" and number == len(item.parameters) == 2:
                held = self._message(held)
            span = parameter.type.start, parameter.type.end
            self._wanted[parameter.start] = Want(held, Role.ASSIGNMENT, parameter.name, "", 0, span)
            self.declare(parameter.start, held)
            self._evident[parameter.start] = declared
        self.in_contract = True
        for clause in item.requires:
            self._condition(clause, "requires")
        self.in_contract = False
        if self._result is UNIT or not self._result.is_known:
            self._given = []
            held = self.block(item.body, None, used=False)
            if item.result is None:
                self.out.results[item.at] = self._result_of(held)
        else:
            self.block(item.body, self._returned(Role.RESULT), used=True)
        self.in_contract = True
        for clause in item.ensures:
            self._condition(clause, "ensures")
        self.in_contract = False

    def _result_of(self, held: Ty) -> Ty:
        """What a function without a declared result gives: its body's value, and that of every `return`."""
        for given in self._given:
            # Also editors show a result only if all ways lead to one.
            held = ty.join(held, given)
        return held

    def _returned(self, role: Role) -> Want:
        return Want(self._result, role, self._function, "", 0, self._result_at, self._function != "main")

    def _message(self, held: Ty) -> Ty:
        """The framework makes the second argument of `update`: a record of the declared type only if that fits."""
        if self.scope.likely or not (self.scope.function("init") and self.scope.function("view")):
            return held
        fact = self.scope.record(held)
        return held if fact is not None and all(map(fact.has, MESSAGE_FIELDS)) else UNKNOWN

    # ---- locals -----------------------------------------------------------------------------------------------------

    def declare(self, at: int, held: Ty) -> None:
        """A local begins with a value of type `held`."""
        self._first[at] = held
        assigned = self._assigned.get(at)
        self.out.locals[at] = held if assigned is None else self.join(held, assigned)

    def local(self, at: int) -> Ty | None:
        """The type of the local that the name at an offset means; None for a name of something else."""
        declared = self._uses.get(at, GLOBAL)
        if declared == RESULT:
            return self._result
        if declared == GLOBAL:
            return None
        # `ensures` sees the body's locals with any of their values.
        return self.out.locals.get(declared, UNKNOWN)

    def _assign(self, node: t.Assign) -> None:
        declared = self._uses.get(node.at, GLOBAL)
        if declared in (GLOBAL, RESULT):
            self.synth(node.value)
            return
        evident, first = self.evident(node.value), self._evident.get(declared, UNKNOWN)
        if evident.is_known and first.is_known and evident is not first and declared not in self._doubtful:
            self._doubtful.add(declared)
            self._changed = True
        want, failures = self._wanted.get(declared), self.failures
        given = self.synth(node.value) if want is None else self._assigned_type(node.value, want._replace(role=Role.ASSIGNMENT))
        fails = self.failures > failures and is_evaluated_whole(node.value)
        first = self._first.get(declared, UNKNOWN)
        if want is None and not fails and given.is_known and first.is_known and first.head != given.head:
            self.out.mismatches.append(Mismatch(node.value, given, Want(first, Role.ASSIGNMENT, node.name)))
        before = self._assigned.get(declared, NEVER)
        after = before if fails else self.join(before, given)
        if after is not before:
            self._assigned[declared] = after
            self._changed = True

    def _assigned_type(self, node: t.Expr, want: Want) -> Ty:
        """The type that the value has, also if it is not the declared one: what depends on the local is judged by both."""
        given = self.check(node, want)
        refused = self.out.mismatches[-1:]
        return refused[0].given if given is UNKNOWN and refused and refused[0].node is node else given

    # ---- statements -------------------------------------------------------------------------------------------------

    def block(self, node: t.Block, want: Want | None, used: bool) -> Ty:
        """The type of a block; its last statement is checked against the wanted type."""
        ends = False
        held = UNIT
        final = len(node.statements) - 1
        for index, statement in enumerate(node.statements):
            is_last = index == final
            if isinstance(statement, t.Expr):
                held = self._tail(statement, want, used) if is_last and not ends else self.discard(statement)
                ends = ends or held is NEVER
            else:
                ends = self._statement(statement) or ends
                held = UNIT
                if is_last and want is not None and not ends:
                    held = self.lacking(statement, want)
        if final < 0 and want is not None:
            held = self.lacking(node, want)
        held = NEVER if ends else held
        self.out.note(node, held)
        return held

    def _tail(self, node: t.Expr, want: Want | None, used: bool) -> Ty:
        if want is not None:
            return self.check(node, want)
        return self.synth(node) if used else self.discard(node)

    def lacking(self, node: t.Node, want: Want) -> Ty:
        """Notes that a place has no value where one is wanted."""
        if self.scope.likely or ty.fits(UNIT, want.type):
            return UNIT
        self.out.mismatches.append(Mismatch(node, UNIT, want, missing=True))
        return UNKNOWN

    def _statement(self, node: t.Node) -> bool:
        """Infers a statement; returns whether the code behind it is unreachable."""
        match node:
            case t.Let():
                self._let(node)
            case t.Assign():
                self._assign(node)
            case t.Return(value=value):
                want = self._returned(Role.RETURN)
                if value is not None:
                    self._given.append(self.check(value, want) if self._result is not UNIT else self.synth(value))
                else:
                    self._given.append(UNIT)
                if value is None and self._result.is_known:
                    self.lacking(node, want)
                return True
            case t.While(condition=condition, body=body):
                self._condition(condition, "while")
                self.block(body, None, used=False)
                return isinstance(condition, t.BoolLiteral) and condition.value
            case t.For(at=at, iterable=iterable, body=body):
                held = self.check(iterable, Want(ty.list_of(UNKNOWN), Role.ITERABLE, node.name))
                self.declare(at, held.arguments[0] if held.head == "List" else UNKNOWN)
                self.block(body, None, used=False)
        return False

    def _let(self, node: t.Let) -> None:
        written = node.type
        if written is None:
            self._evident[node.at] = self.evident(node.value)
            self.declare(node.at, self.synth(node.value))
            return
        declared = self.scope.read(t.type_text(written))
        self._evident[node.at] = declared if written.is_named else self.evident(node.value)
        want = Want(declared, Role.LET, node.name, "", 0, (written.start, written.end))
        self._wanted[node.at] = want
        given = self.check_evident(node.value, want)
        # If the value contradicts the annotation, the intended type is unknown.
        self.declare(node.at, declared if given is not UNKNOWN or not self._is_refused(node.value) else UNKNOWN)

    def _is_refused(self, node: t.Expr) -> bool:
        last = self.out.mismatches[-1:]
        return bool(last) and node.start <= last[0].node.start and last[0].node.end <= node.end

    def _condition(self, node: t.Expr, keyword: str) -> None:
        held = self.synth(node)
        self.out.conditions.append(Condition(node, held, keyword))

    # ---- expressions ------------------------------------------------------------------------------------------------

    def synth(self, node: t.Expr) -> Ty:
        """The type of an expression whose value is used."""
        return self._typed(node, None, used=True)

    def discard(self, node: t.Expr) -> Ty:
        """The type of an expression whose value is not used."""
        return self._typed(node, None, used=False)

    def check(self, node: t.Expr, want: Want) -> Ty:
        """The type of an expression that should have a type; `UNKNOWN` if it certainly has another one, which is noted."""
        if want.type is not UNKNOWN:
            self.out.wants[node.start, node.end] = want
        return self._typed(node, want if want.type.is_known else None, used=True)

    def check_evident(self, node: t.Expr, want: Want) -> Ty:
        """As `check`, where the reference compares the names of types as well."""
        wanted = want.type
        if self.in_contract or self.scope.likely or not wanted.is_known or wanted.arguments:
            return self.check(node, want)
        evident = self.evident(node)
        if evident is wanted or not evident.is_known:
            return self.check(node, want)
        self.out.mismatches.append(Mismatch(node, evident, want, evident=True))
        self.synth(node)
        return UNKNOWN

    def evident(self, node: t.Expr) -> Ty:
        """The type that the reference reads off an expression's form (chapter 04 section 4.4)."""
        literal = _LITERALS.get(type(node))
        if literal is not None:
            return literal
        if isinstance(node, t.Name):
            declared = self._uses.get(node.start, GLOBAL)
            return UNKNOWN if declared == GLOBAL or declared in self._doubtful else self._evident.get(declared, UNKNOWN)
        if isinstance(node, t.Call):
            callee = node.callee
            if not isinstance(callee, t.Name) or self._uses.get(callee.start, GLOBAL) != GLOBAL:
                return UNKNOWN
            fact, held = self.scope.function(callee.name), self.scope.signature(callee.name)
            result = held.arguments[-1] if held is not None and fact is not None and fact.result is not None else UNKNOWN
            return result if not result.arguments else UNKNOWN
        if isinstance(node, (t.RecordLiteral, t.VariantLiteral)):
            held = self.scope.read(node.name if isinstance(node, t.RecordLiteral) else node.enum)
            return held if held.is_declared else UNKNOWN
        return UNKNOWN

    def _typed(self, node: t.Expr, want: Want | None, used: bool) -> Ty:
        if self._depth >= _DEEPEST:
            raise TooDeep
        self._count += 1
        if self._count % _OFTEN == 0:
            checkpoint()
        kind = type(node)
        held = self.local(node.start) or self.scope.signature(node.name) if isinstance(node, t.Name) else _LITERALS.get(kind)
        if held is None:
            rule = _RULES.get(kind)
            self._depth += 1
            held = rule(self, node, want, used) if rule is not None else UNKNOWN
            self._depth -= 1
        self.out.types[node.end >> REGION][node.start, node.end] = held
        if want is None or held is want.type or kind in _PUSHED:
            return held
        return self.compared(node, held, want)

    def compared(self, node: t.Expr, given: Ty, want: Want) -> Ty:
        """The type of an expression, or `UNKNOWN` after noting that it is not the wanted one."""
        if self.scope.likely or ty.fits(given, want.type):
            return given
        self.out.mismatches.append(Mismatch(node, given, want))
        return UNKNOWN

    def _field(self, node: t.FieldAccess, want: Want | None, used: bool) -> Ty:
        held = self.synth(node.object)
        self.out.accesses.append(Access(node, held))
        self.out.owners[node.at] = held
        fact = self.scope.record(held)
        if fact is None or (node.name == "payload" and fact.has("tag")):
            # The framework fills in the payload of a message, with what an event brings.
            if held.is_known and not held.is_declared:
                self.failures += 1
            return UNKNOWN
        return self.scope.member(fact, node.name)

    def _block(self, node: t.Block, want: Want | None, used: bool) -> Ty:
        return self.block(node, want, used)

    def _if(self, node: t.If, want: Want | None, used: bool) -> Ty:
        self._condition(node.condition, "if")
        before = len(self.out.mismatches)
        first = self.block(node.then_block, want, used)
        if node.else_block is not None:
            other = self.block(node.else_block, want, used)
            at: t.Expr = node.else_block
        else:
            at, other = node, UNIT
            if want is not None and not (isinstance(node.condition, t.BoolLiteral) and node.condition.value):
                # That its branch has no value either is the same mistake.
                self.out.mismatches[before:] = [each for each in self.out.mismatches[before:] if not each.missing]
                other = self.lacking(node, want)
        if used and want is None:
            self.differing(node, (node.then_block, first), (at, other))
        return self.join(first, other)

    def differing(self, node: t.If | t.Match, first: tuple[t.Expr, Ty], other: tuple[t.Expr, Ty]) -> None:
        """Notes that two branches have values of different types."""
        if not ty.fits(other[1], first[1]):
            self.out.branches.append(Branches(node, first, other))

    def _wrap(self, node: t.Wrap, want: Want | None, used: bool) -> Ty:
        head = "Option" if node.kind == "Some" else "Result"
        place = 1 if node.kind == "Err" else 0
        if want is None or want.type.head != head:
            inner = self.synth(node.operand)
        else:
            inner = self.check(
                node.operand, Want(want.type.arguments[place], Role.PAYLOAD, want.name, node.kind, 0, None, want.is_relied_on)
            )
        wrapped = ty.option_of(inner) if head == "Option" else ty.result_of(NEVER, inner) if place else ty.result_of(inner, NEVER)
        return self.compared(node, wrapped, want) if want is not None and want.type.head != head else wrapped

    def _record(self, node: t.RecordLiteral, want: Want | None, used: bool) -> Ty:
        self.out.literals.append(node)
        held = self.scope.read(node.name)
        fact = self.scope.record(held)
        if node.spread is not None:
            base = self.synth(node.spread)
            if base.is_known and base.head != "record":
                self.out.mismatches.append(Mismatch(node.spread, base, Want(held, Role.SPREAD, node.name)))
        for given in node.fields:
            self.out.owners[given.start] = held
            if fact is not None and fact.has(given.name):
                self.check(given.value, Want(self.scope.member(fact, given.name), Role.FIELD, node.name, given.name))
            else:
                self.synth(given.value)
        return held if held.head == "record" else UNKNOWN

    def _variant(self, node: t.VariantLiteral, want: Want | None, used: bool) -> Ty:
        if (call := as_call(node)) is not None and self.scope.tool(path_of(node)) is not None:
            return call_types.of_tool(self, call, path_of(node))
        held = self.scope.read(node.enum)
        fact = self.scope.enum(held)
        self.out.owners[node.at] = held
        if fact is None or not fact.has(node.variant):
            if node.payload is not None:
                self.synth(node.payload)
            return held if held.head == "enum" else UNKNOWN
        declared = fact.member(node.variant)
        if (declared is None) != (node.payload is None):
            self.out.payloads.append(Payload(node, node.enum, node.variant, declared))
        if node.payload is not None:
            self.check(node.payload, Want(self.scope.read(declared), Role.PAYLOAD, node.enum, node.variant))
        return held

    def _spawn(self, node: t.Spawn, want: Want | None, used: bool) -> Ty:
        if not isinstance(node.operand, t.Name):
            self.synth(node.operand)
        return UNKNOWN

    def _send(self, node: t.Send, want: Want | None, used: bool) -> Ty:
        self.synth(node.target)
        self.synth(node.message)
        return UNIT


_RULES: Final[dict[type[t.Expr], Callable[..., Ty]]] = {
    t.NoneLiteral: lambda engine, node, want, used: ty.option_of(NEVER),
    t.Binary: binary,
    t.Unary: unary,
    t.Call: call_types.call,
    t.FieldAccess: Engine._field,
    t.Block: Engine._block,
    t.If: Engine._if,
    t.Match: pattern_types.match,
    t.RecordLiteral: Engine._record,
    t.VariantLiteral: Engine._variant,
    t.ListLiteral: list_types.of_list,
    t.Wrap: Engine._wrap,
    t.Spawn: Engine._spawn,
    t.Emit: lambda engine, node, want, used: engine.synth(node.operand),
    t.Send: Engine._send,
}
_LITERALS: Final[dict[type[t.Expr], Ty]] = {
    t.IntLiteral: ty.INT,
    t.FloatLiteral: ty.FLOAT,
    t.StringLiteral: ty.STRING,
    t.BoolLiteral: BOOL,
}
_PUSHED: Final = frozenset((t.Block, t.If, t.Match, t.ListLiteral, t.Wrap))
"""Expressions whose parts are compared with what is wanted instead of them."""

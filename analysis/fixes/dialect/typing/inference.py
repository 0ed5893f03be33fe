"""Types of the expressions of a dialect's program, as far as translating it needs them.

One pass over each function, variables solved by unification. Calls of other languages' functions are resolved on the way
(`inference_calls`), since what `.get(1)` means depends on what it is called on.
"""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.effort import spend
from analysis.fixes.dialect.tree.types import (
    BOOL,
    CHAR,
    FLOAT,
    INT,
    STRING,
    UNIT,
    Type,
    argument,
    head,
    list_of,
    map_of,
    option_of,
    unify,
    unify_inside,
)
from analysis.fixes.dialect.tree.walking import ends_in_jump, walk
from analysis.fixes.dialect.typing.absent_values import of_present
from analysis.fixes.dialect.typing.compared_names import compared_names, matched_type, numbering, tuple_of
from analysis.fixes.dialect.typing.inference_operators import OperatorTypes
from analysis.fixes.dialect.typing.program import declare
from analysis.fixes.dialect.typing.text_holes import infer_holes

_LITERALS = {"int": INT, "float": FLOAT, "string": STRING, "bool": BOOL, "unit": UNIT}


class Inference(OperatorTypes):
    """Annotates the nodes of a program."""

    def program_types(self, functions: list[n.Function]) -> None:
        for constant in self.program.constants.values():
            constant.type = constant.type or Type()
            unify(constant.type, self.infer(constant.value, constant.type))
        for record in self.program.records.values():
            for name, value in record.defaults.items():
                self.infer(value, record.fields.get(name))
        # Results that are not written are known to callers above the function in the second round only. What a word means
        # that several kinds have is decided after that: a guess about one value would be taken for a fact about others.
        for guesses in (False, False, True, True):
            if guesses and not self.is_unsettled:
                break
            self.guesses = guesses
            self.contradictions = {}
            for function in functions:
                self.function(function)

    def function(self, function: n.Function) -> None:
        outer, self.scopes = self.scopes, [{}]
        self.compared = compared_names(function)
        results, self.result = self.result, function.result
        for parameter in function.parameters:
            self.scopes[-1][parameter.name] = parameter.type or Type()
            if parameter.default is not None:
                unify(parameter.type, self.infer(parameter.default, parameter.type))
        result = self.block(function.body, function.result)
        if not ends_in_jump(function.body):
            unify(function.result, result)
        self.scopes, self.result = outer, results

    # ---- statements ----

    def block(self, block: n.Block, expected: Type | None = None) -> Type:
        self.scopes.append({})
        for place, statement in enumerate(block.statements):
            if isinstance(statement, n.Local):
                declare(self.program, statement.function)
                self.scopes[-1][statement.function.name] = self.function_type(statement.function.name)
            is_last = place == len(block.statements) - 1
            self.statement(statement, expected if is_last else None)
        self.scopes.pop()
        last = block.statements[-1] if block.statements else None
        block.ty = last.value.ty if isinstance(last, n.Evaluate) and last.value.ty is not None else UNIT
        return block.ty

    def statement(self, statement: n.Statement, expected: Type | None) -> None:
        match statement:
            case n.Let():
                self.with_flag(statement)
                kind = self.declared_kind(statement)
                if statement.value is not None:
                    wanted = kind if statement.type is not None else None
                    if statement.otherwise is not None and isinstance(statement.pattern, n.VariantPattern):
                        wanted = Type("Option", Type())
                    held = self.infer(statement.value, wanted or self.named_as(statement.pattern) or tuple_of(statement))
                    if isinstance(statement.value, n.Block) and not statement.value.statements:
                        # `{}`: empty, and what is done with it says of what kind.
                        held = self._braces(statement.pattern, kind)
                    unify(kind, held)
                if statement.otherwise is not None:
                    self.block(statement.otherwise)
                self.bind(statement.pattern, kind)
            case n.Assign():
                target = self.infer(statement.target)
                self.settle_removal(statement, target)
                self.step_character(statement)
                unify_inside(target, self.infer(statement.value, target))
            case n.Evaluate():
                statement.value.ty = self.infer(statement.value, expected)
            case n.While():
                self.scopes.append({})
                self.infer(statement.condition, BOOL)
                self.block(statement.body)
                self.scopes.pop()
            case n.For():
                self._for(statement)
            case n.CountingFor():
                self.scopes.append({})
                if statement.first is not None:
                    self.statement(statement.first, None)
                self.infer(statement.condition, BOOL)
                if statement.step is not None:
                    self.statement(statement.step, None)
                self.block(statement.body)
                self.scopes.pop()
            case n.Local():
                inner = list(self.scopes)
                results, self.result = self.result, statement.function.result
                self.scopes.append({part.name: part.type or Type() for part in statement.function.parameters})
                unify(statement.function.result, self.block(statement.function.body, statement.function.result))
                self.scopes, self.result = inner, results

    def _for(self, statement: n.For) -> None:
        self.scopes.append({})
        self.counted_source(statement)
        self.parts_of_map(statement)
        source = self.source_type(statement.source)
        statement.is_guess = statement.is_guess or (self.guesses and head(source) == "")
        item = self.item_type(source)
        if head(source) != "Range":
            self.contradicted(statement.source, list_of(Type()))
        if word := numbering(statement.pattern, item):
            # `for (i, x) in xs` over items that are no pairs: their positions are meant.
            statement.source = n.Call(n.Member(statement.source, word), [])
            item = self.item_type(self.infer(statement.source))
        self.bind(statement.pattern, item)
        self.block(statement.body)
        self.scopes.pop()

    def _braces(self, pattern: n.Pattern, kind: Type) -> Type:
        """The type of a variable that begins with `{}`: a Map where nothing says another one."""
        held = pattern.type if isinstance(pattern, n.Binding) and pattern.type is not None else kind
        if head(held) in ("", "Unit") and self.may_guess():
            return map_of(Type(), Type())
        return held if head(held) != "Unit" else Type()

    def item_type(self, source: Type) -> Type:
        """Type of the items that a loop over a value gives."""
        match head(source):
            case "List":
                return argument(source)
            case "String":
                return CHAR
            case "Map":
                return Type("Tuple", argument(source, 0), argument(source, 1))
            case "Range":
                return INT
        item = Type()
        if head(source) == "" and not self.may_guess():
            return item
        unify(source, list_of(item))
        return item

    # ---- patterns ----

    def bind(self, pattern: n.Pattern, kind: Type) -> None:
        """The types of the names that a pattern binds in a value of a type."""
        match pattern:
            case n.Binding():
                unify(pattern.type, kind)
                self.scopes[-1][pattern.name] = pattern.type = kind
                if pattern.inner is not None:
                    self.bind(pattern.inner, kind)
            case n.LiteralPattern():
                unify(kind, self.infer(pattern.value))
            case n.RangePattern():
                unify(kind, INT)
            case n.TuplePattern() if head(kind) == "List":
                for item in pattern.items:
                    self.bind(item, argument(kind))
            case n.ListPattern() if head(kind) == "Tuple":
                for place, item in enumerate(pattern.items):
                    self.bind(item, argument(kind, place))
            case n.TuplePattern():
                if head(kind) == "":
                    unify(kind, Type("Tuple", *(Type() for _ in pattern.items)))
                for place, item in enumerate(pattern.items):
                    self.bind(item, argument(kind, place))
            case n.ListPattern():
                item_type = CHAR if head(kind) == "String" else Type()
                unify(kind, list_of(item_type))
                for item in (*pattern.items, *pattern.last):
                    self.bind(item, item_type)
                if pattern.rest is not None:
                    self.bind(pattern.rest, list_of(item_type))
            case n.RecordPattern():
                self._bind_record(pattern, kind)
            case n.OrPattern():
                for option in pattern.options:
                    self.bind(option, kind)
            case n.VariantPattern():
                self._bind_variant(pattern, kind)

    def _bind_record(self, pattern: n.RecordPattern, kind: Type) -> None:
        if pattern.name and head(kind) == "":
            unify(kind, Type(pattern.name))
        record = self.program.records.get(head(kind))
        fields = record.fields if record is not None else {}
        for name, part in pattern.fields.items():
            self.bind(part, fields.get(name, Type()))

    def _bind_variant(self, pattern: n.VariantPattern, kind: Type) -> None:
        if pattern.name in ("Ok", "Err", "Error") and head(kind) == "Option":
            # Where a look-up answers Ok or Error there, it answers Some or None here.
            pattern.name = "Some" if pattern.name == "Ok" else "None"
            pattern.items = pattern.items if pattern.name == "Some" else []
        elif pattern.name == "Error" and self.program.variant(pattern.owner, "Error") is None:
            pattern.name = "Err"
        payload: list[Type] = []
        if pattern.name in ("Some", "None"):
            unify(kind, option_of(Type()))
            payload = [argument(kind)]
        elif pattern.name in ("Ok", "Err"):
            unify(kind, Type("Result", Type(), Type()))
            payload = [argument(kind, 0 if pattern.name == "Ok" else 1)]
        else:
            owner = pattern.owner or head(kind)
            variant = self.program.variant(owner if owner in self.program.enums else "", pattern.name)
            if variant is not None:
                unify(kind, Type(variant[0].name))
                payload = variant[1].payload
                if pattern.named is not None and variant[1].names:
                    payload = []
                    for name, part in pattern.named.items():
                        at = variant[1].names.index(name) if name in variant[1].names else -1
                        self.bind(part, variant[1].payload[at] if at >= 0 else Type())
        for place, item in enumerate(pattern.items):
            self.bind(item, payload[place] if place < len(payload) else Type())

    # ---- expressions ----

    def infer(self, node: n.Expr, expected: Type | None = None) -> Type:
        spend(1)
        node.ty = self._infer(node, expected)
        return node.ty

    def _infer(self, node: n.Expr, expected: Type | None) -> Type:
        match node:
            case n.Literal(kind="none"):
                return self.absent_type(expected)
            case n.Literal():
                if node.holes is not None:
                    self._fill(node, node.holes)
                is_sign = node.kind == "string" and self.program.has_characters and self.program.is_character(node)
                return CHAR if is_sign else _LITERALS[node.kind]
            case n.Interpolated():
                infer_holes(node, self.infer, self.program)
                return STRING
            case n.Name():
                return self.name(node)
            case n.Path() | n.Call() | n.Piped() | n.Member():
                return self.called(node, expected)
            case n.Index():
                return self._index(node, expected)
            case n.Slice():
                self._numbers(node.low, node.high)
                return self.infer(node.object)
            case n.Unary():
                if node.operator == "!":
                    node.operand = self.truth_of(node.operand)
                operand = self.infer(node.operand, BOOL if node.operator == "!" else expected)
                return BOOL if node.operator == "!" else argument(operand) if head(operand) == "Option" else operand
            case n.Binary():
                return self._binary(node, expected)
            case n.Range():
                self._numbers(node.low, node.high)
                return Type("Range")
            case n.If():
                return self._if(node, expected)
            case n.Match():
                return self._match(node, expected)
            case n.Block():
                return self.block(node, expected)
            case n.Try():
                return self._try(node)
            case n.Cast():
                self._prefix_cast(node)
                self.infer(node.value, node.target if isinstance(node.value, (n.ListOf, n.MapOf)) else None)
                return node.target
            case n.Jump():
                if node.value is not None:
                    wanted = self.result if node.kind == "return" else None
                    unify_inside(wanted, self.infer(node.value, wanted))
                return Type()
            case n.LetCondition():
                wants_option = isinstance(node.pattern, n.VariantPattern) and node.pattern.name in ("Some", "None")
                self.bind(node.pattern, self.infer(node.value, option_of(Type()) if wants_option else None))
                return BOOL
        return self._collection(node, expected)

    def _fill(self, node: n.Literal, holes: n.Interpolated) -> None:
        """A text with holes holds values if every name in them is a variable."""
        names = [part.name for part in walk(holes) if isinstance(part, n.Name)]
        if names and all(self.local(name) is not None for name in names):
            self.infer(holes)
        else:
            node.holes = None

    def _numbers(self, *nodes: n.Expr | None) -> None:
        for node in nodes:
            if node is not None:
                self.infer(node, INT)

    def _collection(self, node: n.Expr, expected: Type | None) -> Type:
        match node:
            case n.ListOf():
                if self.is_tuple(node, expected):
                    return Type("Tuple", *(part.ty or Type() for part in node.items))
                record = self.program.records.get(head(expected))
                if record is not None and len(record.fields) == len(node.items):
                    # `{"al", 30}` where a record is wanted: its fields in order.
                    for part, field in zip(node.items, record.fields.values(), strict=True):
                        unify(field, self.infer(part, field))
                    return Type(record.name)
                item = argument(expected) if head(expected) == "List" else Type()
                for part in node.items:
                    if isinstance(part, n.Spread):
                        unify(list_of(item), self._spread(part, list_of(item)))
                    else:
                        held = self.infer(part, item)
                        self.contradicted(part, item)
                        unify(item, held)
                return list_of(item)
            case n.TupleOf():
                parts = [
                    self.infer(part, argument(expected, place) if head(expected) == "Tuple" else None)
                    for place, part in enumerate(node.items)
                ]
                return Type("Tuple", *parts)
            case n.MapOf() if id(node) in self.program.dicts and head(expected) != "Map":
                fields = {key.text[1:-1]: part for key, part in node.pairs if isinstance(key, n.Literal)}
                return self._record(n.RecordOf(self.program.dicts[id(node)], fields), expected)
            case n.MapOf():
                key, value = (argument(expected, 0), argument(expected, 1)) if head(expected) == "Map" else (Type(), Type())
                for left, right in node.pairs:
                    unify(key, self.infer(left, key))
                    unify(value, self.infer(right, value))
                return map_of(key, value)
            case n.RecordOf():
                return self._record(node, expected)
            case n.VariantRecord():
                variant = self.program.variant(node.owner, node.name)
                types = dict(zip(variant[1].names, variant[1].payload, strict=False)) if variant is not None else {}
                for name, part in node.fields.items():
                    self.infer(part, types.get(name))
                return Type(variant[0].name if variant is not None else node.owner)
            case n.Lambda():
                parts = [Type() for _ in node.parameters]
                if head(expected) == "Fn" and expected is not None:
                    parts = list(expected.resolved().arguments[:-1]) or parts
                return Type("Fn", *parts, self.applied(node, parts))
            case n.Comprehension():
                return self._made_list(node, expected)
            case n.OperatorFunction():
                return Type("Fn")
        return Type()

    def _made_list(self, node: n.Comprehension, expected: Type | None) -> Type:
        self.scopes.append({})
        if head(self.infer(node.source)) == "Map":
            node.source = n.Call(n.Member(node.source, "entries"), [], start=node.source.start, end=node.source.end)
        self.bind(node.pattern, self.item_type(self.infer(node.source)))
        if node.condition is not None:
            self.infer(node.condition, BOOL)
        element = self.infer(node.value, argument(expected) if head(expected) == "List" else None)
        self.scopes.pop()
        return list_of(element)

    def _record(self, node: n.RecordOf, expected: Type | None) -> Type:
        base = self.infer(node.base, expected) if node.base is not None else None
        is_map = id(node) in self.program.maps or head(base) == "Map" or (not node.name and head(expected) == "Map")
        if is_map:
            kind = (
                expected if base is None and head(expected) == "Map" and expected is not None else base or map_of(STRING, Type())
            )
            for part in node.fields.values():
                unify(argument(kind, 1), self.infer(part, argument(kind, 1)))
            self.program.maps.add(id(node))
            return kind
        if not node.name:
            node.name = head(base) if base is not None else head(expected)
            if node.name not in self.program.records:
                node.name = self._record_with(set(node.fields), exact=base is None)
        record = self.program.records.get(node.name)
        for name, part in node.fields.items():
            field = record.fields.get(name) if record is not None else None
            held = self.infer(part, field)
            if node.name in self.program.objects or not head(field):
                unify(field, held)
        kind = Type(node.name) if node.name else Type()
        if base is not None:
            unify(base, kind)
        return kind

    def _if(self, node: n.If, expected: Type | None) -> Type:
        self.scopes.append({})
        node.condition = self.truth_of(node.condition)
        self.infer(node.condition, BOOL)
        then = self.block(node.then, expected)
        self.scopes.pop()
        if node.otherwise is None:
            return UNIT
        otherwise = self.block(node.otherwise, expected if expected is not None else then)
        if ends_in_jump(node.then):
            return otherwise
        if not ends_in_jump(node.otherwise):
            unify(then, otherwise)
        return then

    def _match(self, node: n.Match, expected: Type | None) -> Type:
        value = self.with_listed(node, self.infer(node.value, matched_type(node)))
        result = expected if expected is not None else Type()
        for arm in node.arms:
            self.scopes.append({})
            arm.pattern = of_present(arm.pattern, value, self.program)
            self.bind(arm.pattern, value)
            if arm.guard is not None:
                self.infer(arm.guard, BOOL)
            held = self.infer(arm.body, result)
            if not isinstance(arm.body, n.Jump) and not (isinstance(arm.body, n.Block) and ends_in_jump(arm.body)):
                unify(result, held)
            self.scopes.pop()
        return result

    def _try(self, node: n.Try) -> Type:
        wanted = "Result" if head(self.result) == "Result" else "Option"
        operand = self.infer(node.value, Type(wanted, Type(), Type()) if wanted == "Result" else option_of(Type()))
        return argument(operand)

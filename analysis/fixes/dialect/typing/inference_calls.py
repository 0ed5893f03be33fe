"""Meaning of names and calls: the program's functions, builtins, libraries, operations of other languages (`lexicon`)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import FLOAT, UNIT, Type, argument, head, part_place, unify
from analysis.fixes.dialect.typing.derived import derived, is_derived
from analysis.fixes.dialect.typing.program import Program, Signature, builtin_signatures
from analysis.suggestions.lexicon import KINDS, OTHER_OPERATIONS, kinds_with, operations
from analysis.suggestions.operation import Operation

_PLAIN: Final = frozenset(("Int", "Float", "String", "Bool", "List", "Map", "Option", "Result", "Unit"))
_PLACES: Final = {"List": "get", "Map": "getValue", "String": "char_at"}
"""The operations that give an item of a collection which is called."""
_OF_NUMBERS: Final = ("list_sum", "list_max", "list_min", "list_product")
_OTHERWISE: Final = {
    "parse_int": ("Option", "Result"), "string_index_of": ("Int",), "list_index_of": ("Int",), "list_get": ("Option", "Result"),
}  # fmt: skip
"""Functions of our own by the kinds of results with which they are those of other languages, where -1 is no place."""


class Calls:
    """`scopes` hold the types of local names, `result` the one that the function around returns."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.scopes: list[dict[str, Type]] = [{}]
        self.result: Type | None = None
        self.guesses = False
        """True if a word that several kinds have is taken for that of a List where the kind of its value is unknown."""
        self.is_unsettled = False
        self.contradictions: dict[int, str] = {}
        """Offsets of values that are of another kind than what they are used as, with both."""

    def contradicted(self, node: n.Expr, wanted: Type | None) -> None:
        """Notes a value of one kind where another is needed."""
        held, needed = head(node.ty), head(wanted)
        if held != needed and {held, needed} <= _PLAIN and {held, needed} != {"Int", "Float"}:
            self.contradictions[node.start] = f"a value of type {held} where a {needed} is needed"

    def may_guess(self) -> bool:
        """True if a guess is due; notes that there is something to guess."""
        self.is_unsettled = True
        return self.guesses

    @abstractmethod
    def infer(self, node: n.Expr, expected: Type | None = None) -> Type: ...

    @abstractmethod
    def bind(self, pattern: n.Pattern, kind: Type) -> None: ...

    @abstractmethod
    def _other(self, node: n.Call, name: str, expected: Type | None) -> Type: ...

    @abstractmethod
    def _foreign_function(self, node: n.Call, name: str, expected: Type | None) -> Type: ...

    @abstractmethod
    def _module_call(self, node: n.Call, module: str, name: str, expected: Type | None) -> Type: ...

    @abstractmethod
    def _word_of(self, kind: str, name: str, owner: n.Expr, rest: list[n.Expr]) -> str: ...

    @abstractmethod
    def _operation(self, node: n.Call, name: str, owner: n.Expr, rest: list[n.Expr], expected: Type | None) -> Type: ...

    @abstractmethod
    def _operated(self, operation: Operation, owner: n.Expr, rest: list[n.Expr], expected: Type | None) -> Type: ...

    # ---- names ----

    def local(self, name: str) -> Type | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def name(self, node: n.Name) -> Type:
        local = self.local(node.name)
        if local is not None:
            return local
        if node.name in self.program.constants:
            return self.program.constants[node.name].type or Type()
        if node.name == "Infinity":
            return node.ty or Type()
        if node.name in self.program.functions:
            return self.function_type(node.name)
        variant = self.program.variant("", node.name) if node.name[0].isupper() else None
        return Type(variant[0].name) if variant is not None else Type()

    def function_type(self, name: str) -> Type:
        parameters, result = self.program.functions[name].fresh()
        return Type("Fn", *parameters, result)

    # ---- calls ----

    def called(self, node: n.Expr, expected: Type | None) -> Type:
        match node:
            case n.Piped():
                return self._piped(node, expected)
            case n.Path():
                return self._path(node, expected)
            case n.Member():
                return self._member(node, expected)
            case n.Call():
                result = self._call(node, expected)
                given = self.program.references.get(node.function.name) if isinstance(node.function, n.Name) else None
                if given is None or node.operation is not None:
                    return result
                return result if given.is_value else argument(result, 0) if given.has_result else UNIT
        return Type()

    def _piped(self, node: n.Piped, expected: Type | None) -> Type:
        """Makes a call of the pipe: the value comes first, but last for a function of the program whose types say so."""
        value = n.Argument(node.value, start=node.value.start, end=node.value.end)
        function = node.function
        call = function if isinstance(function, n.Call) else n.Call(function, [], start=node.start, end=node.end)
        if call.operation is None and not any(each.value is node.value for each in call.arguments):
            place = self._pipe_place(call, node.value)
            call.arguments.insert(place, value)
        node.function = call
        return self.infer(call, expected)

    def _pipe_place(self, call: n.Call, value: n.Expr) -> int:
        signature = self.program.functions.get(call.function.name) if isinstance(call.function, n.Name) else None
        if signature is None or not signature.parameters:
            return 0
        kind = head(self.infer(value))
        first, last = head(signature.parameters[0]), head(signature.parameters[-1])
        return len(call.arguments) if kind and first != kind and last == kind else 0

    def _path(self, node: n.Path, expected: Type | None) -> Type:
        variant = self.program.variant(node.owner or head(expected), node.name)
        if variant is not None:
            return Type(variant[0].name)
        method = self.program.methods.get((node.owner, node.name))
        return self.function_type(method) if method is not None else Type()

    def _member(self, node: n.Member, expected: Type | None) -> Type:
        owner = node.object
        if isinstance(owner, n.Name) and self.local(owner.name) is None:
            variant = self.program.variant(owner.name, node.name)
            if variant is not None and owner.name in self.program.enums:
                return Type(variant[0].name)
            if node.name == "empty" and owner.name[0].isupper() and owner.name.lower() in KINDS:
                # `Map.empty`: a call without its parentheses.
                empty = n.Call(n.Member(owner, "empty"), [], start=node.start, end=node.end)
                node.operation, node.object = Operation("", "derived", (), "", "{0}"), empty
                return self.infer(empty, expected)
        kind = self.infer(owner, Type("Option", Type()) if node.optional and isinstance(owner, n.Index) else None)
        inner = argument(kind) if node.optional and head(kind) == "Option" else kind
        record = self.program.records.get(head(inner))
        node.name = _field_at(node.name, list(record.fields) if record is not None else [])
        if record is not None and node.name in record.fields:
            held = record.fields[node.name]
            return Type("Option", held) if node.optional and head(held) != "Option" else held
        if (part := self._part_inside(node.name, inner)) is not None:
            return part
        if head(inner) == "Option" and head(argument(inner)) == "Tuple" and (place := part_place(node.name)) is not None:
            # Of `pairs.max_by { … }`: what is inside is taken out.
            within = operations()[("Option", "unwrap", 0)]
            node.object = n.Call(owner, [], within, [owner], start=owner.start, end=owner.end, ty=argument(inner))
            return argument(argument(inner), place)
        method = self.program.methods.get((head(inner), node.name))
        if method is not None and (record is not None or head(inner) in self.program.enums):
            return self.program.functions[method].result
        if head(inner) == "Tuple":
            place = part_place(node.name)
            part = argument(inner, place) if place is not None else Type()
            return Type("Option", part) if node.optional and head(kind) == "Option" else part
        if head(inner) == "" and (found_type := self._by_field(node.name, inner)) is not None:
            return found_type
        if node.operation is not None and node.operation.name == "derived":
            return self.infer(node.object, expected)
        if node.optional and head(kind) == "Option" and record is None:
            call = n.Call(n.Member(owner, node.name, True, start=node.start, end=node.end), [], start=node.start, end=node.end)
            node.operation, node.object = Operation("", "derived", (), "", "{0}"), call
            return self.infer(call, expected)
        word = self._word_of(head(inner), node.name, owner, [])
        operation = operations().get(("List" if head(inner) == "Range" else head(inner), word, 0))
        inside = head(argument(inner)) if head(inner) == "Option" and operation is None else ""
        if inside and (inside, node.name, 0) in operations() and not is_derived("Option", node.name, 0):
            # An operation of the value inside: it is taken out.
            call = n.Call(n.Member(owner, node.name, start=node.start, end=node.end), [], start=node.start, end=node.end)
            node.operation, node.object = Operation("", "derived", (), "", "{0}"), call
            return self.infer(call, expected)
        if operation is None and is_derived(head(inner), word, 0):
            form = derived(head(inner), word, [owner])
            if form is not None and not form.changes:
                node.operation, node.object = Operation("", "derived", (), "", "{0}"), form.expression
                return self.infer(node.object, expected)
        if operation is None and head(inner) == "":
            kinds = kinds_with(node.name, 0)
            operation = operations()[(kinds[0], node.name, 0)] if len(kinds) == 1 else None
        node.operation = operation
        if operation is None:
            return Type()
        return self._operated(operation, node.object, [], expected)

    def _part_inside(self, name: str, kind: Type) -> Type | None:
        """The type of a part of the record or tuple in an Option."""
        held = argument(kind) if head(kind) == "Option" else None
        record = self.program.records.get(head(held))
        if record is not None and name in record.fields:
            return record.fields[name]
        return argument(held, int(name)) if head(held) == "Tuple" and name.isdigit() else None

    def _by_field(self, name: str, kind: Type) -> Type | None:
        """The type of a field of a value whose type is unknown: that of the only record with it."""
        owners = [record for record in self.program.records.values() if name in record.fields]
        if len(owners) != 1:
            return None
        unify(kind, Type(owners[0].name))
        return owners[0].fields[name]

    def _call(self, node: n.Call, expected: Type | None) -> Type:
        function = node.function
        if node.operation is not None and node.operation.result:
            return self._operated(node.operation, node.operands[0], node.operands[1:], expected)
        if isinstance(function, n.Name):
            return self._named_call(node, function.name, expected)
        if isinstance(function, n.Path):
            return self._path_call(node, function, expected)
        if isinstance(function, n.Member):
            return self._method_call(node, function, expected)
        if isinstance(function, n.Lambda) and len(function.parameters) == len(node.arguments):
            return self.applied(function, [self.infer(each.value) for each in node.arguments])
        kind = function.ty = self.infer(function)
        if (held := self._place_of(node, expected)) is not None:
            return held
        parts = kind.resolved().arguments
        for place, each in enumerate(node.arguments):
            self.infer(each.value, parts[place] if place < len(parts) - 1 else None)
        return parts[-1] if head(kind) == "Fn" and parts else Type()

    def _named_call(self, node: n.Call, name: str, expected: Type | None) -> Type:
        local = self.local(name)
        if local is not None and name not in self.program.functions:
            node.function.ty = local
            if (held := self._place_of(node, expected)) is not None:
                return held
            parts = local.resolved().arguments if head(local) == "Fn" else ()
            given = [self.infer(each.value, parts[at] if at < len(parts) - 1 else None) for at, each in enumerate(node.arguments)]
            for left, right in zip(parts, given, strict=False):
                unify(left, right)
            if not parts:
                unify(local, Type("Fn", *given, Type()))
                parts = local.resolved().arguments
            return parts[-1] if parts else Type()
        signature = self.program.functions.get(name)
        if signature is None:
            variant = self.program.variant("", name) if name[0].isupper() else None
            if variant is not None:
                return self._constructed(node, variant)
            constructor = self.program.methods.get((name, "new"))
            if constructor is not None and name in self.program.records:
                node.function = n.Name(constructor, start=node.function.start, end=node.function.end)
                return self._signed(node, self.program.functions[constructor])
            if name in self.program.records:
                return self._record_call(node, name)
        if signature is None and name in OTHER_OPERATIONS and name not in builtin_signatures():
            return self._other(node, name, expected)
        is_other = _OTHERWISE.get(name, ())
        holds_options = name == "list_get" and node.arguments and head(argument(self.infer(node.arguments[0].value))) in is_other
        if signature is None and (head(expected) not in is_other or holds_options):
            signature = self._builtin_signature(name, len(node.arguments))
        if signature is not None:
            result = self._signed(node, signature)
            for each, wanted in zip(node.arguments, signature.parameters, strict=False):
                self.contradicted(each.value, wanted)
            if name in _OF_NUMBERS and node.arguments and head(argument(node.arguments[0].value.ty)) == "Option":
                self.contradictions[node.start] = "a list of Options where its items are compared or added"
            return result
        return self._foreign_function(node, name, expected)

    def _place_of(self, node: n.Call, expected: Type | None) -> Type | None:
        """`xs(i)`, `m(key)` of Scala: an item; None where what is called is no collection."""
        word = _PLACES.get(head(node.function.ty))
        if word is None or len(node.arguments) != 1 or node.arguments[0].name:
            return None
        return self._operation(node, word, node.function, [node.arguments[0].value], expected)

    def _builtin_signature(self, name: str, count: int) -> Signature | None:
        signature = builtin_signatures().get(name)
        return signature if signature is not None and len(signature.parameters) == count else None

    def _signed(self, node: n.Call, signature: Signature) -> Type:
        """A call of a function whose types are known; arguments by name and defaults are put in place."""
        if signature.names and (any(each.name for each in node.arguments) or len(node.arguments) < len(signature.parameters)):
            self._order(node, signature)
        parameters, result = signature.fresh()
        for place, each in enumerate(node.arguments):
            wanted = parameters[place] if place < len(parameters) else None
            held = self.infer(each.value, wanted)
            if wanted is not None and not (head(held) == "Option" and head(wanted) not in ("", "Option")):
                unify(argument(wanted) if head(wanted) == "Option" and head(held) not in ("", "Option") else wanted, held)
        return result

    def _order(self, node: n.Call, signature: Signature) -> None:
        names = list(signature.names)
        given = {each.name: each for each in node.arguments if each.name in names}
        rest = [each for each in node.arguments if each.name not in names]
        ordered: list[n.Argument] = []
        for place, name in enumerate(names):
            default = signature.defaults[place] if place < len(signature.defaults) else None
            if name in given:
                ordered.append(given[name])
            elif rest:
                ordered.append(rest.pop(0))
            elif default is not None:
                ordered.append(n.Argument(default))
            else:
                return
        if not rest:
            node.arguments = ordered

    def _constructed(self, node: n.Call, variant: tuple[n.Enum, n.Variant]) -> Type:
        enum, chosen = variant
        node.function = n.Path(enum.name, chosen.name, start=node.function.start, end=node.function.end, ty=Type(enum.name))
        if chosen.names and any(each.name for each in node.arguments):
            given = {each.name: each for each in node.arguments}
            if set(given) == set(chosen.names):
                node.arguments = [given[name] for name in chosen.names]
        for place, each in enumerate(node.arguments):
            wanted = chosen.payload[place] if place < len(chosen.payload) else None
            unify(wanted, self.infer(each.value, wanted))
        return Type(enum.name)

    def _record_call(self, node: n.Call, name: str) -> Type:
        """`Point(1, 2)`, `Point(x: 1, y: 2)`: the call of a record's name."""
        fields = self.program.records[name].fields
        spread = node.arguments[0].value if node.arguments else None
        if isinstance(spread, n.Spread):
            # `Point(..p, x: 1)`.
            unify(Type(name), self.infer(spread.value, Type(name)))
            for each in node.arguments[1:]:
                unify(fields.get(each.name), self.infer(each.value, fields.get(each.name)))
            return Type(name)
        names = list(fields)
        for place, each in enumerate(node.arguments):
            each.name = each.name or (names[place] if place < len(names) else "")
            unify(fields.get(each.name), self.infer(each.value, fields.get(each.name)))
        return Type(name)

    def _path_call(self, node: n.Call, path: n.Path, expected: Type | None) -> Type:
        owner = path.owner or head(expected)
        variant = self.program.variant(owner, path.name)
        if variant is not None:
            return self._constructed(node, variant)
        method = self.program.methods.get((path.owner, path.name))
        if method is not None:
            node.function = n.Name(method, start=path.start, end=path.end)
            return self._signed(node, self.program.functions[method])
        record = head(expected) if path.owner == "Default" else path.owner
        if path.name == "default" and not node.arguments and record in self.program.records:
            node.operation, node.operands = Operation("", "default", (), "", "@zero"), [n.Literal("unit", "{}")]
            return Type(record)
        return self._module_call(node, path.owner, path.name, expected)

    def _method_call(self, node: n.Call, member: n.Member, expected: Type | None) -> Type:
        owner = member.object
        if isinstance(owner, n.Name) and self.local(owner.name) is None and owner.name not in self.program.constants:
            variant = self.program.variant(owner.name, member.name) if owner.name in self.program.enums else None
            if variant is not None:
                return self._constructed(node, variant)
            method = self.program.methods.get((owner.name, member.name))
            if method is not None:
                node.function = n.Name(method, start=member.start, end=member.end)
                return self._signed(node, self.program.functions[method])
            if owner.name.lower() in KINDS or owner.name[0].isupper():
                return self._module_call(node, owner.name, member.name, expected)
        if member.optional and head(self.infer(owner, Type("Option", Type()))) == "Option":
            return self._optional_call(node, member, expected)
        kind = self.infer(owner)
        if head(kind) == "Fn" and member.name in ("apply", "test", "accept", "invoke", "call", "applyAsInt", "get", "run"):
            node.function = owner
            return self._call(node, expected)
        if member.optional and head(kind) == "Result":
            # `f()?.iter()`: the question mark takes the value out.
            member.optional = False
            member.object = n.Try(owner, start=owner.start, end=owner.end)
            return self.infer(node, expected)
        method = self.program.methods.get((head(kind), member.name))
        if method is not None:
            node.function = n.Name(method, start=member.start, end=member.end)
            node.arguments.insert(0, n.Argument(owner, start=owner.start, end=owner.end))
            return self._signed(node, self.program.functions[method])
        if head(kind) == "Tuple" and not node.arguments and part_place(member.name) is not None:
            # `&:first`: a part of the pair.
            node.operation, node.operands = Operation("", member.name, (), "", "{0}"), [member]
            return self.infer(member)
        record = self.program.records.get(head(kind))
        if record is not None and head(record.fields.get(member.name)) == "Fn":
            parts = record.fields[member.name].resolved().arguments
            for place, each in enumerate(node.arguments):
                self.infer(each.value, parts[place] if place < len(parts) - 1 else None)
            return argument(record.fields[member.name], -1)
        if record is not None and member.name in record.fields and head(record.fields[member.name]) in _PLACES:
            member.ty = record.fields[member.name]
            if (held := self._place_of(node, expected)) is not None:
                return held
        if record is not None and member.name in record.fields and not node.arguments:
            # `&:name`, `person.name()`: the field.
            node.operation, node.operands = Operation("", member.name, (), "", "{0}"), [member]
            return self.infer(member)
        if head(kind) in ("", "Range") or (head(kind), member.name, len(node.arguments)) in operations():
            return self._operation(node, member.name, owner, [each.value for each in node.arguments], expected)
        if member.name in self.program.functions:
            # `value.function(more)`: the function of the program with the value as its first argument.
            node.function = n.Name(member.name, start=member.start, end=member.end)
            node.arguments.insert(0, n.Argument(owner, start=owner.start, end=owner.end))
            return self._signed(node, self.program.functions[member.name])
        return self._operation(node, member.name, owner, [each.value for each in node.arguments], expected)

    def _optional_call(self, node: n.Call, member: n.Member, expected: Type | None) -> Type:
        """`value?.method(…)`: of the value inside, where there is one."""
        owner, name = member.object, "inner_value"
        row = operations().get((head(argument(owner.ty)), member.name, len(node.arguments)))
        word = "and_then" if row is not None and row.result.startswith("Option") else "map"
        called = n.Call(n.Member(n.Name(name), member.name), node.arguments, start=node.start, end=node.end)
        closure = n.Lambda([n.Binding(name)], called, start=node.start, end=node.end)
        node.function = n.Member(owner, word, start=member.start, end=member.end)
        node.arguments = [n.Argument(closure)]
        return self._operation(node, word, owner, [closure], expected)

    @abstractmethod
    def applied(self, function: n.Expr, parts: list[Type]) -> Type: ...

    # ---- operations ----

    # ---- functions without a module ----


def _field_at(name: str, fields: list[str]) -> str:
    """The field that `.0` means of a record whose fields have no names in Rust."""
    return fields[int(name)] if name.isdigit() and int(name) < len(fields) else name


__all__ = ["FLOAT", "Calls"]

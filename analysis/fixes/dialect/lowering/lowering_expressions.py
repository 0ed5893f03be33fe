"""Expressions of other dialects in `.ax`: operators, literals, records, indexing, interpolation, conversions between types."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.lowering.writer import ADD, ANY, BEYOND, CONCAT, MULTIPLY, POSTFIX, TRUTHS, UNARY, Code, Writer
from analysis.fixes.dialect.rewriting.basic_values.true_divisions import HABITS, is_quotient, is_true_division
from analysis.fixes.dialect.rewriting.data_types.reserved_fields import written_name
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, INT, STRING, Type, argument, head, is_char, is_known, part_place
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import is_option_literal
from analysis.fixes.dialect.typing.character_lists import text_form
from analysis.fixes.dialect.typing.truths import is_always_true
from analysis.suggestions.lexicon import operations
from analysis.suggestions.operation import Operation

_AS_TEXT: Final = {kind: f"__builtin_{kind.lower()}_to_string" for kind in ("Int", "Float", "Bool")}


class Expressions(Writer):
    """`lower` writes an expression where a type may be expected, and makes the value fit it."""

    def lower(self, node: n.Expr, expected: Type | None = None) -> Code:
        self.spend()
        return self._fitted(node, self._lower(node, expected), expected)

    def value(self, node: n.Expr, expected: Type | None = None, level: int = ANY) -> str:
        return self.lower(node, expected).at(level)

    def _fitted(self, node: n.Expr, code: Code, expected: Type | None) -> Code:
        """A value where another type is expected: wrapped into Some, taken out of an Option, made a Float."""
        held, wanted = head(node.ty), head(expected)
        if held == wanted == "List" and (head(argument(node.ty)), head(argument(expected))) == ("Int", "Float"):
            return self._as_floats(node, code)
        if not held or not wanted or held == wanted or isinstance(node, (n.If, n.Match, n.Block, n.Jump)):
            return code
        if form := text_form(node.ty, expected, self.program.is_like_haskell):
            return Code(form.format(code.text))
        if wanted == "Bool":
            return self._truth(node, code, held)
        if wanted == "Option" and head(argument(expected)) in ("", held):
            return code if isinstance(node, n.Index) and node.may_be_absent else Code(f"Some({code.text})")
        if held == "Option" and head(argument(node.ty)) in ("", wanted) and not is_option_literal(node):
            self.note_unwrapped(node, code.text)
            return Code(f"{self.library('option_unwrap')}({code.text})")
        if wanted == "Float" and held == "Int":
            if isinstance(node, n.Literal):
                return Code(f"{node.text}.0")
            if isinstance(node, n.Binary) and node.operator == "/":
                if self.program.divides_truly and is_true_division(node, self.program.source):
                    left, right = self.value(node.left, None, MULTIPLY), self.value(node.right, None, MULTIPLY)
                    return Code(f"{left} * 1.0 / ({right} * 1.0)", MULTIPLY)
                # Some languages keep the fraction of such a division, others do not.
                if not self.program.habit:
                    quotient = f"{self.value(node.left, None, MULTIPLY)} * 1.0 / {self.value(node.right, None, MULTIPLY + 1)}"
                    self.guess(quotient, f"`{code.text}` is read as a division with a fraction")
                    return Code(quotient, MULTIPLY)
                self.guess(code.text, f"`{code.text}` is read as a division without a fraction")
            return Code(f"{code.at(MULTIPLY)} * 1.0", MULTIPLY)
        return code

    @abstractmethod
    def _as_floats(self, node: n.Expr, code: Code) -> Code: ...

    def _truth(self, node: n.Expr, code: Code, held: str) -> Code:
        """A value that is no Bool as a condition: whether it is something."""
        if held not in TRUTHS:
            self.refuse_own_type(held, node)
            return code
        inner = head(argument(node.ty)) if held == "Option" else held
        if self.all_is_true and held != "Option":
            self.guess(code.text, f"`{code.text}` is read as false where it is empty or zero")
        elif held == "Option" and inner in TRUTHS and not self._is_sure(node, inner):
            self.guess(code.text, f"`{code.text}` is read as true where there is a value")
        text, level = TRUTHS[held]
        return Code(text.format(code.text if level in (UNARY, ANY) else code.at(level + 1)), level)

    @abstractmethod
    def _binary(self, node: n.Binary, expected: Type | None) -> Code: ...

    @abstractmethod
    def call(self, node: n.Call, expected: Type | None) -> Code: ...

    @abstractmethod
    def matched(self, node: n.Match, expected: Type | None) -> Code: ...

    @abstractmethod
    def conditional(self, node: n.If, expected: Type | None) -> Code: ...

    @abstractmethod
    def block_text(self, block: n.Block, expected: Type | None) -> str: ...

    @abstractmethod
    def operated(self, operation: Operation, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code: ...

    @abstractmethod
    def lifted(self, function: n.Expr, expected: Type | None) -> str: ...

    @abstractmethod
    def comprehension(self, node: n.Comprehension) -> Code: ...

    def _lower(self, node: n.Expr, expected: Type | None) -> Code:
        match node:
            case n.Literal() if node.holes is not None:
                return self._interpolated(node.holes)
            case n.Literal():
                empty = {"List": "[]", "Map": "map_new()"}.get(head(node.ty)) if node.kind == "none" else None
                return Code(empty or node.text, UNARY if node.text.startswith("-") else POSTFIX)
            case n.Interpolated():
                return self._interpolated(node)
            case n.Name():
                return self._name(node, expected)
            case n.Path():
                return self._path(node)
            case n.Call():
                return self.call(node, expected)
            case n.Piped():
                return self._lower(node.function, expected)
            case n.Member():
                return self._member(node, expected)
            case n.Index():
                return self._index(node)
            case n.Slice():
                return self._slice(node)
            case n.Unary():
                wanted = BOOL if node.operator == "!" else node.ty if head(node.operand.ty) == "Option" else expected
                operand = self.value(node.operand, wanted, UNARY)
                # Twice is not at all: `if not xs` asks the negation of `!is_empty(xs)`.
                return Code(operand[1:] if node.operator == "!" == operand[:1] else f"{node.operator}{operand}", UNARY)
            case n.Binary():
                return self._binary(node, expected)
            case n.If():
                return self.conditional(node, expected)
            case n.Match():
                return self.matched(node, expected)
            case n.Block():
                return self._block(node, expected)
            case n.Comprehension():
                return self.comprehension(node)
        return self._collection(node, expected)

    def _collection(self, node: n.Expr, expected: Type | None) -> Code:
        match node:
            case n.ListOf() if node.is_tuple:
                return self._collection(n.TupleOf(node.items, ty=node.ty, start=node.start, end=node.end), expected)
            case n.ListOf() if (record := self.program.records.get(head(node.ty))) is not None:
                given = dict(zip(record.fields, node.items, strict=False))
                return self._record(n.RecordOf(record.name, given, ty=node.ty, start=node.start, end=node.end), expected)
            case n.ListOf():
                return self._list(node)
            case n.TupleOf():
                expects_tuple = head(expected) == "Tuple" and is_known(expected)
                kind = expected if expects_tuple or not is_known(node.ty) else node.ty
                if not is_known(kind):
                    raise Untranslatable("a tuple whose types cannot be told", node.start)
                parts = [self.value(part, argument(kind, place)) for place, part in enumerate(node.items)]
                fields = ", ".join(f"{self.tuple_field(place)}: {part}" for place, part in enumerate(parts))
                return Code(f"{self.tuple_record(kind or Type())} {{ {fields} }}")
            case n.MapOf() if head(node.ty) in self.program.records:
                named = {key.text[1:-1]: part for key, part in node.pairs if isinstance(key, n.Literal)}
                return self._record(n.RecordOf(head(node.ty), named, ty=node.ty, start=node.start, end=node.end), expected)
            case n.MapOf():
                return self._map(node)
            case n.RecordOf():
                return self._record(node, expected)
            case n.VariantRecord():
                return self._variant_record(node)
            case n.Lambda() | n.OperatorFunction():
                return Code(self.lifted(node, expected))
            case n.Try():
                return self._tried(node)
            case n.Cast():
                return self._cast(node)
            case n.Range():
                return Code(f"{self.library('list_range')}({self.bounds(node)[0]}, {self.bounds(node)[1]})")
            case n.Jump():
                raise Untranslatable(f"`{node.kind}` inside of an expression", node.start)
        raise Untranslatable("a form that has no counterpart", node.start)

    # ---- names ----

    def _name(self, node: n.Name, expected: Type | None) -> Code:
        if node.name == "Infinity" and node.name not in self.variables:
            if "Float" in (head(node.ty), head(expected)):
                return Code(f'{self.library("option_unwrap")}(__builtin_float_parse("inf"))')
            return Code(BEYOND)
        if node.name in self.program.constants and node.name not in self.variables:
            return Code(f"{self.spelled(node.name)}()")
        if node.name[0].isupper() and node.name not in self.variables:
            variant = self.program.variant(head(expected), node.name) or self.program.variant("", node.name)
            if variant is not None:
                return Code(f"{variant[0].name}::{node.name}")
        return Code(self.spelled(node.name))

    def _path(self, node: n.Path) -> Code:
        owner = node.owner or head(node.ty)
        variant = self.program.variant(owner, node.name)
        if variant is not None:
            if variant[1].payload:
                return Code(self.lifted(node, None))
            return Code(f"{variant[0].name}::{node.name}")
        method = self.program.methods.get((owner, node.name))
        if method is not None:
            return Code(method)
        raise Untranslatable(f"`{node.owner}::{node.name}` is not known here", node.start)

    def _member(self, node: n.Member, expected: Type | None) -> Code:
        owner = node.object
        if isinstance(owner, n.Name) and owner.name in self.program.enums and self.program.variant(owner.name, node.name):
            return Code(f"{owner.name}::{node.name}")
        if node.operation is not None:
            return self.operated(node.operation, [owner], node, expected)
        if node.optional and head(owner.ty) == "Option":
            name, inner = self.fresh("value"), self.value(owner)
            place = part_place(node.name) if head(argument(owner.ty)) == "Tuple" else None
            part = node.name if place is None else self.tuple_field(place)
            held = f"{name}.{part}" if self.is_option_field(argument(owner.ty), part) else f"Some({name}.{part})"
            return Code(f"match {inner} {{ Some({name}) => {held}, None => None }}", ANY)
        kind, field = head(owner.ty), node.name
        if kind == "Tuple":
            place = part_place(field)
            field = field if place is None else self.tuple_field(place)
        elif kind == "Option" and head(argument(owner.ty)) == "Tuple" and field.isdigit():
            return Code(f"{self.library('option_unwrap')}({self.value(owner)}).{self.tuple_field(int(field))}")
        elif kind == "Option" and head(argument(owner.ty)) in self.program.records:
            return Code(f"{self.library('option_unwrap')}({self.value(owner)}).{field}")
        return Code(f"{self.value(owner, None, POSTFIX)}.{field}")

    # ---- operators ----

    @abstractmethod
    def float_text(self, node: n.Expr) -> Code: ...

    def as_text(self, node: n.Expr) -> Code:
        """A value as a String."""
        kind = head(node.ty)
        if kind == "Int" and self.program.habit in HABITS and is_quotient(node, self.program.quotients, self.program.source):
            self.guess(self.value(node), "a quotient is shown without its fraction")
        if kind == "Float" and self.program.shows_fractions is not False:
            return self.float_text(node)
        if kind in _AS_TEXT:
            return Code(f"{_AS_TEXT[kind]}({self.value(node)})")
        if kind == "Option":
            text = self.value(node)
            self.note_unwrapped(node, text)
            unwrapped = f"{self.library('option_unwrap')}({text})"
            inner = argument(node.ty)
            return self.as_text(n.Name(unwrapped, ty=inner)) if head(inner) in _AS_TEXT else Code(unwrapped)
        if kind not in ("String", ""):
            raise Untranslatable(f"a value of type {kind} as text", node.start)
        code = self.lower(node)
        if kind == "":
            self.guess(code.text, f"`{code.text}` is read as a String")
        return code

    # ---- literals ----

    def _interpolated(self, node: n.Interpolated) -> Code:
        parts = [self.as_text(part) for part in node.parts]
        if len(parts) < 2:
            return parts[0] if parts else Code('""')
        return Code(" ++ ".join(part.at(CONCAT + 1 if place else CONCAT) for place, part in enumerate(parts)), CONCAT)

    def _list(self, node: n.ListOf) -> Code:
        """A list; spread parts are concatenated."""
        kinds = {head(part.ty) for part in node.items if not isinstance(part, n.Spread)} - {""}
        item = argument(node.ty)
        are_texts = self.program.is_like_haskell and kinds == {"String", "List"} and head(item) == "String"
        if len(kinds) != 1 and kinds != {"Int", "Float"} and not kinds <= {"Option", head(item)} and not are_texts:
            item = Type()
        pieces: list[str] = []
        waiting: list[str] = []
        for part in node.items:
            if isinstance(part, n.Spread):
                if waiting:
                    pieces.append(f"[{', '.join(waiting)}]")
                    waiting = []
                pieces.append(self.value(part.value))
            else:
                waiting.append(self.value(part, item))
        if waiting or not pieces:
            pieces.append(f"[{', '.join(waiting)}]")
        text = pieces[-1]
        for piece in reversed(pieces[:-1]):
            text = f"__builtin_list_concat({piece}, {text})"
        return Code(text)

    def _map(self, node: n.MapOf, begin: str = "map_new()") -> Code:
        text = begin
        for key, value in node.pairs:
            text = f"__builtin_map_set({text}, {self.key(key)}, {self.value(value, argument(node.ty, 1))})"
        return Code(text)

    def key(self, node: n.Expr) -> str:
        """A key of a map: keys are Strings here."""
        expected = argument(node.ty) if head(node.ty) == "Option" and head(argument(node.ty)) else None
        if (kind := head(expected or node.ty)) in ("Int", "Bool"):
            return f"{_AS_TEXT[kind]}({self.value(node, expected)})"
        if kind not in ("String", ""):
            raise Untranslatable(f"a map with keys of type {kind}", node.start)
        text = self.value(node, expected)
        if kind == "" and not (isinstance(node, n.Literal) and node.kind == "string"):
            self.guess(text, f"the key `{text}` is read as a String")
        return text

    def _record(self, node: n.RecordOf, expected: Type | None) -> Code:
        if id(node) in self.program.maps:
            keys: list[n.Expr] = [n.Literal("string", f'"{written_name(field)}"', ty=STRING) for field in node.fields]
            pairs = list(zip(keys, node.fields.values(), strict=True))
            return self._map(n.MapOf(pairs, ty=node.ty), self.value(node.base) if node.base is not None else "map_new()")
        name = node.name or head(expected)
        record = self.program.records.get(name)
        if not name or (record is None and not name[0].isupper()):
            raise Untranslatable("a record whose type cannot be told", node.start)
        types = record.fields if record is not None else {}
        if name in self.program.objects:
            self.object_type(name)
        parts = [f"{field}: {self.value(part, types.get(field))}" for field, part in node.fields.items()]
        if node.base is not None:
            rest = [field for field in types if field not in node.fields]
            if rest or record is None:
                parts.insert(0, f"..{self.value(node.base, Type(name), POSTFIX)}")
        elif record is not None:
            for field, default in record.defaults.items():
                if field not in node.fields:
                    parts.append(f"{field}: {self.value(default, types.get(field))}")
            for field, kind in types.items():
                if field not in node.fields and field not in record.defaults and head(kind) == "Option":
                    parts.append(f"{field}: None")
        return Code(f"{name} {{ {', '.join(parts)} }}")

    def _variant_record(self, node: n.VariantRecord) -> Code:
        declared = self.program.variant(node.owner, node.name)
        if declared is None:
            raise Untranslatable(f"`{node.owner}::{node.name}` is not known here", node.start)
        enum, variant = declared
        types = dict(zip(variant.names, variant.payload, strict=False))
        parts = ", ".join(f"{name}: {self.value(part, types.get(name))}" for name, part in node.fields.items())
        return Code(f"{enum.name}::{variant.name}({self.payload_record(enum, variant)} {{ {parts} }})")

    # ---- brackets and conversions ----

    def _index(self, node: n.Index) -> Code:
        kind = head(node.object.ty)
        owner = self.value(node.object, None, ANY)
        if kind in self.program.records and isinstance(node.index, n.Literal) and node.index.kind == "string":
            return Code(f"{self.value(node.object, None, POSTFIX)}.{node.index.text[1:-1]}")
        if kind == "Map":
            lookup = f"__builtin_map_get({owner}, {self.key(node.index)})"
            return Code(lookup if node.may_be_absent else f"{self.library('option_unwrap')}({lookup})")
        if node.may_be_absent and kind == "List":
            return Code(f"{self.library('list_at')}({owner}, {self._place(node.index, owner, kind)})")
        if kind == "Option":
            owner = f"{self.library('option_unwrap')}({owner})"
        index = self._place(node.index, owner, kind)
        if kind == "String":
            return Code(f"{self.library('string_char_at')}({owner}, {index})")
        if kind == "Tuple":
            return Code(f"{owner}.{self.tuple_field(int(index))}") if index.isdigit() else Code(owner)
        if node.is_guess or kind != "List":
            self.guess(f"list_get({owner}", f"`{owner}` is read as a List")
        return Code(f"list_get({owner}, {index})")

    def _place(self, index: n.Expr, owner: str, kind: str) -> str:
        """An index; a negative literal counts from the end."""
        text = self.value(index, INT)
        if isinstance(index, n.Unary) and index.operator == "-":
            length = f"list_len({owner})" if kind != "String" else f"__builtin_string_len({owner})"
            return f"{length} - {self.value(index.operand, INT, MULTIPLY)}"
        if self.program.counts_from_one:
            if not self.program.is_counted:
                self.guess("list_get", "items are read as counted from 1, as a loop of the program counts them")
            if text.isdigit():
                return str(int(text) - 1)
            return text.removesuffix(" + 1") if text.endswith(" + 1") else f"{self.value(index, INT, ADD)} - 1"
        return text

    def _slice(self, node: n.Slice) -> Code:
        kind = head(node.object.ty)
        owner = self.named(self.lower(node.object), "whole")
        length = f"list_len({owner})" if kind != "String" else f"__builtin_string_len({owner})"
        low = self._place(node.low, owner, kind) if node.low is not None else "0"
        high = self._place(node.high, owner, kind) if node.high is not None else length
        if node.inclusive and node.high is not None:
            high = high.removesuffix(" - 1") if high.endswith(" - 1") else str(int(high) + 1) if high.isdigit() else f"{high} + 1"
        if kind == "String":
            return Code(f"{self.library('string_substring')}({owner}, {low}, {high})")
        if kind != "List":
            self.guess("list_slice", f"`{owner}` is read as a List")
        return Code(f"{self.library('list_slice')}({owner}, {low}, {high})")

    def _is_sure(self, node: n.Expr, inner: str) -> bool:
        return (self.all_is_true and inner != "Bool") or is_always_true(node, inner, self.program.habit, self.program.source)

    @abstractmethod
    def bounds(self, node: n.Range) -> tuple[str, str]: ...

    def _cast(self, node: n.Cast) -> Code:
        held, wanted = head(node.value.ty), head(node.target)
        if held == wanted:
            return self.lower(node.value)
        if not held:
            code = self.lower(node.value)
            self.guess(code.text, f"`{code.text}` is read as a value of type {wanted}")
            return code
        text = self.value(node.value)
        if held == "Int" and is_char(node.target):
            return Code(f"{self.library('string_from_code')}({text})")
        if (held, wanted) == ("Int", "Float"):
            return Code(f"{self.value(node.value, None, MULTIPLY)} * 1.0", MULTIPLY)
        if (held, wanted) == ("Float", "Int"):
            return Code(f"{self.library('float_to_int')}({text})")
        if (held, wanted) == ("Bool", "Int"):
            return Code(f"if {text} {{ 1 }} else {{ 0 }}", ANY)
        if wanted == "String" and held in _AS_TEXT:
            return Code(f"{_AS_TEXT[held]}({text})")
        if (held, wanted) == ("String", "Int") and node.is_prefix and not is_char(node.value.ty):
            return Code(f"parse_int({text})")
        if (held, wanted) == ("String", "Float") and node.is_prefix:
            return Code(f"{self.library('option_unwrap')}(__builtin_float_parse({text}))")
        if (held, wanted) == ("Option", "Int") and head(argument(node.value.ty)) in ("Int", "Float"):
            inner = n.Call(node.value, [], operations()[("Option", "unwrap", 0)], [node.value], ty=argument(node.value.ty))
            return self._cast(n.Cast(inner, node.target, node.is_prefix, start=node.start, end=node.end, ty=node.ty))
        if (held, wanted) == ("String", "Int"):
            return Code(f"{self.library('string_code')}({text})")
        raise Untranslatable(f"a conversion from {held} to {wanted}", node.start)

    def _tried(self, node: n.Try) -> Code:
        """`e?`: the value inside, or the end of the function with what is no value."""
        kind = head(node.value.ty)
        if kind not in ("Option", "Result"):
            raise Untranslatable("`?` on a value whose type cannot be told", node.start)
        value, name = self.value(node.value), self.fresh("value")
        source = self.fresh("tried")
        if kind == "Option":
            exit_text = self.failure_without_text() if head(self.result) == "Result" else "None"
            arms = f"Some({name}) => {name}, None => {{ return {exit_text} }}"
        else:
            error = self.fresh("error")
            arms = f"Ok({name}) => {name}, Err({error}) => {{ return Err({error}) }}"
        self.before.append(f"let {source} = match {value} {{ {arms} }}")
        return Code(source)

    def _block(self, node: n.Block, expected: Type | None) -> Code:
        if not node.statements and head(expected) in ("Map", "List"):
            return Code("map_new()" if head(expected) == "Map" else "[]")
        return Code(self.block_text(node, expected), ANY)

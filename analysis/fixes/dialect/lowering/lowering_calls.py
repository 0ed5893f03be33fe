"""Calls of other dialects in `.ax`: functions with their values in order, operations of the lexicon, closures as functions."""

from __future__ import annotations

import re
from abc import abstractmethod
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.lowering.call_parts import is_atom, mentions, of_items, shortened, takes_key, words
from analysis.fixes.dialect.lowering.lowering_formats import Formats, format_pieces
from analysis.fixes.dialect.lowering.writer import ANY, POSTFIX, Code
from analysis.fixes.dialect.rewriting.failures.closure_tries import holds_tries, without_tries
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, STRING, Type, argument, head, is_known
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, walk
from analysis.fixes.dialect.typing.operation_names import PARTIAL, VALUES
from analysis.fixes.dialect.typing.program import builtin_signatures
from analysis.suggestions.lexicon import FREE, operations
from analysis.suggestions.operation import Operation

_SHOWN: Final = "__builtin_float_to_string({0})"
_DIRECTIVE: Final = re.compile(r"%[-+#0]*+\d*+(?:\.\d+)?[a-zA-Z]")
_LENGTH: Final = re.compile(r"__builtin_string_len\((\{\d\})\)")
_SLOT: Final = ("{0}", "{1}", "{2}", "{3}")


class Calls(Formats):
    """`call` writes every call; operations over lists are in the next layer (`lowering_loops`)."""

    def call(self, node: n.Call, expected: Type | None) -> Code:
        if node.operation is not None:
            code = self.operated(node.operation, node.operands, node, expected)
            if node.is_guess:
                self.guess(code.text.partition("(")[0], f"`{node.operation.name}` is read as that of a {node.operation.kind}")
            return code
        function = node.function
        if isinstance(function, n.Path):
            return self._constructed(node, function)
        if isinstance(function, n.Name):
            return self._named(node, function, expected)
        if isinstance(function, n.Member):
            return self._method(node, function)
        if isinstance(function, (n.Lambda, n.OperatorFunction)):
            return Code(self.applied_to(function, [each.value for each in node.arguments]))
        arguments = ", ".join(self.value(each.value) for each in node.arguments)
        return Code(f"({self.value(function)})({arguments})")

    def _named(self, node: n.Call, function: n.Name, expected: Type | None) -> Code:
        name = function.name
        if name in self.program.records and name not in self.program.functions:
            return self._record_call(node, name)
        if name in ("Some", "Ok", "Err") and len(node.arguments) == 1:
            return Code(f"{name}({self.value(node.arguments[0].value, argument(expected))})")
        signature = self.program.functions.get(name)
        if signature is None and name not in self.variables:
            signature = builtin_signatures().get(name)
            if signature is None:
                raise Untranslatable(f"the function `{name}` is not known here", node.start)
            self.library(name)
        parameters = signature.parameters if signature is not None else ()
        if head(function.ty) == "Fn" and not parameters and function.ty is not None:
            parameters = function.ty.resolved().arguments[:-1]
        generics = signature.generics if signature is not None else ()
        values = []
        for place, each in enumerate(node.arguments):
            wanted = parameters[place] if place < len(parameters) else None
            if wanted is not None and (head(wanted) in generics or mentions(wanted, generics)):
                wanted = of_items(node.arguments[0].value.ty, parameters[0], wanted) if place > 0 else None
            is_key = place == 1 and name not in self.program.functions and takes_key(parameters)
            if is_key and head(each.value.ty) == "Int":
                values.append(self.key(each.value))
                keys = node.arguments[0].value.ty
                if not self.program.habit and head(argument(keys)) != "Int":
                    self.guess(values[-1], f"the key of a map is read as `{values[-1]}`")
            else:
                values.append(self.value(each.value, wanted))
        captured = self.captures(name)
        return Code(f"{self.function_name(name)}({', '.join([*values, *captured])})")

    def function_name(self, name: str) -> str:
        """The name that a function has here: those inside of others get one of their own."""
        return self.spelled(name)

    def captures(self, name: str) -> list[str]:
        """The outer variables that a function takes besides its arguments."""
        return []

    def _constructed(self, node: n.Call, path: n.Path) -> Code:
        owner = path.owner or head(node.ty)
        constructor = self.program.variant(owner, path.name)
        if constructor is None:
            raise Untranslatable(f"`{path.owner}::{path.name}` is not known here", node.start)
        enum, variant = constructor
        values = [
            self.value(each.value, variant.payload[place] if place < len(variant.payload) else None)
            for place, each in enumerate(node.arguments)
        ]
        if self.is_bundled(variant):
            fields = ", ".join(f"{name}: {text}" for name, text in zip(self.payload_fields(variant), values, strict=False))
            return Code(f"{enum.name}::{variant.name}({self.payload_record(enum, variant)} {{ {fields} }})")
        return Code(f"{enum.name}::{variant.name}({values[0]})" if values else f"{enum.name}::{variant.name}")

    def _record_call(self, node: n.Call, name: str) -> Code:
        record = self.program.records[name]
        spread = node.arguments[0].value if node.arguments else None
        base = spread.value if isinstance(spread, n.Spread) else None
        given = {each.name: each.value for each in node.arguments[1 if base is not None else 0 :]}
        if not set(given) <= set(record.fields):
            raise Untranslatable(f"the fields of `{name}`", node.start)
        literal = n.RecordOf(name, given, base, start=node.start, end=node.end, ty=node.ty)
        return self.lower(literal)

    def _method(self, node: n.Call, member: n.Member) -> Code:
        record = self.program.records.get(head(member.object.ty))
        if record is not None and member.name in record.fields:
            arguments = ", ".join(self.value(each.value) for each in node.arguments)
            return Code(f"{self.value(member.object, None, POSTFIX)}.{member.name}({arguments})")
        if record is not None and member.name == "copy" and all(each.name for each in node.arguments):
            update = n.RecordOf(record.name, {each.name: each.value for each in node.arguments}, member.object)
            update.start, update.end = node.start, node.end
            return self.lower(update)
        raise Untranslatable(f"the method `{member.name}` is not known here", node.start)

    # ---- operations ----

    def operated(self, operation: Operation, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        template = operation.template
        if template == _SHOWN and operation.name != "float_to_string":
            return self.as_text(operands[0])
        if template.startswith("@"):
            write = getattr(self, f"write_{template[1:]}", None)
            if write is None:
                raise Untranslatable(f"`{operation.name}` is not known here", node.start)
            return write(operands, node, expected)  # type: ignore[no-any-return]
        key_place = operation.parameters.index("K") + 1 if "K" in operation.parameters else 0
        texts = []
        for place, operand in enumerate(operands):
            wanted = self._parameter(operation, operands, place)
            texts.append(self.key(operand) if key_place and place == key_place else self.value(operand, wanted))
        if self.program.counts_wide_characters:
            template = _LENGTH.sub(r"__builtin_list_len(__builtin_string_chars(\1))", template)
        return self.filled(template, texts)

    def _parameter(self, operation: Operation, operands: list[n.Expr], place: int) -> Type | None:
        if place == 0:
            return (
                Type(operation.kind, *(Type(),) * 2)
                if operation.kind and head(operands[0].ty) == "Option" != operation.kind
                else None
            )
        written = operation.parameters[place - 1] if place <= len(operation.parameters) else ""
        if written == "T" and operation.kind in ("List", "Option", "Result"):
            return argument(operands[0].ty)
        if written == "V":
            return argument(operands[0].ty, 1)
        return {"Int": INT, "String": STRING}.get(written)

    def filled(self, template: str, texts: list[str]) -> Code:
        """A template with values in its places; a value in two places is computed once."""
        for place, slot in enumerate(_SLOT[: len(texts)]):
            if template.count(slot) > 1:
                texts[place] = self.named(Code(texts[place]), "value")
        is_operand = not template.endswith((")", "]")) or template.startswith("!") or template == "{0}"
        text = template
        for place, slot in enumerate(_SLOT[: len(texts)]):
            value = texts[place]
            if is_operand and template != "{0}" and not is_atom(value):
                value = f"({value})"
            text = text.replace(slot, value).replace("{key}", texts[1] if len(texts) > 1 else "{key}")
        for word in words(template):
            self.library(word)
        return Code(text, ANY if is_operand and template != "{0}" else (POSTFIX if template != "{0}" else ANY))

    def write_same(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.lower(operands[0], expected)

    def write_print(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Printing has one counterpart, which writes a value to the log of a run."""
        head_node = operands[0]
        if isinstance(head_node, n.Literal) and head_node.kind == "unit":
            return Code('__builtin_debug("")')
        if len(operands) == 1:
            return Code(f"__builtin_debug({self.lower(head_node).text})")
        is_format = isinstance(head_node, n.Literal) and any(is_code for is_code, _ in format_pieces(head_node.text[1:-1]))
        if is_format:
            return Code(f"__builtin_debug({self.write_format(operands, node, expected).text})")
        # Values without a format, which are shown with blanks between them.
        parts: list[n.Expr] = [operands[0]]
        for each in operands[1:]:
            parts += [n.Literal("string", '" "', ty=STRING), each]
        return Code(f"__builtin_debug({self.lower(n.Interpolated(parts, ty=STRING)).text})")

    def write_format(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`format!("{} of {}", a, b)`: the pieces joined; names in braces are variables."""
        head_node = operands[0]
        if not isinstance(head_node, n.Literal) or head_node.kind != "string":
            return self.as_text(head_node) if len(operands) == 1 else self._unformatted(node)
        pieces = format_pieces(head_node.text[1:-1])
        rest = list(operands[1:])
        parts: list[n.Expr] = []
        for is_code, text in pieces:
            if not is_code:
                parts.append(n.Literal("string", f'"{text}"', ty=STRING))
            elif text in ("", "d", "s", "v", "?", "i"):
                if not rest:
                    return self._unformatted(node)
                parts.append(rest.pop(0))
            elif text.isdigit() and int(text) + 1 < len(operands):
                parts.append(operands[1 + int(text)])
            else:
                place, _, form = text.rpartition(":")
                if not place and not rest:
                    return self._unformatted(node)
                numbered = place.isdigit() and int(place) + 1 < len(operands)
                value = operands[1 + int(place)] if numbered else rest.pop(0) if not place and rest else None
                formatted = self.with_format(value, form) if value is not None else None
                if formatted is None:
                    return self._unformatted(node)
                parts.append(formatted)
        shown = "".join(text for is_code, text in pieces if not is_code)
        if rest and len(rest) == len(operands) - 1 - sum(is_code for is_code, _ in pieces) and _DIRECTIVE.search(shown):
            return self._unformatted(node)
        return self.lower(n.Interpolated(parts, ty=STRING))

    def _unformatted(self, node: n.Expr) -> Code:
        raise Untranslatable("this format of a text", node.start)

    def write_Some(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"Some({self.value(operands[0], argument(expected) if head(expected) == 'Option' else None)})")

    def write_Ok(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"Ok({self.value(operands[0], argument(expected) if head(expected) == 'Result' else None)})")

    def write_Err(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"Err({self.value(operands[0], argument(expected, 1) if head(expected) == 'Result' else None)})")

    def write_list(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        if isinstance(operands[0], n.Literal) and operands[0].kind == "unit":
            return Code("[]")
        return Code(f"[{', '.join(self.value(part, argument(node.ty)) for part in operands)}]")

    def write_vec_repeat(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"{self.library('list_repeat')}({self.value(operands[0])}, {self.value(operands[1], INT)})")

    def write_range(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        texts = [self.value(part, INT) for part in operands]
        if len(texts) == 1:
            texts.insert(0, "0")
        if len(texts) == 3:
            return Code(f"{self.library('list_every')}({self.library('list_range')}({texts[0]}, {texts[1]}), {texts[2]})")
        return Code(f"{self.library('list_range')}({texts[0]}, {texts[1]})")

    def write_range_inclusive(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        low, high = self.bounds(n.Range(operands[0], operands[-1], True))
        return Code(f"{self.library('list_range')}({low}, {high})")

    # ---- reading lists, strings and maps ----

    def _optional(self, code: Code, node: n.Expr) -> Code:
        """A value that an operation gives as an Option, as what inference found it to be used as."""
        if head(node.ty) == "Option":
            return code
        if head(node.ty) == "Result":
            name = self.fresh("value")
            return Code(f"match {code.text} {{ Some({name}) => Ok({name}), None => {self.failure_without_text()} }}", ANY)
        return Code(f"{self.library('option_unwrap')}({code.text})")

    def write_list_get(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.library("list_at") if head(node.ty) == "Option" != head(argument(operands[0].ty)) else "list_get"
        return Code(f"{name}({self.value(operands[0])}, {self.value(operands[1], INT)})")

    def write_char_at(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        if head(node.ty) == "Option":
            return Code(
                f"{self.library('list_at')}(__builtin_string_chars({self.value(operands[0])}), {self.value(operands[1], INT)})"
            )
        return Code(f"{self.library('string_char_at')}({self.value(operands[0])}, {self.value(operands[1], INT)})")

    def write_list_first(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._optional(Code(f"__builtin_list_head({self.value(operands[0])})"), node)

    def write_list_last(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._optional(Code(f"{self.library('list_last')}({self.value(operands[0])})"), node)

    def write_list_max(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._optional(Code(f"{self.library('list_max')}({self.value(operands[0])})"), node)

    def write_list_min(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._optional(Code(f"{self.library('list_min')}({self.value(operands[0])})"), node)

    def write_list_index_of(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        code = Code(f"{self.library('list_index_of')}({self.value(operands[0])}, {self.value(operands[1])})")
        return self._place_or_minus(code, node)

    def write_string_index_of(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        code = Code(f"{self.library('string_index_of')}({self.value(operands[0])}, {self.value(operands[1])})")
        return self._place_or_minus(code, node)

    def _place_or_minus(self, code: Code, node: n.Expr) -> Code:
        """A place as an Option; where a number is wanted -1 stands for none, as in the languages that give one."""
        if head(node.ty) != "Int":
            return self._optional(code, node)
        name = self.fresh("place")
        return Code(f"match {code.text} {{ Some({name}) => {name}, None => -1 }}", ANY)

    def write_parse_int(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        text = self.value(operands[0])
        if head(node.ty) == "Option":
            return Code(f"__builtin_int_parse({text})")
        return Code(f"try_parse_int({text})" if head(node.ty) == "Result" else f"parse_int({text})")

    def write_sum(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"{self.library('list_sum')}({self.value(operands[0])})")

    def write_product(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(f"{self.library('list_product')}({self.value(operands[0])})")

    def write_map_get_or(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        owner, key = self.value(operands[0]), self.key(operands[1])
        other = self.value(operands[2], argument(operands[0].ty, 1))
        return Code(f"match __builtin_map_get({owner}, {key}) {{ Some({name}) => {name}, None => {other} }}", ANY)

    def write_map_keys(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        if head(argument(operands[0].ty)) not in ("String", ""):
            raise Untranslatable("the keys of a map that are no texts", node.start)
        return Code(f"__builtin_map_keys({self.value(operands[0])})")

    # ---- Option and Result ----

    # ---- functions as values ----

    def parameter_name(self, function: n.Expr, base: str, source: n.Expr | None = None) -> str:
        """The name that a closure gives its first parameter, else a fresh one; a loop that counts needs one of its own."""
        if isinstance(function, n.Lambda) and len(function.parameters) == 1 and isinstance(function.parameters[0], n.Binding):
            name = self.spelled(function.parameters[0].name)
            if function.parameters[0].inner is None and name != "_" and not isinstance(source, n.Range):
                return name
        return self.fresh(base)

    def branch(self, function: n.Expr, texts: list[str], types: list[Type]) -> str:
        """A function applied inside of a branch: a value, or a block where statements run first."""
        with self.captured() as before:
            text = self.applied(function, texts, types)
        return "{ " + "\n".join([*before, text]) + " }" if before else text

    def applied_to(self, function: n.Lambda | n.OperatorFunction, values: list[n.Expr]) -> str:
        texts = [self.named(self.lower(value), "value") for value in values]
        return self.applied(function, texts, [value.ty or Type() for value in values])

    def applied(self, function: n.Expr, texts: list[str], types: list[Type]) -> str:
        """A function applied to values that have names; what runs first goes before."""
        match function:
            case n.Lambda():
                return self._applied_closure(function, texts, types)
            case n.OperatorFunction() if len(texts) != (1 if function.operator == "." else 2):
                raise Untranslatable(f"`{function.operator}` as a function of {len(texts)} values")
            case n.OperatorFunction(operator="."):
                return f"{texts[0]}.{function.name}"
            case n.OperatorFunction():
                left, right = (n.Name(text, ty=kind) for text, kind in zip(texts, types, strict=False))
                return self.value(n.Binary(function.operator if function.operator != "<>" else "++", left, right))
            case n.Path() if self.program.variant(function.owner, function.name) is not None:
                names = [n.Argument(n.Name(text, ty=kind)) for text, kind in zip(texts, types, strict=False)]
                return self.value(n.Call(function, names, ty=function.ty))
            case n.Name() if function.name in self.program.functions or function.name in self.variables:
                return f"{self.function_name(function.name)}({', '.join([*texts, *self.captures(function.name)])})"
            case n.Name() if function.name in builtin_signatures():
                return f"{self.library(function.name)}({', '.join(texts)})"
            case n.Member() | n.Path() | n.Name():
                return self._applied_word(function, texts, types)
        return f"({self.value(function)})({', '.join(texts)})"

    def _applied_word(self, function: n.Member | n.Path | n.Name, texts: list[str], types: list[Type]) -> str:
        """`String.trim`, `str::len`, `int_to_string` as functions of a value."""
        kind = head(types[0]) if types else ""
        method = self.program.methods.get((kind, function.name))
        if method is not None:
            return f"{method}({', '.join(texts)})"
        words = [function.name, *shortened(function.name), FREE.get(function.name, function.name)]
        for word in words:
            operation = operations().get((kind, word, len(texts) - 1))
            if operation is not None:
                values = [n.Name(text, ty=each) for text, each in zip(texts, types, strict=False)]
                is_option = operation.result.startswith("Option") and function.name not in PARTIAL | VALUES
                held = n.Name(texts[0], ty=Type("Option", Type()) if is_option else None)
                return self.operated(operation, list(values), held, None).text
        if isinstance(function, n.Member) and head(function.object.ty) in self.program.records:
            return f"{self.value(function)}({', '.join(texts)})"
        raise Untranslatable(f"the function `{function.name}` is not known here", function.start)

    def _with_free_names(self, function: n.Lambda) -> n.Lambda:
        """A closure whose names are free, where it is applied a second time before one statement."""
        names = {name for pattern in function.parameters for name in bound_names(pattern)}
        taken = [name for name in names if any(line.startswith(f"let {self.spelled(name)} = ") for line in self.before)]
        if not taken:
            return function
        words = {name: self.fresh(name) for name in taken}
        function = deepcopy(function)
        for node in walk(function):
            if isinstance(node, (n.Name, n.Binding)) and node.name in words:
                node.name = words[node.name]
        return function

    def _applied_closure(self, function: n.Lambda, texts: list[str], types: list[Type]) -> str:
        function = self._with_free_names(function)
        if len(function.parameters) == 1 and len(texts) > 1 and isinstance(function.parameters[0], n.TuplePattern):
            patterns: list[n.Pattern] = function.parameters[0].items
        elif len(texts) == 1 and head(types[0]) == "Tuple" and len(types[0].resolved().arguments) == len(function.parameters):
            # `fun (a, b) -> …`, given a pair.
            patterns = [n.TuplePattern(list(function.parameters))]
        elif len(function.parameters) > len(texts) or (len(function.parameters) < len(texts) and function.parameters):
            raise Untranslatable("a closure with other parameters", function.start)
        else:
            patterns = function.parameters
        for pattern, text, kind in zip(patterns, texts, types, strict=False):
            self.bind(pattern, text, kind)
        body = function.body
        result = argument(function.ty, -1) if head(function.ty) == "Fn" else None
        wanted = result if is_known(result) else None
        if holds_tries(body):
            body = without_tries(body, result)
        if not isinstance(body, n.Block):
            return self.value(body, wanted)
        return self.inlined(body, wanted)

    @abstractmethod
    def any_value(self, kind: Type | None, depth: int = 0) -> str:
        """Some value of a type, for a place that is never reached; "" where none can be told."""
        ...

    @abstractmethod
    def inlined(self, block: n.Block, expected: Type | None) -> str:
        """A block's statements before the value that it ends with."""
        ...

    @abstractmethod
    def bind(self, pattern: n.Pattern, text: str, kind: Type | None) -> None: ...

"""Operations of other languages (`lexicon`): which one a call means, on which of its arguments, and what it gives."""

from __future__ import annotations

from typing import Final, TypeGuard

from analysis.fixes.dialect.rewriting.lists.comparisons import compares_two
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, FLOAT, INT, STRING, UNIT, Type, argument, head, instantiated, list_of, unify
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.class_collections import MODULES, collection_of, collection_word, heap_of, item_word, trait_of
from analysis.fixes.dialect.typing.derived import Form, derived, is_derived
from analysis.fixes.dialect.typing.fold_order import as_floats, settle_fold
from analysis.fixes.dialect.typing.inference_free import FILLING, FreeFunctions
from analysis.fixes.dialect.typing.inference_wanted import OF_OPTIONS
from analysis.fixes.dialect.typing.operation_names import (
    COMPARING,
    EMPTY,
    FAILING,
    HEAPS,
    NUMBERED,
    OF_NUMBERS,
    OPTIONAL,
    PARTIAL,
    PLAIN,
    SHOWING,
    VALUES,
    converting,
    is_operation,
    numbers_items,
    settle_conversion,
    without_kind,
)
from analysis.fixes.dialect.typing.program import GENERIC, type_of_text
from analysis.fixes.dialect.typing.roundings import rounded_word
from analysis.fixes.dialect.typing.scala_maps import gives_entries
from analysis.fixes.dialect.typing.taken_entries import entry_word
from analysis.suggestions.lexicon import FREE, KINDS, OTHER_OPERATIONS, VARIABLES, operations
from analysis.suggestions.operation import Operation

_TAKING: Final = ("python", "javascript", "ruby", "julia", "nim")
"""Habits in which taking the last or first item of a list gives the item."""
_KEYED: Final = ("@group_by", "@sort_by", "@sort_by_descending", "@max_by", "@min_by", "@tally")
_COPIES: Final = ("clone", "cloned", "copied", "to_owned", "copy", "dup")


class Operations(FreeFunctions):
    """Calls that are none of a function of the program."""

    def _module_call(self, node: n.Call, module: str, name: str, expected: Type | None) -> Type:
        """`List.map(f, xs)`, `Map::new()`, `String.from(x)`: a function of a module of another language."""
        kind = KINDS.get(module.lower(), MODULES.get(module, ""))
        values = [each.value for each in node.arguments]
        if module in HEAPS:
            for value in values:
                self.infer(value)
            return heap_of(node, module, name, values, self.program.source, expected)
        if (name in EMPTY and not values) or (name == "with_capacity"):
            node.operation = Operation(kind, name, (), "", {"Map": "map_new()", "String": '""'}.get(kind, "[]"))
            node.operands = [n.Literal("unit", "{}")]
            return Type(kind, *(Type() for _ in VARIABLES.get(kind, ())), trait=trait_of(module)) if kind else Type()
        if module in ("Box", "Rc", "Arc", "Cow", "RefCell") and len(values) == 1:
            node.operation = Operation("", name, (), "", "{0}")
            node.operands = values
            return self.infer(values[0], expected)
        if name in ("singleton", "repeat", "range", "init", "replicate", "pure") and kind == "List":
            return self._list_maker(node, name, values)
        if name in FILLING and kind == "List" and len(values) == 2:
            return self._list_maker(node, "repeat", values)
        if not values:
            return Type()
        name = converting(module, kind, name, len(values), head(self.infer(values[0])))
        if kind == "Result" and name in ("fromMaybe", "fromOption") and len(values) == 2:
            kind, name = "Option", "ok_or"
        if kind == "Result" and name in ("all", "sequence", "combine") and len(values) == 1:
            kind, name = "List", "sequence"
        if module in ("List", "Seq", "Array") and name == "groupBy" and len(values) == 2:
            # Of F#, whose groups are a list of pairs.
            name = "groups_in_pairs"
        if kind == "List" and name == "append" and len(values) == 2:
            # Of a module: all items of both lists.
            name = "append_all"
        if module in ("List", "Seq", "Array") and name == "countBy" and len(values) == 2:
            name = "counts_in_pairs"
        if kind == "String" and len(values) == 2 and "List" in (head(self.infer(values[0])), head(self.infer(values[1]))):
            kind, name = "List", "join"
        if (module, name, len(values)) == ("String", "concat", 2) and head(self.infer(values[1])) == "":
            # Of OCaml, of a separator and the texts.
            kind, name = "List", "join"
            unify(values[1].ty, list_of(STRING))
        if module in ("String", "string") and name == "slice" and len(values) == 3 and head(self.infer(values[0])) == "String":
            name = "substr"
        owner, rest = self._receiver(kind, name, values)
        if kind in ("List", "Map") and head(owner.ty) == "" and not self._is_function(owner):
            unify(self.infer(owner), Type(kind, *(Type() for _ in VARIABLES[kind])))
        return self._operation(node, name, owner, rest, expected)

    def _operation(self, node: n.Call, name: str, owner: n.Expr, rest: list[n.Expr], expected: Type | None) -> Type:
        kind = head(owner.ty) or head(self.infer(owner))
        if name in OF_OPTIONS and kind not in ("Option", "Result") and (kind, name, len(rest)) not in operations():
            kind = self._asked_for(owner) or kind
        name = self._gathered(name, kind, owner, rest, expected)
        kind = "List" if kind == "Range" else kind
        if name == "first" and kind == "List" and len(rest) == 1 and not self._is_function(rest[0]):
            name = "take"
        name = entry_word(self.program, node, rounded_word(self.program, node, name), kind, expected)
        if name == "center" and self.program.habit == "ruby":
            name = "center_format"
        if name == "getValueOrDefault" and kind == "Map":
            # Of C#, where a number that is absent is 0, and a text null.
            is_number = head(argument(owner.ty, 1)) in ("Int", "Float", "Bool")
            name = "get_or" if rest[1:] else "value_or_zero" if is_number else "get"
        if name == "count" and kind == "List" and len(rest) == 1 and not self._is_function(rest[0]):
            name = "count_item"
        if kind == "":
            kinds = self._kinds_having(name, owner, rest)
            kind = kinds[0] if len(set(kinds)) == 1 else ""
            if kinds[:1] == ("List",) and not kind and self.may_guess():
                kind, node.is_guess = "List", True
        if kind == "List" and owner.ty is not None:
            name = collection_word(owner.ty, item_word(name, owner) if not rest else name, len(rest), expected)
        if name in ("push", "append", "add") and kind == "List" and len(rest) == 1:
            # `append(xs, ys)`: of a list to one whose items are none, all of its items. A method of a list that is still
            # empty takes an item.
            item = self.infer(rest[0])
            items = ("List", "") if isinstance(node.function, n.Member) else ("List",)
            if head(item) == "List" and head(argument(owner.ty)) not in items:
                name = "append_all"
        if (name, kind, len(rest)) == ("concat", "List", 1) and head(self.infer(rest[0])) in PLAIN:
            rest = [n.ListOf(rest, start=rest[0].start, end=rest[0].end)]
        if name in NUMBERED and kind == "List" and rest and numbers_items(rest[0], argument(owner.ty), self.program.source):
            owner, rest = self._numbered(node, name, owner, rest)
            name = "map" if name in ("filter", "where") else name
        if kind == "Map" and name == "forEach" and self.program.habit == "javascript" and _takes_value_first(rest[0]):
            # JavaScript gives the value first.
            rest[0].parameters.reverse()
            name = "for_each"
        if kind == "String" and name == "replace" and self.program.is_javascript and isinstance(rest[0], n.Literal):
            name = "replace_first"
        is_text = kind == "List" and not rest and head(argument(owner.ty)) == "String"
        name = "join" if is_text and name in ("concat", "flatten", "flat") else name
        if kind == "Tuple" and is_operation("List", name, len(rest)) and head(argument(owner.ty, 1)) == "List":
            # A group of C#: its items stand behind its key.
            owner = n.Member(owner, "1", start=owner.start, end=owner.end)
            kind = head(self.infer(owner))
        if kind == "Map" and name == "map" and len(rest) == 1 and gives_entries(rest[0], expected, self.program.source):
            name = "map_entries_to_map"
        name = self._word_of(kind, name, owner, rest)
        return self._operation_of(kind, name, node, owner, rest, expected)

    def _operation_of(self, kind: str, name: str, node: n.Call, owner: n.Expr, rest: list[n.Expr], expected: Type | None) -> Type:
        """An operation of a value whose kind is known."""
        if kind == "List" and name in OF_NUMBERS and not rest and head(argument(owner.ty)) == "Option":
            owner = _taken_out(owner)
            self.infer(owner)
        functions_first = sorted(rest, key=lambda value: not self._is_function(value))
        operation = operations().get((kind, name, len(rest)))
        if self._prefers_derived(operation, kind, name, rest):
            form = derived(kind, name, [owner, *rest])
            assert form is not None
            return self._as_derived(node, form, owner, expected)
        if operation is None and kind == "Option" and is_operation(head(argument(owner.ty)), name, len(rest)):
            # An operation of the value inside: it is taken out.
            inner = argument(owner.ty)
            owner = n.Call(owner, [], operations()[("Option", "unwrap", 0)], [owner], start=owner.start, end=owner.end, ty=inner)
            return self._operation_of(head(inner), name, node, owner, rest, expected)
        if name == "reduce" and operation is not None and len(rest) == 2:
            functions_first = rest
        if operation is not None and len(rest) == 2 and operation.parameters[1].startswith("Fn"):
            # A fold's function may stand before its first value or behind it.
            rest = list(reversed(functions_first)) if self._is_function(functions_first[0]) else rest
        if operation is not None and operation.parameters and operation.parameters[0].startswith("Fn") and len(rest) == 1:
            if not self._is_function(rest[0]) and isinstance(rest[0], n.Literal):
                operation = None
        elif (
            operation is not None
            and len(rest) == 1
            and self._is_function(rest[0])
            and not operation.parameters[0].startswith("Fn")
        ):
            operation = next(
                (
                    operation
                    for (of, word, count), operation in operations().items()
                    if of == kind and count == 1 and word.startswith(name[:4]) and operation.parameters[0].startswith("Fn")
                ),
                None,
            )
        if operation is None and kind in ("Map", "String") and is_operation("List", name, len(rest)):
            # What a Map or a String has only as a list of its entries or characters.
            parts = "entries" if kind == "Map" else "chars"
            whole = n.Call(n.Member(owner, parts, start=owner.start, end=owner.end), [], start=owner.start, end=owner.end)
            self.infer(whole)
            return self._operation(node, name, whole, rest, expected)
        if operation is None and name in _COPIES and not rest:
            # Values do not change: a copy is the value itself.
            node.operation, node.operands = Operation("", name, (), "", "{0}"), [owner]
            return self.infer(owner, expected)
        if operation is None:
            for value in rest:
                self.infer(value)
            return STRING if name in SHOWING and kind in self.program.enums else Type()
        if operation.parameters[:1] == ("A",) and self.program.is_like_haskell and _is_partial(rest[0]):
            # `foldr f (head xs) xs`: what a fold begins with is a value.
            first = rest[0]
            rest = [n.Call(n.Member(first, "unwrap", start=first.start, end=first.end), []), *rest[1:]]
        node.operation, node.operands = operation, [owner, *rest]
        return self._operated(operation, owner, rest, expected)

    def _prefers_derived(self, operation: Operation | None, kind: str, name: str, rest: list[n.Expr]) -> bool:
        """True if an operation is one that other ones make: none else has its name, or the one that has takes no function."""
        if not is_derived(kind, name, len(rest)):
            return False
        if operation is None:
            return True
        return bool(rest) and self._is_function(rest[0]) and not operation.parameters[0].startswith("Fn")

    def _as_derived(self, node: n.Call, form: Form, owner: n.Expr, expected: Type | None) -> Type:
        operands = [owner, form.expression] if form.changes else [form.expression]
        node.operation = Operation("", "derived", (), "", "{1}" if form.changes else "{0}", form.changes)
        node.operands = operands
        held = self.infer(form.expression, expected if not form.changes else None)
        if isinstance(node.function, n.Member) and node.function.name in ("computeIfAbsent", "getOrPut", "putIfAbsent_by"):
            # What these give is the entry.
            self.infer(node.arguments[0].value)
            node.operation = node.operation._replace(template="@get_or_put")
            return argument(owner.ty, 1)
        return held

    def _numbered(self, node: n.Call, name: str, owner: n.Expr, rest: list[n.Expr]) -> tuple[n.Expr, list[n.Expr]]:
        """`xs.map((x, i) => …)`: over the items with their places."""
        closure = rest[0]
        assert isinstance(closure, n.Lambda)
        closure.parameters = [n.TuplePattern([closure.parameters[1], closure.parameters[0]])]
        numbered: n.Expr = n.Call(n.Member(owner, "enumerate"), [], start=owner.start, end=owner.end)
        if name in ("filter", "where"):
            numbered = n.Call(n.Member(numbered, "filter"), [n.Argument(closure)], start=owner.start, end=owner.end)
            item = n.Name("kept_item")
            taking: n.Expr = n.Lambda([n.TuplePattern([n.Wildcard(), n.Binding("kept_item")])], item)
            node.function = n.Member(numbered, "map", start=node.start, end=node.end)
            node.arguments = [n.Argument(taking)]
            rest = [taking]
        self.infer(numbered)
        return numbered, rest

    def _operated(self, operation: Operation, owner: n.Expr, rest: list[n.Expr], expected: Type | None) -> Type:
        """The result's type of an operation; arguments are inferred from left to right, functions last."""
        fresh = {name: Type() for name in GENERIC}
        wanted_kind = Type(operation.kind, Type(), Type()) if operation.kind in ("Option", "Result") else None
        kind = self.infer(owner, wanted_kind)
        if operation.template == "@assoc":
            unify(fresh["T"], Type("Tuple", fresh["K"], fresh["V"]))
        if operation.kind in VARIABLES:
            shape = Type(operation.kind, *(fresh[name] for name in VARIABLES[operation.kind]))
            unify(shape, list_of(INT) if head(kind) == "Range" else kind)
        elif operation.kind:
            unify(kind, Type(operation.kind))
        pairs = list(zip(operation.parameters, rest, strict=False))
        for written, value in sorted(pairs, key=lambda pair: pair[0].startswith("Fn")):
            wanted = instantiated(type_of_text(written), fresh)
            if head(wanted) == "Fn":
                parts = list(wanted.resolved().arguments)
                settle_fold(operation.template, value, [head(part) for part in parts[:-1]], self.program)
                if operation.template.startswith("@sort_by") and _compares(operation.name, value):
                    parts.insert(0, argument(wanted))
                settle_conversion(value, argument(wanted, -1))
                returned = self.applied(value, parts[:-1])
                if operation.template in _KEYED and head(returned) == "Option" and isinstance(value, n.Lambda):
                    value.body = n.Call(n.Member(value.body, "unwrap"), [], start=value.body.start, end=value.body.end)
                    returned = self.applied(value, parts[:-1])
                if (floats := as_floats(operation.template, rest, parts[:-1], returned)) is not None:
                    fresh["A"], returned = FLOAT, self.applied(value, floats)
                unify(argument(wanted, -1), returned)
            elif isinstance(value, n.Block) and not value.statements:
                value.ty = wanted
            else:
                unify(wanted, self.infer(value, wanted))
        if not operation.result:
            return self.infer(owner, expected)
        if operation.template == "@sequence":
            return _in_one(operation.name, fresh["T"], expected)
        if operation.template == "@map_from":
            return Type("Map", argument(fresh["T"], 0), argument(fresh["T"], 1))
        result = instantiated(type_of_text(operation.result), fresh)
        if operation.template in OPTIONAL:
            is_taken = operation.template in ("@list_pop", "@list_shift") and self.program.habit in _TAKING
            is_taken |= self.program.fails_early and operation.name in FAILING
            is_value = (operation.name in VALUES or is_taken) and head(expected) == ""
            return argument(result) if is_value else self._maybe(result, expected)
        if operation.template in ("@list_get", "@char_at") and head(expected) in ("Option", "Result"):
            return Type("Option", result)
        return result

    def _maybe(self, held: Type, expected: Type | None) -> Type:
        """An Option, or its content where that is expected; a Result if one is."""
        if head(expected) in ("", "Option"):
            return held
        return Type("Result", argument(held), STRING) if head(expected) == "Result" else argument(held)

    def applied(self, function: n.Expr, parts: list[Type]) -> Type:
        """The result of a function applied to values of some types."""
        match function:
            case n.Lambda():
                self.scopes.append({})
                if len(function.parameters) == 1 and len(parts) > 1:
                    parts = [Type("Tuple", *parts)]
                is_order = len(parts) == 1 and compares_two(function)
                if is_order:
                    parts = [parts[0], parts[0]]
                if len(function.parameters) > 1 and len(parts) == 1 and head(parts[0]) in ("Tuple", "List"):
                    function.parameters = [n.TuplePattern(list(function.parameters))]
                for pattern, kind in zip(function.parameters, parts, strict=False):
                    self.bind(pattern, kind)
                results, self.result = self.result, Type()
                result = self.infer(function.body)
                self.result = results
                self.scopes.pop()
                function.ty = Type("Fn", *parts, result)
                return result
            case n.OperatorFunction(operator="."):
                return self._by_name(function.name, parts[0] if parts else Type())
            case n.OperatorFunction():
                if function.operator in ("+", "-", "*", "/", "%", "++", "<>", "@", "^", "**") and parts:
                    unify(parts[0], parts[-1])
                    return parts[0]
                return BOOL
        if isinstance(function, (n.Member, n.Path)) and not self._is_constructor(function):
            return self._applied_member(function, parts)
        if isinstance(function, n.Name) and function.name not in self.program.functions and self.local(function.name) is None:
            held = self._applied_member(n.Member(n.Name("String"), function.name), parts)
            return argument(held) if function.name in PARTIAL and head(held) == "Option" else held
        if isinstance(function, n.Path):
            variant = self.program.variant(function.owner, function.name)
            if variant is not None:
                return Type(variant[0].name)
        kind = self.infer(function)
        if head(kind) == "Fn":
            inner = kind.resolved().arguments
            for left, right in zip(inner[:-1], parts, strict=False):
                unify(left, right)
            return inner[-1]
        return Type()

    def _is_constructor(self, node: n.Expr) -> bool:
        return isinstance(node, n.Path) and self.program.variant(node.owner, node.name) is not None

    def _by_name(self, name: str, kind: Type) -> Type:
        record = self.program.records.get(head(kind))
        if record is not None:
            return record.fields.get(name, Type())
        field = self._by_field(name, kind)
        return field if field is not None else Type()

    def _applied_member(self, function: n.Member | n.Path, parts: list[Type]) -> Type:
        """`String.trim` or `String::trim` as a function of one value."""
        method = self.program.methods.get((head(parts[0]) if parts else "", function.name))
        if method is not None:
            return self.program.functions[method].result
        kind = head(parts[0]) if parts else ""
        operation = operations().get((kind, function.name, len(parts) - 1))
        if operation is None:
            free = FREE.get(function.name, without_kind(function.name))
            operation = operations().get((kind, free, len(parts) - 1))
        if operation is None or not operation.result:
            return Type()
        fresh = {name: Type() for name in GENERIC}
        if operation.kind in VARIABLES and parts:
            unify(Type(operation.kind, *(fresh[name] for name in VARIABLES[operation.kind])), parts[0])
        result = instantiated(type_of_text(operation.result), fresh)
        return argument(result) if operation.name in VALUES and head(result) == "Option" else result

    def _other(self, node: n.Call, name: str, expected: Type | None) -> Type:
        values = [each.value for each in node.arguments]
        template = OTHER_OPERATIONS[name]
        node.operation = Operation("", name, (), "", template)
        node.operands = values or [n.Literal("unit", "{}")]
        inner = argument(expected, 1 if template == "@Err" else 0) if head(expected) in ("Option", "Result") else None
        types = [self.infer(value, inner if inner is not None and head(inner) else None) for value in values]
        first = types[0] if types else Type()
        match template:
            case "@Some":
                return Type("Option", first)
            case "@Ok":
                return Type("Result", first, argument(expected, 1) if head(expected) == "Result" else Type())
            case "@Err":
                return Type("Result", argument(expected) if head(expected) == "Result" else Type(), first)
            case "@list":
                item = Type()
                for kind in types:
                    unify(item, kind)
                return list_of(item)
            case "@collection":
                return collection_of(node, name, types)
            case "@vec_repeat":
                return list_of(first)
            case "@range":
                return Type("Range")
            case "@format" | "@replace_one":
                return STRING
            case "@print":
                return UNIT
            case "@same":
                return first
            case "@map_new":
                return first if head(first) == "Map" else Type("Map", Type(), Type())
        return Type()


def _compares(name: str, function: n.Expr) -> bool:
    """True if the function of a sort takes two items; the two names of `sort_by { |key, value| … }` are parts of one."""
    if not isinstance(function, n.Lambda) or len(function.parameters) != 2:
        return False
    return "by" not in name.lower() or any(
        (isinstance(node, n.Binary) and node.operator == "<=>")
        or (isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in COMPARING)
        for node in walk(function.body)
    )


def _takes_value_first(function: n.Expr) -> TypeGuard[n.Lambda]:
    """True if the names of two parameters leave room for the order of JavaScript."""
    if not _takes_two(function):
        return False
    first, second = (part.name if isinstance(part, n.Binding) else "" for part in function.parameters)
    return first not in ("k", "key") and second not in ("v", "value", "val")


def _in_one(name: str, item: Type, expected: Type | None) -> Type:
    """The type of what a list of values that may fail is as one; a Result of Options fails with a text."""
    held = head(item)
    if held == "Option" and name != "all_results" and head(expected) != "Result":
        return Type("Option", list_of(argument(item)))
    return Type("Result", list_of(argument(item)), argument(item, 1) if held != "Option" else STRING)


def _takes_two(function: n.Expr) -> TypeGuard[n.Lambda]:
    return isinstance(function, n.Lambda) and len(function.parameters) == 2


def _is_partial(node: n.Expr) -> bool:
    """True if a call is one of `head xs` and the like, which fail in Haskell where there is nothing."""
    return isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in PARTIAL


def _taken_out(items: n.Expr) -> n.Expr:
    """`xs.map(|s| s.parse()).sum()`: what is in the items of a list."""
    start, end = items.start, items.end
    taken = n.Call(n.Member(n.Name("each_value", start=start, end=end), "unwrap", start=start, end=end), [], start=start, end=end)
    closure = n.Lambda([n.Binding("each_value", start=start, end=end)], taken, start=start, end=end)
    return n.Call(n.Member(items, "map", start=start, end=end), [n.Argument(closure)], start=start, end=end)

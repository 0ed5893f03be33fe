"""Items of other dialects in `.ax`, and the functions that closures and inner functions become."""

from __future__ import annotations

from analysis.fixes.dialect.lowering.lowering_changes import Changes
from analysis.fixes.dialect.reading.scanner import Comment
from analysis.fixes.dialect.rewriting.functions.changes import changed_in_place
from analysis.fixes.dialect.rewriting.functions.reference_parameters import changed_roots
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, is_known
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, tails, walk
from analysis.fixes.dialect.typing.program import Program, builtin_signatures


class Lowering(Changes):
    """`item` writes one item; what it needs besides is in `added`."""

    def __init__(self, program: Program, comments: list[Comment]) -> None:
        super().__init__(program, comments)
        self._assigned: frozenset[str] = frozenset()
        self._captured: dict[str, list[str]] = {}
        self._renamed: dict[str, str] = {}
        self._locals: dict[str, Type] = {}

    def item(self, item: n.Item) -> str:
        match item:
            case n.Function():
                return self.function_text(item)
            case n.Record():
                fields = ", ".join(f"{name}: {self.type_text(kind)}" for name, kind in item.fields.items())
                return f"{_export(item.exported)}type {item.name} {{ {fields} }}"
            case n.Enum():
                return self._enum(item)
            case n.Constant():
                self.used = set()
                self.before = []
                value = self.value(item.value, item.type)
                inner = "\n".join([*self.before, value])
                return f"fn {item.name}() -> {self.type_text(item.type)} {{ {inner} }}"
            case n.Implementation():
                return "\n\n".join(self.function_text(function) for function in item.functions)
            case n.Alias():
                return ""
        raise Untranslatable("an item that has no counterpart", item.start)

    def _enum(self, item: n.Enum) -> str:
        """An enum; a variant with several values gets a record for them."""
        records: list[str] = []
        variants: list[str] = []
        for variant in item.variants:
            if self.is_bundled(variant):
                name = self.payload_record(item, variant)
                pairs = zip(self.payload_fields(variant), variant.payload, strict=False)
                records.append(f"type {name} {{ {', '.join(f'{field}: {self.type_text(kind)}' for field, kind in pairs)} }}")
                variants.append(f"{variant.name}({name})")
            else:
                variants.append(f"{variant.name}({self.type_text(variant.payload[0])})" if variant.payload else variant.name)
        return "\n\n".join([f"{_export(item.exported)}enum {item.name} {{ {', '.join(variants)} }}", *records])

    # ---- functions ----

    def function_text(self, function: n.Function, name: str = "", extra: str = "") -> str:
        state = self.used, self.function, self.result, self.loops, self.before, self._assigned, self.variables
        self.function, self.result, self.loops, self.before = function, function.result, [], []
        self.used = _names_in(function)
        self._assigned = _assigned_in(function) | changed_roots(function, self.program.references)
        self.variables = _variables_in(function) | (self.variables if extra else set())
        parameters = [f"{self.spelled(part.name)}: {self._parameter_type(part, function)}" for part in function.parameters]
        if extra:
            parameters.append(extra)
        head_text = f" {function.head}" if function.head else ""
        if head(function.result) == "Unit" and function.body.statements:
            self._unused |= tails(function.body)
        body = self.block_text(function.body, function.result)
        result = self._result_text(function)
        self.used, self.function, self.result, self.loops, self.before, self._assigned, self.variables = state
        exported = _export(function.exported)
        return f"{exported}fn {name or self.spelled(function.name)}({', '.join(parameters)}){result}{head_text} {body}"

    def _parameter_type(self, parameter: n.Parameter, function: n.Function) -> str:
        kind = parameter.type
        if kind is not None and head(kind) in function.generics and kind is not None:
            return head(kind)
        return self.type_text(kind)

    def _result_text(self, function: n.Function) -> str:
        kind = function.result
        if kind is None or function.is_open or head(kind) == "Unit" or not is_known(kind):
            return ""
        return f" -> {self.type_text(kind)}"

    def assigned_names(self) -> frozenset[str]:
        return self._assigned

    # ---- functions inside of functions, closures ----

    def inner_function(self, function: n.Function) -> None:
        outer = self._outer_names(function, {part.name for part in function.parameters})
        name = self._free_function(function.name)
        self._renamed[function.name] = name
        self._captured[function.name] = outer
        extra = ", ".join(f"{each}: {self._outer_type(each)}" for each in outer)
        text = self.function_text(function, name, extra)
        self.added.functions.append(text)

    def closure_variable(self, name: str, function: n.Lambda) -> bool:
        if not all(isinstance(part, n.Binding) and part.inner is None for part in function.parameters):
            return False
        kind = function.ty
        if head(kind) != "Fn" or kind is None or not is_known(kind):
            raise Untranslatable("a closure whose types cannot be told", function.start)
        parts = kind.resolved().arguments
        parameters = [
            n.Parameter(part.name, parts[place]) for place, part in enumerate(function.parameters) if isinstance(part, n.Binding)
        ]
        body = function.body if isinstance(function.body, n.Block) else n.Block([n.Evaluate(function.body)], start=function.start)
        definition = n.Function(name, parameters, parts[-1], body, start=function.start, end=function.end)
        if self._outer_names(definition, {part.name for part in parameters}) and self._is_value(name):
            raise Untranslatable("a closure that is handed on with outer variables", function.start)
        self.inner_function(definition)
        return True

    def _is_value(self, name: str) -> bool:
        """True if a function's name is used other than in calls."""
        called = {id(node.function) for node in walk(self.function) if isinstance(node, n.Call)} if self.function else set()
        if self.function is None:
            return False
        return any(isinstance(node, n.Name) and node.name == name and id(node) not in called for node in walk(self.function))

    def lifted(self, function: n.Expr, expected: Type | None) -> str:
        """A closure as a value: a function of the file, if it needs nothing from around it."""
        kind = function.ty if is_known(function.ty) else expected
        if isinstance(function, n.Path):
            return self._constructor_function(function)
        if not isinstance(function, n.Lambda) or kind is None or head(kind) != "Fn":
            raise Untranslatable("a function whose types cannot be told", function.start)
        parts = kind.resolved().arguments
        names = [part.name if isinstance(part, n.Binding) else "" for part in function.parameters]
        if not all(names) or len(names) != len(parts) - 1:
            raise Untranslatable("a closure with patterns as a value", function.start)
        parameters = [n.Parameter(name, part) for name, part in zip(names, parts, strict=False)]
        body = function.body if isinstance(function.body, n.Block) else n.Block([n.Evaluate(function.body)], start=function.start)
        definition = n.Function("closure", parameters, parts[-1], body, start=function.start, end=function.end)
        if self._outer_names(definition, set(names)):
            raise Untranslatable("a closure that is handed on with outer variables", function.start)
        name = self._free_function("closure")
        self.added.functions.append(self.function_text(definition, name))
        return name

    def _constructor_function(self, path: n.Path) -> str:
        constructor = self.program.variant(path.owner, path.name)
        if constructor is None or len(constructor[1].payload) != 1 or constructor[1].names:
            raise Untranslatable(f"`{path.name}` as a function", path.start)
        enum, variant = constructor
        name = self._free_function(f"make_{variant.name.lower()}")
        self.added.functions.append(
            f"fn {name}(value: {self.type_text(variant.payload[0])}) -> {enum.name} {{ {enum.name}::{variant.name}(value) }}"
        )
        return name

    def _free_function(self, base: str) -> str:
        name, number = base, 1
        while name in self.program.functions and self.program.definitions.get(name) is not None and name not in self._renamed:
            number += 1
            name = f"{base}_{number}"
        while any(text.startswith(f"fn {name}(") for text in self.added.functions):
            number += 1
            name = f"{base}_{number}"
        return name

    def _outer_names(self, function: n.Function, own: set[str]) -> list[str]:
        """The outer variables that a function uses, in order; it may not change them."""
        bound = set(own)
        for node in walk(function.body):
            if isinstance(node, n.Pattern):
                bound.update(bound_names(node))
        names: list[str] = []
        for node in walk(function.body):
            if isinstance(node, n.Name) and node.name not in bound and node.name not in names:
                if node.name not in self.used or not self._is_variable(node.name):
                    continue
                names.append(node.name)
                self._locals.setdefault(node.name, node.ty or Type())
            if isinstance(node, n.Assign) and isinstance(node.target, n.Name) and node.target.name not in bound:
                raise Untranslatable(f"`{node.target.name}` is changed by an inner function", node.start)
        if changed := changed_in_place(function) & set(names):
            raise Untranslatable(f"`{min(changed)}` is changed by an inner function", function.start)
        return names

    def _is_variable(self, name: str) -> bool:
        if self.function is None or name in self._captured:
            return False
        return name in self.variables

    def _outer_type(self, name: str) -> str:
        kind = self._locals.get(name)
        if self.function is not None:
            for part in self.function.parameters:
                if part.name == name:
                    kind = part.type
        return self.type_text(kind)

    def function_name(self, name: str) -> str:
        return self._renamed.get(name, self.spelled(name))

    def captures(self, name: str) -> list[str]:
        return self._captured.get(name, [])


def _export(exported: bool) -> str:
    return "export " if exported else ""


def _names_in(function: n.Function) -> set[str]:
    names = {part.name for part in function.parameters}
    for node in walk(function):
        if isinstance(node, n.Name):
            if node.name not in builtin_signatures():
                names.add(node.name)
        elif isinstance(node, n.Pattern):
            names.update(bound_names(node))
    return names


def _variables_in(function: n.Function) -> set[str]:
    bound = {each for node in walk(function) if isinstance(node, n.Pattern) for each in bound_names(node)}
    return bound | {part.name for part in function.parameters}


def _assigned_in(function: n.Function) -> frozenset[str]:
    """Names that are assigned, as a whole or in a part, or changed by a method."""
    assigned: set[str] = set()
    for node in walk(function):
        target: n.Expr | None = None
        if isinstance(node, n.Assign):
            target = node.target
        elif isinstance(node, n.Call) and node.operation is not None and node.operation.mutates:
            target = node.operands[0]
        elif isinstance(node, n.Evaluate) and isinstance(node.value, n.Call) and node.value.arguments:
            target = node.value.arguments[0].value
        for each in target.items if isinstance(target, n.TupleOf) else [target]:
            while isinstance(each, (n.Member, n.Index)):
                each = each.object
            if isinstance(each, n.Name):
                assigned.add(each.name)
    return frozenset(assigned)

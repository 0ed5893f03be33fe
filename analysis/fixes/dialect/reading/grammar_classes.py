"""Classes of other languages: fields, a constructor and methods, as a record and functions on it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import fields as attributes
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_kotlin import KotlinForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import Annotated
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import bound_names, walk

_MODIFIERS: Final = (
    "public", "private", "protected", "internal", "final", "readonly", "override", "virtual", "mutating", "open", "export", "pub",
    "operator", "infix", "inline", "suspend", "tailrec", "async",
)  # fmt: skip
ZEROS: Final = {"Int": ("int", "0"), "Float": ("float", "0.0"), "Bool": ("bool", "false")}
_FUNCTIONS: Final = ("fn", "def", "fun", "func", "function")
_CONSTRUCTORS: Final = ("__init__", "constructor", "init", "initialize")


class Classes(KotlinForms):
    """Reads a class behind its name."""

    @abstractmethod
    def _parameters(self) -> list[n.Parameter]: ...

    @abstractmethod
    def _generics(self) -> list[str]: ...

    @abstractmethod
    def _fields(self, closing: str) -> tuple[dict[str, Type], dict[str, n.Expr]]: ...

    @abstractmethod
    def _variants(self, closing: str) -> list[n.Variant]: ...

    def named_last(self, exported: bool) -> n.Item:
        """`typedef struct { … } Name;`, `typedef enum { … } Name;`."""
        self.expect("typedef")
        word = self.take().text
        if self.token.kind == NAME:
            self.take()
        self.expect("{")
        if word == "enum":
            variants = self._variants("}")
            return n.Enum(self.name(), variants, exported)
        fields, defaults = self._fields("}")
        return n.Record(self.name(), fields, exported, defaults)

    def received(self, exported: bool) -> n.Implementation:
        """`func (c *Counter) add(by int) { … }`: a method whose value has a name of its own."""
        at = self.at
        self.take()
        self.expect("(")
        name = self.name() if self.token.kind == NAME and self.ahead().text != ")" else ""
        self.skip(":")
        owner = self.type().name
        self.expect(")")
        # What stands between the word and the name is read already: the function begins at its name.
        self.at -= 1
        function = self.inner_function(exported)
        function.start = self.tokens[at].start
        if name and name in {part.name for part in function.parameters}:
            raise self.unknown("a parameter with a name of its own")
        function.parameters.insert(0, n.Parameter("self", Type(owner), start=function.start, end=function.start))
        for node in walk(function.body):
            if isinstance(node, n.Name) and node.name == name:
                node.name = "self"
        return n.Implementation(owner, [function])

    def is_class_body(self) -> bool:
        """True if methods stand in the body at this place."""
        if self.is_sign(":"):
            return self.ahead().is_first
        stop = self.behind_brackets.get(self.at, len(self.tokens) - 1)
        depth = 0
        for place in range(self.at, min(stop, len(self.tokens) - 1)):
            token, following = self.tokens[place], self.tokens[place + 1]
            depth += (token.text in ("{", "(", "[")) - (token.text in ("}", ")", "]"))
            is_call = depth == 1 and token.kind == NAME and following.text == "(" and not following.is_first
            if is_call and self._sets_fields(place + 2):
                return True
            if is_call and token.text != "new":
                return self.tokens[place - 1].text not in (":", "=", "|", ",") and self._opens_body(place + 1)
        return False

    def _sets_fields(self, place: int) -> bool:
        """`Point(this.x, this.y)`, `Point({required this.x})`: a constructor of Dart, behind its parenthesis."""
        while self.tokens[place].text in ("{", "[", "required"):
            place += 1
        return self.tokens[place].text == "this" and self.tokens[place + 1].text == "."

    def _given_fields(self, definition: Definition, start: int) -> None:
        """The constructor `Point(this.x, {this.y = 0});` behind its parenthesis."""
        parameters: list[n.Parameter] = []
        while not self.skip(")"):
            self.skip("{", "[")
            self.skip("required")
            self.expect("this")
            self.expect(".")
            at, name = self.token.start, self.name()
            default = self.expression() if self.skip("=") else None
            parameters.append(n.Parameter(name, definition.fields.get(name), default, start=at, end=self.before.end))
            self.skip("}", "]")
            self.skip(",")
            self.skip("}", "]")
        self.expect(";")
        values: dict[str, n.Expr] = {part.name: n.Name(part.name, start=part.start, end=part.end) for part in parameters}
        values |= {name: value for name, value in definition.defaults.items() if name not in values}
        literal = n.RecordOf(definition.name, values, start=start, end=self.before.end)
        block = n.Block([n.Evaluate(literal, start=start, end=self.before.end)], start=start, end=self.before.end)
        definition.functions.append(n.Function("new", parameters, Type(definition.name), block, start=start, end=self.before.end))

    def _getter(self, definition: Definition) -> bool:
        """`int get area => w * h;` of Dart."""
        if not (self.ahead().text == "get" and self.ahead(2).kind == NAME and self.ahead(3).text in ("=>", "{")):
            return False
        start, kind = self.token.start, self.type()
        self.expect("get")
        name = self.name()
        definition.getters[name] = kind
        own = n.Parameter("self", Type(definition.name), start=start, end=start)
        definition.functions.append(n.Function(name, [own], kind, self.arrow_body(), start=start, end=self.before.end))
        return True

    def _opens_body(self, place: int) -> bool:
        """True if a block follows the parentheses at a place, perhaps behind a type."""
        place = self.behind_brackets.get(place, len(self.tokens) - 1)
        for token in self.tokens[place : place + 8]:
            if token.text in ("{", "=>", "="):
                return True
            if token.is_first or token.text in (",", ";", "}"):
                return False
        return False

    def class_body(self, name: str, column: int, exported: bool) -> list[n.Item]:
        """The record and the functions of a class whose body begins here."""
        definition = Definition(name)
        if self.skip("{"):
            while not self.skip("}"):
                self.member_of(definition)
        else:
            self.expect(":")
            while self.token.kind != "end" and self.token.is_first and self.token.column > column:
                self.member_of(definition)
        for function in definition.functions:
            if function.name != "new":
                with_fields(function, {**definition.fields, **definition.getters})
                with_own_methods(function, definition)
        record = n.Record(name, definition.fields, exported, definition.defaults)
        return [record, n.Implementation(name, definition.functions)]

    @lazily
    def raw_values(self) -> dict[int, n.Expr]:
        """Declared values of variants, by offset."""
        return {}

    def raw_value(self) -> n.Expr:
        """The number or the text behind `case red =`."""
        if self.token.kind not in (INT, STRING):
            raise self.unknown("a variant without a value of its own is expected")
        return self._pattern_literal()

    def settle_extensions(self, items: list[n.Item]) -> None:
        """Functions of other types that name the fields of their value alone."""
        fields = {item.name: item.fields for item in items if isinstance(item, n.Record)}
        for function in self.extensions:
            with_fields(function, fields.get((function.parameters[0].type or Type()).name, {}))

    def methods_behind(self, items: list[n.Item]) -> list[n.Item]:
        """The methods in braces behind `record Point(int x, int y)`, `data class Point(val x: Int)`."""
        record = items[0] if len(items) == 1 else None
        if not isinstance(record, n.Record) or not self.is_sign("{") or self.token.is_first or self.before.text != ")":
            return []
        definition = Definition(record.name)
        definition.fields = record.fields
        self.take()
        while not self.skip("}"):
            self.member_of(definition)
        if definition.defaults:
            raise self.unknown("a record whose fields are all given")
        for function in definition.functions:
            with_fields(function, {**definition.fields, **definition.getters})
            with_own_methods(function, definition)
        return [n.Implementation(record.name, definition.functions)] if definition.functions else []

    def member_of(self, definition: Definition) -> None:
        if self.skip(";", "pass") or self.inner_type():
            return
        start = self.token.start
        while self.is_word(*_MODIFIERS):
            self.take()
        is_static = bool(self.skip("static"))
        if self.token.text == "const" and self.ahead().text == definition.name:
            self.take()
        if self.is_word("get") and self.ahead().kind == NAME and self.ahead(2).text == "(":
            # `get area() { … }` of JavaScript.
            self.take()
            definition.getters[self.token.text] = Type()
        if self.is_word(definition.name) and self.ahead().text == "(" and self._sets_fields(self.at + 2):
            self.take()
            self.take()
            self._given_fields(definition, start)
            return
        if self.token.kind == NAME and self._getter(definition):
            return
        if self.is_word(*_FUNCTIONS) and self.ahead().kind == NAME and self.ahead().text not in _CONSTRUCTORS:
            function = self.inner_function()
        elif self._at_constructor(definition.name):
            self._constructor(definition, start)
            return
        elif (typed := self.typed_name("(")) is not None:
            parameters = self._parameters()
            function = n.Function(typed[1], parameters, typed[0], self.arrow_body(), start=start, end=self.before.end)
        elif self.token.kind == NAME and self.ahead().text == "(":
            name = self.name()
            parameters = self._parameters()
            result = self.type() if self.skip(":", "->") else None
            function = n.Function(name, parameters, result, self.block(), start=start, end=self.before.end)
        else:
            self._field_of(definition)
            return
        function.parameters = [part for part in function.parameters if part.name != "self"]
        if not is_static:
            function.parameters.insert(0, n.Parameter("self", Type(definition.name), start=function.start, end=function.start))
        definition.functions.append(function)

    def arrow_body(self) -> n.Block:
        """A body in braces, or `=> value`."""
        if not self.skip("=>", "="):
            return self.block()
        value = self.expression()
        self.skip(";")
        return n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)

    def _at_constructor(self, name: str) -> bool:
        if self.is_word(*_FUNCTIONS):
            return self.ahead().text in _CONSTRUCTORS
        return self.is_word(*_CONSTRUCTORS, name) and self.ahead().text == "("

    @abstractmethod
    def _skip_accessors(self) -> None: ...

    def _field_of(self, definition: Definition) -> None:
        while self.is_word("let", "var", "val", "const", "mut"):
            self.take()
        typed = self.typed_name("=", ";", "{", ",", "=>", "\n")
        name = typed[1] if typed is not None else self.name()
        kind = typed[0] if typed is not None else self.type() if self.skip(":") else Type()
        if self.is_sign("{") and not self.token.is_first and typed is None:
            # `var area: Int { … }`: a method that is called without parentheses.
            start = self.token.start
            body = self.block()
            own = n.Parameter("self", Type(definition.name), start=start, end=start)
            definition.getters[name] = kind
            definition.functions.append(n.Function(name, [own], kind, body, start=start, end=self.before.end))
            return
        if self.is_sign("=>") and typed is not None:
            # `decimal Mean => total / count;` of C#.
            start = self.token.start
            own = n.Parameter("self", Type(definition.name), start=start, end=start)
            definition.getters[name] = kind
            definition.functions.append(n.Function(name, [own], kind, self.arrow_body(), start=start, end=self.before.end))
            return
        definition.fields[name] = kind
        self._skip_accessors()
        if self.skip("="):
            definition.defaults[name] = self._made_by_type(kind) or self.expression()
            definition.fields[name] = kind_of_made(kind, definition.defaults[name])
        elif typed is not None and kind.name in ZEROS:
            # Numbers and truths of Java and C# begin as zero.
            definition.defaults[name] = n.Literal(*ZEROS[kind.name], start=self.before.end, end=self.before.end)
        follows = (",", ";", "=") if typed is not None else ("=", ":")
        while self.is_sign(",") and self.ahead().kind == NAME and self.ahead(2).text in follows:
            # `int x, y = 1;`, `var x = 0, y = 0`
            self.take()
            name = self.name()
            definition.fields[name] = kind if typed is not None else self.type() if self.skip(":") else Type()
            if self.skip("="):
                definition.defaults[name] = self.expression()
        self.skip(";", ",")

    def _made_by_type(self, kind: Type) -> n.Expr | None:
        """`= new();`: an empty collection of the field's type; None for another value."""
        is_empty = self.is_word("new") and [self.ahead(step).text for step in (1, 2)] == ["(", ")"]
        if not is_empty or kind.name not in ("List", "Map"):
            return None
        start = self.token.start
        self.at += 3
        return n.ListOf([], start=start, end=start) if kind.name == "List" else n.MapOf([], start=start, end=start)

    def _setting_body(self) -> n.Block:
        """The body of a constructor: in braces, or `=> Name = name;`."""
        if not self.skip("=>"):
            return self.block()
        start = self.before.end
        statement = self.statement()
        self.skip(";")
        return n.Block([statement], start=start, end=self.before.end)

    def _constructor(self, definition: Definition, start: int) -> None:
        """The constructor's assignments to fields; it may hold nothing else."""
        if self.is_word(*_FUNCTIONS):
            self.take()
        self.take()
        inside = self.tokens[self.at + 1 : self.behind_brackets.get(self.at, self.at)]
        if any(each.text in ("private", "public", "protected", "readonly") and each.kind == NAME for each in inside):
            raise self.unknown("parameters that are no fields")
        parameters = [part for part in self._parameters() if part.name != "self"]
        body = self._setting_body()
        given = {part.name: part.type for part in parameters}
        values: dict[str, n.Expr] = dict(definition.defaults)
        for statement in body.statements:
            name = _set_field(statement, definition.fields, given)
            if not name:
                raise self.unknown("a constructor that sets fields only")
            assert isinstance(statement, n.Assign)
            if isinstance(statement, Annotated):
                definition.fields[name] = statement.kind
            values[name] = _filled(statement.value)
            kind = given.get(statement.value.name) if isinstance(statement.value, n.Name) else None
            definition.fields.setdefault(name, kind or Type())
        definition.defaults.clear()
        literal = n.RecordOf(definition.name, values, start=start, end=self.before.end)
        block = n.Block([n.Evaluate(literal, start=start, end=self.before.end)], start=start, end=self.before.end)
        definition.functions.append(n.Function("new", parameters, Type(definition.name), block, start=start, end=self.before.end))


def kind_of_made(kind: Type, value: n.Expr) -> Type:
    """The type of a field: that of the empty collection that it begins with, where nothing else is said."""
    return value.target if not kind.name and isinstance(value, n.Cast) else kind


def _filled(value: n.Expr) -> n.Expr:
    """`{}` as the value of a field: a map without entries."""
    is_empty = (isinstance(value, n.Block) and not value.statements) or (isinstance(value, n.Literal) and value.text == "{}")
    return n.MapOf([], start=value.start, end=value.end) if is_empty else value


def _set_field(statement: n.Statement, fields: dict[str, Type], given: dict[str, Type | None]) -> str:
    """The field that a statement of a constructor sets, also without `self`; "" for another statement."""
    target = statement.target if isinstance(statement, n.Assign) and not statement.operator else None
    if isinstance(target, n.Name):
        return target.name if target.name in fields and target.name not in given else ""
    is_own = isinstance(target, n.Member) and isinstance(target.object, n.Name) and target.object.name == "self"
    return target.name if is_own and isinstance(target, n.Member) else ""


class Definition:
    """Parts of a class that was read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: dict[str, Type] = {}
        self.defaults: dict[str, n.Expr] = {}
        self.functions: list[n.Function] = []
        self.getters: dict[str, Type] = {}
        """Types of computed properties, which are read like fields."""


def with_fields(function: n.Function, fields: dict[str, Type]) -> None:
    """Fields that a method names without `self`, with it."""
    if not any(part.name == "self" for part in function.parameters):
        return
    own = {part.name for part in function.parameters}
    for node in walk(function.body):
        if isinstance(node, n.Pattern):
            own.update(bound_names(node))
    for node in list(walk(function.body)):
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name == "copy":
            # `copy(x = 1)` of Kotlin: the value with other fields.
            node.function = _member(node.function) if all(each.name in fields for each in node.arguments) else node.function
        for name, value in _values(node):
            if isinstance(value, n.Name) and value.name in fields and value.name not in own:
                setattr(node, name, _member(value))
            elif isinstance(value, list):
                value[:] = [
                    _member(each) if isinstance(each, n.Name) and each.name in fields and each.name not in own else each
                    for each in value
                ]


def with_own_methods(function: n.Function, definition: Definition) -> None:
    """Methods that another one calls by their names alone, with `self`."""
    if not any(part.name == "self" for part in function.parameters):
        return
    own = {each.name for each in definition.functions if any(part.name == "self" for part in each.parameters)}
    for node in walk(function.body):
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in own:
            node.function = _member(node.function)


def _values(node: n.Node) -> Iterator[tuple[str, object]]:
    for each in attributes(node):
        yield each.name, getattr(node, each.name)


def _member(name: n.Name) -> n.Member:
    owner = n.Name("self", start=name.start, end=name.end)
    return n.Member(owner, name.name, start=name.start, end=name.end)

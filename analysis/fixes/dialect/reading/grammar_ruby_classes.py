"""Classes of Ruby: `class Account … end`, `Item = Struct.new(:name, :price) do … end`, and what their methods call `@name`."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.defined_operators import with_functions, with_named_operators
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_classes import Definition, with_fields, with_own_methods
from analysis.fixes.dialect.reading.grammar_modules import ModuleGrammar
from analysis.fixes.dialect.reading.library_bases import without_library_bases
from analysis.fixes.dialect.reading.token_forms import FORMS
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import walk

_CLASS: Final = re.compile(
    r"^[ \t]*(?:class[ \t]+([A-Z]\w{0,60})[ \t]*(?:<[ \t]*(?:Struct\.new\([^\n]*|[A-Z]\w{0,60}))?$"
    r"|record[ \t]+([A-Z]\w{0,60}),[^\n]{1,300}$|([A-Z]\w{0,60})[ \t]*=[ \t]*(?:Struct\.new|Data\.define)\b)",
    re.MULTILINE,
)
_ATTRIBUTES: Final = ("attr_accessor", "attr_reader", "attr_writer")
_SCOPES: Final = ("private", "public", "protected")
_MAKERS: Final = {"Struct": "new", "Data": "define"}


class RubyClasses(ModuleGrammar):
    """Reads them as a record and its functions."""

    def settle_tokens(self) -> None:
        for form in FORMS:
            self.tokens = form(self.tokens, self.text)
        self.tokens = with_named_operators(without_library_bases(self.tokens, self.own_types))
        if self.own_operators:
            self.tokens = with_functions(self.tokens, self.text, self.own_operators)
        super().settle_tokens()

    @lazily
    def ruby_classes(self) -> frozenset[str]:
        """The names of the classes that are declared as in Ruby."""
        return frozenset(name for names in _CLASS.findall(self.text) for name in names if name)

    def item_of_language(self, word: str) -> list[n.Item] | None:
        if word == "class" and self.ahead().text in self.ruby_classes and self.uses_end:
            return self._class_of_ruby()
        if word in self.ruby_classes and self.ahead().text == "=":
            return self._struct_of_ruby()
        return super().item_of_language(word)

    def _class_of_ruby(self) -> list[n.Item]:
        self.take()
        definition = Definition(self.name())
        if self.skip("<"):
            self._symbols_of_struct(definition)
        return self._members_of_ruby(definition)

    def _struct_of_ruby(self) -> list[n.Item]:
        """`Item = Struct.new(:name, :price) do … end`."""
        definition = Definition(self.name())
        self.expect("=")
        self._symbols_of_struct(definition)
        if self.is_word("do") and not self.token.is_first:
            self.take()
            return self._members_of_ruby(definition)
        return [n.Record(definition.name, definition.fields, False, definition.defaults)]

    def _symbols_of_struct(self, definition: Definition) -> None:
        """`Struct.new(:name, :price, keyword_init: true)`."""
        maker = self.name()
        self.expect(".")
        self.expect(_MAKERS.get(maker, "new"))
        self.expect("(")
        while not self.skip(")"):
            if self.is_word("keyword_init"):
                self.take()
                self.expect(":")
                self.take()
            else:
                self.expect(":")
                definition.fields[self.name()] = Type()
            self.skip(",")

    def _members_of_ruby(self, definition: Definition) -> list[n.Item]:
        others: list[n.Item] = []
        attributes: list[str] = list(definition.fields)
        while not self.skip("end"):
            if self.is_word(*_ATTRIBUTES):
                self.take()
                attributes += self._symbols()
            elif self.is_word("include", "extend"):
                self.take()
                self.name()
            elif self.is_word(*_SCOPES) and (self.ahead().is_first or self.ahead().text == "def"):
                self.take()
            elif self.token.kind == NAME and self.token.text[0].isupper() and self.ahead().text == "=":
                others.append(self._bare_constant())
            else:
                self.member_of(definition)
        for name in attributes:
            if name not in definition.fields:
                raise self.unknown("attributes that the constructor sets")
        simple = {each.name: each.result or Type() for each in definition.functions if len(each.parameters) == 1}
        for function in definition.functions:
            if function.name != "new":
                own = _assigned(function)
                read = {name: Type() for name in attributes} | simple
                with_fields(function, {name: kind for name, kind in read.items() if name not in own})
                with_own_methods(function, definition)
            for node in walk(function.body):
                if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name == "new":
                    node.function.name = definition.name
        record = n.Record(definition.name, definition.fields, False, definition.defaults)
        functions = n.Implementation(definition.name, definition.functions)
        return [record, functions, *others] if definition.functions else [record, *others]

    def _symbols(self) -> list[str]:
        """`:name, :price`."""
        names = []
        while self.skip(":"):
            names.append(self.name())
            self.skip(",")
        return names

    def member_of(self, definition: Definition) -> None:
        """Also `def self.build(x)`, which belongs to the class."""
        is_of_class = self.is_word("def") and self.ahead().text == "self" and self.ahead(2).text == "."
        if not is_of_class or definition.name not in self.ruby_classes:
            super().member_of(definition)
            return
        # What `function` takes first is the word before the name.
        self.at += 2
        definition.functions.append(self.inner_function())

    def _primary(self) -> n.Expr:
        """`@name`: a field of the value that a method is called on."""
        follows = self.ahead()
        if self.is_sign("@") and follows.kind == NAME and follows.start == self.token.end and self.ruby_classes:
            start = self.take().start
            own = n.Name("self", start=start, end=start)
            name = self.name()
            return n.Member(own, name, start=start, end=self.before.end)
        return super()._primary()

    def _member(self, expression: n.Expr) -> n.Expr:
        """`Account.new(1)`: a call of the class."""
        is_class = isinstance(expression, n.Name) and expression.name in self.constructed_by_new
        if not is_class or self.ahead().text != "new" or not self.is_sign("."):
            return super()._member(expression)
        self.take()
        self.take()
        if self.is_sign("(") and not self.token.spaced:
            return expression
        return n.Call(expression, [], start=expression.start, end=self.before.end)

    @abstractmethod
    def _bare_constant(self, start: int = 0) -> n.Item: ...

    @property
    def constructed_by_new(self) -> frozenset[str]:
        """Crystal's records are made so, too."""
        return self.ruby_classes


def _assigned(function: n.Function) -> set[str]:
    """The variables that a method of Ruby makes by giving them a value."""
    targets = [node.target for node in walk(function.body) if isinstance(node, n.Assign)]
    parts = [part for target in targets for part in (target.items if isinstance(target, n.TupleOf) else [target])]
    return {part.name for part in parts if isinstance(part, n.Name)}

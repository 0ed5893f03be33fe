"""Declarations of interfaces, of abstract and sealed classes, and of the classes that implement them."""

from __future__ import annotations

from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_classes import Definition, with_fields
from analysis.fixes.dialect.reading.grammar_clauses import Clauses
from analysis.fixes.dialect.rewriting.data_types.families import Families, Member
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_CLASSES: Final = ("class", "record", "type", "struct", "interface", "object", "data", "trait")
_MODIFIERS: Final = frozenset(
    "public private protected internal final override abstract open static sealed virtual export pub default".split()
)
_FUNCTIONS: Final = ("fn", "def", "fun", "func", "function")


class FamilyGrammar(Clauses):
    """`family_item` reads one declaration and notes it in `families`."""

    @lazily
    def families(self) -> Families:
        return Families()

    def family_item(self, is_abstract: bool) -> n.Item | None:
        """A declaration that belongs to a family; None, and no token taken, for every other one."""
        at = self.at
        if self.is_word("case") and self.ahead().text in ("class", "object"):
            self.take()
        if not self.is_word(*_CLASSES):
            self.at = at
            return None
        start = self.token.start
        word = self.take().text
        if word in ("data", "record", "abstract") and self.is_word("class", "object", "struct", "record"):
            word = self.take().text
        if self.token.kind != NAME:
            self.at = at
            return None
        name = self.name()
        self._generics()
        fields: dict[str, Type] = {}
        if self.is_sign("("):
            try:
                self.take()
                fields = self._fields(")")[0]
            except Untranslatable:
                self.at = at
                return None
        bases = self._base_names()
        if word == "interface" and not bases and self.holds_fields_only():
            self.at = at
            return None
        is_base = is_abstract or word == "interface" or (word == "trait" and not bases)
        if not is_base and not any(each in self._base_words for each in bases):
            self.at = at
            return None
        item = n.Alias("", Type(), start=start)
        if is_base:
            self.families.bases[name] = []
            self.families.items[name] = item
        definition = Definition(name)
        definition.fields.update(fields)
        if self.skip("{"):
            while not self.skip("}"):
                self._family_member(definition)
        self.skip(";")
        item.end = self.before.end
        functions = [each for each in definition.functions if each.name != "new"]
        if is_base and definition.fields:
            raise self.unknown("a base without fields of its own")
        for function in functions:
            with_fields(function, definition.fields)
        if is_base:
            self.families.bases[name] = functions
        else:
            _check_constructor(definition)
            base = next(each for each in bases if each in self._base_words)
            self.families.members.append(Member(name, base, definition.fields, functions, item))
        return item

    @lazily
    def _base_words(self) -> frozenset[str]:
        """Names of interfaces, abstract and sealed classes in the text."""
        words: set[str] = set()
        for place, token in enumerate(self.tokens):
            if token.kind != NAME or token.text not in ("interface", "abstract", "sealed", "trait"):
                continue
            place += 1
            while self.tokens[place].text in ("class", "interface", "record", "struct", "data"):
                place += 1
            words.add(self.tokens[place].text)
        return frozenset(words)

    def _base_names(self) -> list[str]:
        names: list[str] = []
        while self.is_word("implements", "extends", "permits", "with") or (self.is_sign(":") and not self.ahead().is_first):
            is_permitted = self.take().text == "permits"
            while True:
                kind = self.type()
                if not is_permitted:
                    names.append(kind.name)
                if self.is_sign("("):
                    self.at = self.behind_brackets.get(self.at, self.at + 1)
                if not self.skip(","):
                    break
        return names

    def _family_member(self, definition: Definition) -> None:
        """A member of a class: one that stands inside of its base, a signature without a body, or what every class has."""
        if self.skip(";", ","):
            return
        at = self.at
        while self.is_word(*_MODIFIERS):
            self.take()
        if self.is_word(*_CLASSES) and self.ahead().kind == NAME and (nested := self.family_item(False)) is not None:
            nested.start, nested.end = self.families.items[definition.name].start, self.families.items[definition.name].end
            self.families.members[-1].item = self.families.items[definition.name]
            return
        if self._skip_signature():
            return
        self.at = at
        while self.is_word(*_MODIFIERS) and not self.is_word("static"):
            self.take()
        self.member_of(definition)

    def _skip_signature(self) -> bool:
        """Takes `fn area() -> Float`, `double area();` if no body follows."""
        try:
            if self.is_word(*_FUNCTIONS):
                self.take()
                self.name()
                self._generics()
                self._parameters()
                if self.skip("->", ":") or (self.token.kind == NAME and not self.token.is_first):
                    self.type()
            elif self.typed_name("(") is not None:
                self._parameters()
            elif self.token.kind == NAME and self.ahead().text == "(":
                self.name()
                self._parameters()
                if self.skip("->", ":"):
                    self.type()
            else:
                return False
        except Untranslatable:
            return False
        return not self.is_sign("{", "=", "=>")


def _check_constructor(definition: Definition) -> None:
    """A constructor may do nothing but set the fields in their order."""
    constructor = next((each for each in definition.functions if each.name == "new"), None)
    if constructor is None:
        return
    last = constructor.body.statements[-1]
    literal = last.value if isinstance(last, n.Evaluate) else None
    names = [part.name for part in constructor.parameters]
    values = (
        [each.name if isinstance(each, n.Name) else "" for each in literal.fields.values()]
        if isinstance(literal, n.RecordOf)
        else []
    )
    if values != names or not isinstance(literal, n.RecordOf):
        raise Untranslatable("a constructor that sets fields in their order", constructor.start)
    definition.fields = {name: definition.fields.get(name, Type()) for name in literal.fields}

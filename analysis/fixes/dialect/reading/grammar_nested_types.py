"""Types of records that stand where a name of a type could: `maker: { name: String }`, `Customer struct { Zip int }`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_ruby import RubyForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, option_of, written
from analysis.suggestions.foreign_words import CONTAINERS, PLAIN_TYPES

_PASSED: Final = frozenset(
    ("struct", "List", "Option", "Map", "Maybe", "readonly", "vec", "new", "range", "in", "of", "return", "append", *CONTAINERS)
)
"""Names between a record's type and the field or the variable that has it."""
_MODIFIERS: Final = frozenset("public private protected internal static final indirect sealed abstract fileprivate pub".split())
_DECLARING: Final = ("class", "struct", "enum", "record", "interface")
_EMPTY: Final = {"Int": ("int", "0"), "Float": ("float", "0.0"), "String": ("string", '""'), "Bool": ("bool", "false")}
_FARTHEST: Final = 8
_TAKEN: Final = frozenset(
    ("List", "Map", "Option", "Result", "String", "Int", "Float", "Bool", "Unit", "Some", "None", "Ok", "Err")
)


class NestedTypes(RubyForms):
    """Each becomes a record of its own, with the name of the field that has it; equal ones share a record."""

    @lazily
    def nested_types(self) -> dict[tuple[tuple[str, str], ...], n.Record]:
        """The records by their fields and the types of these."""
        return {}

    @lazily
    def given_nested(self) -> set[str]:
        """The names of the records that stand among the items already."""
        return set()

    @lazily
    def inner_items(self) -> dict[int, list[n.Item]]:
        """Types that are declared inside of others and do not yet stand among the items, by offset."""
        return {}

    @abstractmethod
    def _items(self) -> list[n.Item]: ...

    @abstractmethod
    def _fields(self, closing: str) -> tuple[dict[str, Type], dict[str, n.Expr]]: ...

    def nested_records(self) -> list[n.Item]:
        """The records that are not yet among the items, behind what was read last."""
        waiting = [record for record in self.nested_types.values() if record.name not in self.given_nested]
        self.given_nested.update(record.name for record in waiting)
        inner = [item for items in self.inner_items.values() for item in items]
        self.inner_items.clear()
        for item in inner:
            # Written where it stands, its edit would lie in that of the type around it.
            item.start = item.end = self.before.end
        return [*waiting, *inner]

    def inner_type(self) -> bool:
        """Reads a type that is declared inside of another one: `static class Point { … }`; false if none stands here."""
        at = self.at
        while self.is_word(*_MODIFIERS) and self.ahead().kind == NAME:
            self.take()
        is_type = self.is_word(*_DECLARING) and self.ahead().kind == NAME and self.ahead().text[0].isupper()
        opens = self.ahead(2).text in ("{", "(", ":", "=", "implements", "extends") or self.ahead().text == "class"
        if not is_type or not opens or self.ahead(2).is_first:
            self.at = at
            return False
        self.inner_names.add(self.ahead(2 if self.ahead().text == "class" else 1).text)
        self.inner_items[at] = []
        self.inner_items[at] = self._items()
        return True

    def _type_operand(self) -> Type:
        if not self.at_nested_type():
            return super()._type_operand()
        base = self._name_of_holder()
        self.skip("struct")
        self.expect("{")
        self.deeper()
        fields, _ = self._fields("}")
        self.higher()
        shape = tuple((name, written(kind)) for name, kind in fields.items())
        if shape not in self.nested_types:
            self.nested_types[shape] = n.Record(self._free(base), fields)
        return self._type_suffix(Type(self.nested_types[shape].name))

    def union_of_records(self, name: str) -> n.Record | None:
        """`{ kind: "pay"; amount: number } | { kind: "ship" }`: one record, in which what another kind has is empty."""
        first = self.at + 1 if self.is_sign("|") else self.at
        behind = self.tokens[self.behind_brackets.get(first, len(self.tokens) - 1)]
        if self.tokens[first].text != "{" or behind.text != "|":
            return None
        self.at = first
        parts: list[dict[str, Type]] = []
        while self.skip("{"):
            parts.append(self._fields("}")[0])
            self.skip("|")
        fields: dict[str, Type] = {}
        defaults: dict[str, n.Expr] = {}
        for field in dict.fromkeys(each for part in parts for each in part):
            kinds = [part[field] for part in parts if field in part]
            if len({written(kind) for kind in kinds}) > 1:
                raise self.unknown(f"one type of `{field}`")
            fields[field] = kinds[0]
            if len(kinds) < len(parts):
                fields[field], defaults[field] = self._with_nothing(kinds[0])
        return n.Record(name, fields, False, defaults)

    def _with_nothing(self, kind: Type) -> tuple[Type, n.Expr]:
        """A type, and its value where there is none: an Option of a type without an empty value."""
        at = self.before.end
        name = head(kind)
        if name in _EMPTY:
            return kind, n.Literal(*_EMPTY[name], start=at, end=at)
        if name in ("List", "Map"):
            return kind, n.ListOf([], start=at, end=at) if name == "List" else n.MapOf([], start=at, end=at)
        return kind if name == "Option" else option_of(kind), n.Literal("none", "None", start=at, end=at)

    def at_nested_type(self) -> bool:
        """True if the fields of a record's type stand here."""
        if self.is_word("struct") and self.ahead().text == "{":
            return self.ahead(2).kind == NAME
        if not self.is_sign("{"):
            return False
        first = 2 if self.ahead().text == "readonly" else 1
        if self.ahead(first).kind != NAME:
            return False
        return self.ahead(first + 1).text == ":" or (self.ahead(first + 1).text in ("?", "?:") and ":" in self._two_behind(first))

    def _two_behind(self, first: int) -> tuple[str, str]:
        return self.ahead(first + 1).text, self.ahead(first + 2).text

    def _member(self, expression: n.Expr) -> n.Expr:
        """`Order.Line(sku)`: a type inside of another one by both names."""
        if isinstance(expression, n.Name) and expression.name in self.own_types and self.ahead().text in self.inner_names:
            self.take()
            return n.Name(self.take().text, start=expression.start, end=self.before.end)
        return super()._member(expression)

    @lazily
    def inner_names(self) -> set[str]:
        """The names of the types that are declared inside of others."""
        return set()

    def _name_of_holder(self) -> str:
        """The name of a record's type after the field, the parameter or the type that has it."""
        for place in range(self.at - 1, max(self.at - _FARTHEST, -1), -1):
            token = self.tokens[place]
            if token.kind == NAME and token.text not in _PASSED and token.text not in PLAIN_TYPES:
                parts = [part[:1].upper() + part[1:] for part in token.text.split("_") if part]
                return "".join(parts) or "Item"
        return "Item"

    def _free(self, base: str) -> str:
        """A name for a record that nothing has yet."""
        taken = {record.name for record in self.nested_types.values()} | _TAKEN | self.declared_words
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}{number}"
        return name

    @lazily
    def declared_words(self) -> frozenset[str]:
        """The names of the text that could be those of types: with a capital letter."""
        return frozenset(token.text for token in self.tokens if token.kind == NAME and token.text[:1].isupper())

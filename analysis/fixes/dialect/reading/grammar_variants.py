"""Enums of all dialects: their variants with what these hold, by position or by name, in one line or laid out."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_clojure import ClojureForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type

_HELD: Final = frozenset(("Int", "String", "Float", "Bool", "Char", "Integer", "Double", "List", "Map", "Option", "Maybe"))
"""Types that may stand behind a variant without a sign between, as in Haskell and Elm; other names are the next variant."""


class Variants(ClojureForms):
    """Variants with payloads, as ML, Haskell, Rust, Swift, Kotlin and Scala write them."""

    @staticmethod
    def _record_or_enum(name: str, variants: list[n.Variant], exported: bool) -> n.Item:
        """`type Cat { Cat(name: String) }` of Gleam: a record; several variants are an enum."""
        only = variants[0] if len(variants) == 1 else None
        if only is None or only.name != name or not only.names:
            return n.Enum(name, variants, exported)
        return n.Record(name, dict(zip(only.names, only.payload, strict=True)), exported)

    def _sum_variant(self) -> n.Variant:
        start = self.token.start
        name = self.name()
        payload: list[Type] = []
        names: list[str] = []
        if self.skip("of"):
            names, payload = self._parts_of_variant()
        elif self.is_sign("(") and self.ahead().kind == NAME and self.ahead(2).text == ":":
            self.take()
            fields, _ = self._fields(")")
            names, payload = list(fields), list(fields.values())
        elif self.is_sign("("):
            self.take()
            payload = self._types(")")
        elif self.skip("{"):
            fields, _ = self._fields("}")
            names, payload = list(fields), list(fields.values())
        else:
            while self.token.kind == NAME and not self.token.is_first:
                payload.append(self._type_operand())
        return n.Variant(name, payload, names, start=start, end=self.before.end)

    def _parts_of_variant(self) -> tuple[list[str], list[Type]]:
        """`of Int * Tree`, `of width: Int * height: Int`: the names, where each part has one, and the types."""
        names: list[str] = []
        payload: list[Type] = []
        while True:
            if self.token.kind == NAME and self.ahead().text == ":":
                names.append(self.name())
                self.take()
            payload.append(self.type())
            if not self.skip("*"):
                return names if len(names) == len(payload) else [], payload

    def _enum(self, exported: bool) -> n.Item:
        self.take()
        self.skip("class", "indirect")
        name = self.name()
        self._generics()
        if self.is_sign(":") and self.ahead().is_first:
            self.take()
            return n.Enum(name, self._laid_out_variants(), exported)
        if self.skip(":"):
            self.type()
            while self.skip(","):
                self.type()
        if self.skip("=") and not self.is_sign("{"):
            self.skip("|")
            variants = [self._sum_variant()]
            while self.skip("|"):
                variants.append(self._sum_variant())
            return n.Enum(name, variants, exported)
        self.expect("{")
        return n.Enum(name, self._variants("}"), exported)

    def _variants(self, closing: str) -> list[n.Variant]:
        variants: list[n.Variant] = []
        while not self.skip(closing):
            self.skip("case", "indirect", "|")
            variants.append(self._enum_variant())
            if self.skip("=") and not self.skip("-"):
                self.raw_values[variants[-1].start] = self.raw_value()
            begins_next = self.token.is_first or (self.token.kind == NAME and self.token.text[0].isupper())
            if not self.skip(",", ";", "|") and not begins_next:
                self.expect(closing)
                break
        return variants

    def _laid_out_variants(self) -> list[n.Variant]:
        """`case Red, Green` and the lines below it, as Scala and Python write them."""
        column = self.token.column
        variants: list[n.Variant] = []
        while self.token.is_first and self.token.column == column and column > 0:
            self.skip("case")
            variants.append(self._enum_variant())
            while self.skip(","):
                variants.append(self._enum_variant())
            if self.skip("="):
                self._primary()
        return variants

    def _enum_variant(self) -> n.Variant:
        start = self.token.start
        name = self.name()
        payload: list[Type] = []
        names: list[str] = []
        if self.is_sign("(", "{"):
            closing = ")" if self.take().text == "(" else "}"
            if self.token.kind == NAME and self.ahead().text == ":":
                fields, _ = self._fields(closing)
                names, payload = list(fields), list(fields.values())
            else:
                payload = self._types(closing)
        elif self.skip("of"):
            names, payload = self._parts_of_variant()
        else:
            while self.token.text in _HELD and not self.token.is_first:
                payload.append(self._type_operand())
        return n.Variant(name, payload, names, start=start, end=self.before.end)

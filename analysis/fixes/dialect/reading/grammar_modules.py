"""Modules inside of a text, and imports: what they hold is called without their names here."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.habits import holds_pointers
from analysis.fixes.dialect.reading.grammar_exception_classes import ExceptionClasses
from analysis.fixes.dialect.rewriting.aliases.places import settle_places
from analysis.fixes.dialect.rewriting.basic_values.written_texts import with_pushes
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type

_OWN_IMPORT: Final = re.compile(r'(?:import|module)[ \t]+(?:"[^"]*"|[a-z][\w-]*+|mcp\.[\w.-]++)')


_PLACES: Final = re.compile(r"&mut\b|_mut\b|\.or_(?:insert|default)|\band_modify\b|\.scan\(|\.drain\(|\bmem::|\bReverse\b")
"""Marks of functions that alias places, or whose closures change their arguments."""


class ModuleGrammar(ExceptionClasses):
    """`mod name { … }`, `use name::*;`. `module_name` is that of the last module of Elixir."""

    module_name = ""

    def _has_brace(self) -> bool:
        """True if a brace follows the name of a structure."""
        return self.ahead(2).text == "{" or self.ahead(3).text == "{"

    def settle_body(
        self, name: str, body: n.Block, parameters: list[n.Parameter], changed: list[tuple[n.Assign, str]], start: int
    ) -> None:
        """Writes what a function of Rust, or of Go through pointers, changes elsewhere as changes of its own."""
        own = self.text[start : self.before.end]
        if name != "fmt" and "write" in own:
            with_pushes(body)
        if changed or _PLACES.search(own) is not None or holds_pointers(self.text):
            settle_places(body, changed, {part.name for part in parameters if part.by_reference}, start)

    def item_of_language(self, word: str) -> list[n.Item] | None:
        """The items that only Rust, Elixir, Julia or Nim begins so; None for others."""
        if self.at == 0 and self.is_sign("<") and [each.text for each in self.tokens[1:3]] == ["?", "php"]:
            self.at = 3
            return [n.Alias("", Type())]
        if word == "mod" and self.ahead(2).text in ("{", ";"):
            return self._module()
        if word in ("impl", "extension"):
            return [self.implementation()]
        if word == "defmodule" and self.speaks_elixir:
            return self.module_of_elixir()
        if self.speaks_nim and word == "type" and (self.ahead().is_first or self.ahead(3).text in ("object", "enum", "ref")):
            return self.types_of_nim()
        if not self.speaks_julia:
            return None
        if (word == "struct" or (word == "mutable" and self.ahead().text == "struct")) and not self._has_brace():
            return [self.structure()]
        return [self.short_function()] if self.token.column == 0 and self.is_short_function() else None

    @abstractmethod
    def _items(self) -> list[n.Item]: ...

    def _module(self) -> list[n.Item]:
        """`mod name { … }`: its items, which are called without its name here; none of tests."""
        self.take()
        name = self.name()
        items: list[n.Item] = []
        if self.skip(";"):
            return [n.Alias("", Type())]
        if name in ("tests", "test"):
            self.at = self.behind_brackets.get(self.at, len(self.tokens) - 1)
            return [n.Alias("", Type())]
        self.expect("{")
        while not self.skip("}"):
            if not self.skip(";"):
                items += self._items()
        return items or [n.Alias("", Type())]

    def module_of_elixir(self) -> list[n.Item]:
        """`defmodule Name do … end`."""
        self.take()
        self.module_name = self.name()
        self.expect("do")
        items: list[n.Item] = []
        while not self.skip("end"):
            if not self.skip(";"):
                items += self._items()
        return items or [n.Alias("", Type())]

    def _import(self) -> n.Item:
        """Imports of our own stay; those of other languages name nothing that could be had here, and go."""
        line = self.take()
        if self.is_sign("("):
            # `import ( … )` of Go.
            self.at = self.behind_brackets.get(self.at, self.at + 1)
        while self.token.kind != "end" and not self.token.is_first:
            self.take()
        text = self.text[line.start : self.before.end].rstrip("; \t")
        return n.Verbatim() if _OWN_IMPORT.fullmatch(text) else n.Alias("", Type())

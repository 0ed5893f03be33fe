"""Items of Haskell, Elm, OCaml and Scala: `data`, signatures with one colon, `and`, `let () = …`, `object`."""

from __future__ import annotations

import re
from abc import abstractmethod
from itertools import pairwise
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.functional_words import with_settled_words
from analysis.fixes.dialect.reading.grammar_application import WORDS_AFTER
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_ruby_classes import RubyClasses
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head, list_of
from analysis.suggestions.foreign_words import PLAIN_TYPES

_DEFINED: Final = re.compile(
    r"\blet[ \t]{1,9}([a-z_]\w*)[ \t]{0,9}=[ \t]{0,9}(?:function|fun)\b|^[ \t]*and[ \t]{1,9}([a-z_]\w*) [\w(]", re.M
)
"""Functions whose parameters stand behind the sign, and those that `and` defines."""
_SMALL_TYPE: Final = re.compile(
    r"^[ \t]*(?:type|and)[ \t]{1,9}(?:rec[ \t]{1,9})?([a-z]\w*)[ \t]*=[ \t\n]*(?:[{|]|[A-Z]\w*\b(?!\.))", re.MULTILINE
)
_WORDS: Final = frozenset(("in", "then", "else", "match", "function", "fun"))
_LONGEST: Final = 200
"""Tokens of a definition that are looked through."""
_ATTRIBUTES: Final = ("doc", "moduledoc", "spec", "type", "typep", "impl", "enforce_keys", "behaviour")
_KINDS: Final = {"string": "String", "int": "Int", "float": "Float", "bool": "Bool"}
_ZEROS: Final = {"Int": ("int", "0"), "Float": ("float", "0.0"), "Bool": ("bool", "false"), "String": ("string", '""')}
_FLOATING: Final = re.compile(r"[-+*/]\.[ \t()]")
_COUNTING: Final = ("+", "-", "*", "/")
_DECLARING: Final = ("data", "type", "record", "struct", "newtype")


_VARIABLE: Final = re.compile(r"\b(?:mut|mutable|var)[ \t]{1,9}([A-Za-z_]\w*)")


class HaskellForms(RubyClasses):
    """Reads them where no item of another language begins so."""

    def item_of_language(self, word: str) -> list[n.Item] | None:
        if word in ("data", "newtype") and self.ahead().text[:1].isupper() and self._is_sum():
            return [self._sum()]
        if self.signatures.get(word) is not None and len(self.signatures[word]) == 1 and self.ahead().text == "=":
            return [self._value_by_name()]
        if word == "object" and self.ahead(2).text in ("{", ":"):
            return self._object_of_scala()
        if word == "let" and self.ahead().text == "(" and self.ahead(2).text == ")" and self.ahead(3).text == "=":
            # What a program of ML does besides giving values.
            return [self._left_out()]
        if word == "and" and self.token.is_first and self._definition_follows():
            self.take()
            return [self.definition(self.before.start)]
        if word == "defstruct" and self.speaks_elixir:
            return [self._structure_of_elixir()]
        if self.is_sign("@") and self.speaks_elixir and self.ahead().text in _ATTRIBUTES:
            return [self._left_out(of_line=True)]
        if self.is_sign("@") and self.ahead().kind == NAME and self.ahead().start == self.token.end:
            # `@tailrec`: says nothing about what a function gives.
            self.take()
            self.take()
            return self._items() if self.token.kind == NAME else None
        return super().item_of_language(word)

    # ---- signatures of Elm ----

    def is_signature(self) -> bool:
        if super().is_signature():
            return True
        token = self.token
        if token.kind != NAME or not token.is_first or token.column or self.ahead().text != ":" or not token.text[0].islower():
            return False
        for place in range(self.at + 2, min(self.at + 60, len(self.tokens))):
            follows = self.tokens[place]
            if follows.is_first and follows.column == 0:
                return follows.text == token.text and follows.kind == NAME
        return False

    # ---- types of Haskell ----

    def _is_sum(self) -> bool:
        """True if `=` stands behind a type's name and its variables."""
        place = self.at + 2
        while self.tokens[place].kind == NAME and self.tokens[place].text[0].islower():
            place += 1
        return self.tokens[place].text == "=" and self.tokens[place].kind == OPERATOR

    def _sum(self) -> n.Item:
        """`data Name = Name { a, b :: Int } deriving Show`, `data Name = A Int | B`."""
        start = self.take().start
        name = self.name()
        while not self.skip("="):
            self.take()
        variants = [self._sum_variant()]
        while self.skip("|"):
            variants.append(self._sum_variant())
        while self.is_word("deriving"):
            self.take()
            self.skip("stock", "anyclass", "newtype")
            if self.is_sign("("):
                self.at = self.behind_brackets.get(self.at, len(self.tokens) - 1)
            else:
                self.name()
        only = variants[0]
        if len(variants) == 1 and only.name == name and only.names:
            return n.Record(name, dict(zip(only.names, only.payload, strict=True)), start=start, end=self.before.end)
        return n.Enum(name, variants, start=start, end=self.before.end)

    @lazily
    def accessors(self) -> frozenset[str]:
        """The fields that the program may call as functions; none where its habits are not those of Haskell."""
        if not self.is_like_haskell:
            return frozenset()
        fields: set[str] = set()
        for place, token in enumerate(self.tokens[:-3]):
            if token.kind == NAME and token.text in _DECLARING and token.is_first:
                fields |= self._fields_behind(place)
        return frozenset(fields)

    def _fields_behind(self, place: int) -> set[str]:
        """The names of the fields in the braces of the type that is declared at a place."""
        end = place + 1
        while end < len(self.tokens) - 1 and self.tokens[end].text != "{" and not self.tokens[end].is_first:
            end += 1
        if self.tokens[end].text != "{":
            return set()
        fields, depth, behind = set(), 0, self.behind_brackets.get(end, end)
        for at in range(end, behind):
            token, follows = self.tokens[at], self.tokens[at + 1]
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 1 and token.kind == NAME and token.text[0].islower() and follows.text in (":", "::"):
                fields.add(token.text)
        return fields

    def settle_tokens(self) -> None:
        """Takes `a +. b` of OCaml for `a + b`, and gives its types names with a capital letter."""
        super().settle_tokens()
        self.tokens = with_settled_words(self.tokens, self.is_like_haskell)
        for place, token in enumerate(self.tokens if self.small_types else ()):
            if token.text in self.small_types and self.tokens[place - 1].text in ("type", "and", "rec"):
                self.tokens[place] = token._replace(text=self.small_types[token.text])
        if _FLOATING.search(self.text) is None:
            return
        kept: list[Token] = []
        for token, follows in zip(self.tokens, [*self.tokens[1:], self.tokens[-1]], strict=True):
            is_dot = token.text == "." and token.kind == OPERATOR and not token.spaced and bool(kept)
            is_behind = is_dot and kept[-1].kind == OPERATOR and kept[-1].text in _COUNTING
            # `a +. b`, `(+.)`
            is_section = follows.text == ")" and len(kept) > 1 and kept[-2].text == "("
            if not (is_behind and (is_section or (follows.spaced and kept[-1].spaced))):
                kept.append(token)
        self.tokens = kept

    def _note_functions(self) -> None:
        super()._note_functions()
        self.names_of_functions |= self._applied_parameters()
        self.names_of_functions |= self.accessors | {name for names in _DEFINED.findall(self.text) for name in names if name}

    def _value_by_name(self) -> n.Item:
        """`main = …`, with what `where` binds, below its signature: a function without parameters."""
        start, name = self.token.start, self.name()
        self.expect("=")
        body = _block(self.do_steps() if self.is_do() else self.body_value())
        self.with_bindings(body)
        return n.Function(name, [], self.signatures[name][0], body, start=start, end=self.before.end)

    def _applied_parameters(self) -> set[str]:
        """The parameters of definitions that stand before values: functions."""
        applied: set[str] = set()
        for place, token in enumerate(self.tokens[:-1]):
            if token.kind != NAME or token.text not in ("let", "rec", "and") or self.tokens[place + 1].kind != NAME:
                continue
            end = place + 2
            while self.tokens[end].kind == NAME and not self.tokens[end].is_first and self.tokens[end].text not in _WORDS:
                end += 1
            names = {each.text for each in self.tokens[place + 2 : end]}
            if names and self.tokens[end].text == "=":
                applied |= {name for name in names if self._is_applied(name, end)}
        return applied

    def _is_applied(self, name: str, place: int) -> bool:
        """True if a name stands before a value on its line, behind a place."""
        for at in range(place, min(place + _LONGEST, len(self.tokens) - 2)):
            token, follows = self.tokens[at], self.tokens[at + 1]
            if token.is_first and token.column == 0:
                return False
            is_value = follows.kind in (INT, FLOAT, STRING) or (follows.kind == NAME and follows.text not in WORDS_AFTER)
            if token.text == name and token.kind == NAME and not follows.is_first and is_value and follows.text[0] != "`":
                return True
        return False

    # ---- patterns ----

    def follows_operand(self) -> bool:
        """True if nothing can be assigned to what stands before a `=`, in ML: a number, an operand, the value of an arm."""
        if self.is_like_haskell or not self.parts_with_semicolons:
            return False
        if self.before.kind in (INT, FLOAT):
            return True
        begins = self.tokens[self.at - 2].text in ("=>", "->", "&&", "||") and self.before.kind == NAME
        return begins and self.before.text not in self.references | self._changed_names

    @lazily
    def _changed_names(self) -> frozenset[str]:
        """The names of variables that a program may change."""
        return frozenset(_VARIABLE.findall(self.text))

    def captures_call(self) -> bool:
        """True if `&name(…, &1)` follows: a call with a part left open."""
        place = 1
        while self.ahead(place).kind == NAME and self.ahead(place + 1).text == "." and self.ahead(place + 1).kind == OPERATOR:
            place += 2
        if self.ahead(place).kind != NAME or self.ahead(place + 1).text != "(":
            return False
        end = self.behind_brackets.get(self.at + place + 1, self.at)
        inside = self.tokens[self.at + place + 2 : end]
        return any(sign.text == "&" and hole.kind == INT for sign, hole in pairwise(inside))

    def statement(self) -> n.Statement:
        if self.is_word("lazy") and self.ahead().text == "val":
            # Nothing here has effects: when it is computed does not matter.
            self.take()
        return super().statement()

    def pattern(self) -> n.Pattern:
        """A pattern; `Node(_, _) as same` names what it fits."""
        whole = super().pattern()
        if self.is_word("as") and self.ahead().kind == NAME and self.ahead(2).text in ("=>", "->", ",", ")", "when", "if"):
            self.take()
            return n.Binding(self.name(), whole, start=whole.start, end=self.before.end)
        return whole

    def _type_operand(self) -> Type:
        if self.is_sign("{") and self.ahead().kind == NAME and self.ahead(2).text in (",", "<"):
            # `{String, Int}` of Elixir.
            self.take()
            return self._type_suffix(Type("Tuple", *self._types("}")))
        return super()._type_operand()

    def _cons_pattern(self) -> n.Pattern:
        """`(a, b):rest`, `0:rest`: also behind patterns that are no names."""
        first = super()._cons_pattern()
        if not self.is_sign(":") or not self.is_haskell or isinstance(first, n.ListPattern) or not self._rest_follows():
            return first
        self.take()
        rest = self._cons_pattern()
        if isinstance(rest, n.ListPattern):
            rest.items.insert(0, first)
            return rest
        return n.ListPattern([first], rest, start=first.start, end=self.before.end)

    def _rest_follows(self) -> bool:
        """True if the rest of a list stands behind the colon, not a type."""
        rest, after = self.ahead(), self.ahead(2)
        if rest.text == "[":
            return after.text == "]"
        is_name = rest.kind == NAME and (rest.text[0].islower() or rest.text == "_") and rest.text not in PLAIN_TYPES
        return is_name and after.text in (")", ":", ",", "]", "->", "=>")

    @lazily
    def small_types(self) -> dict[str, str]:
        """The names of types with a small letter, as OCaml writes them, and the names that they have here."""
        small = {name for name in _SMALL_TYPE.findall(self.text) if name not in PLAIN_TYPES}
        capital = {name: name[0].upper() + name[1:] for name in small}
        used = {token.text for token in self.tokens if token.text in capital.values()} if capital else set()
        return {name: f"{own}Type" if own in used else own for name, own in capital.items()}

    @lazily
    def _sizes(self) -> list[Token]:
        """The lengths of the arrays in the last type of a variable, the outer one first."""
        return []

    def _let(self, word: str) -> n.Statement:
        self._sizes.clear()
        declaration = super()._let(word)
        sizes, kind = list(self._sizes), declaration.type if isinstance(declaration, n.Let) else None
        if not isinstance(declaration, n.Let) or declaration.value is not None or not sizes or kind is None:
            return declaration
        for _ in sizes:
            kind = argument(kind)
        zero = _ZEROS.get(head(kind))
        if zero is None:
            raise self.unknown("an array of numbers is expected")
        value: n.Expr = n.Literal(*zero, start=sizes[0].start, end=sizes[0].end)
        for size in reversed(sizes):
            count = n.Literal("int", size.text, start=size.start, end=size.end)
            value = n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(count)], start=size.start, end=size.end)
        declaration.value = value
        return declaration

    def _named_type(self, word: str) -> Type:
        if word == "array" and self.is_sign("[") and self.ahead().kind == INT and self.ahead(2).text == ",":
            # `array[3, int]` of Nim.
            self.take()
            self._sizes.append(self.take())
            self.expect(",")
            held = self.type()
            self.expect("]")
            return list_of(held)
        return super()._named_type(self.small_types.get(word, word))

    # ---- items of ML and Scala ----

    def _definition_follows(self) -> bool:
        at = self.at
        self.take()
        follows = self.is_definition() or (self.ahead().text == "=" and self.ahead(2).text in ("function", "fun"))
        self.at = at
        return follows

    def _structure_of_elixir(self) -> n.Item:
        """`defstruct name: "", qty: 0`, `defstruct [:name, :qty]`: a record of the module's name."""
        start = self.expect("defstruct").start
        in_brackets = self.skip("[")
        fields: dict[str, Type] = {}
        defaults: dict[str, n.Expr] = {}
        while not (in_brackets and self.skip("]")):
            is_bare = self.skip(":")
            word = self.name()
            fields[word] = Type()
            if not is_bare:
                self.expect(":")
                defaults[word] = value = self.expression()
                fields[word] = Type(_KINDS.get(value.kind, "")) if isinstance(value, n.Literal) else Type()
            if not self.skip(","):
                break
        if in_brackets:
            self.skip("]")
        return n.Record(self.module_name, fields, False, defaults, start=start, end=self.before.end)

    def _left_out(self, of_line: bool = False) -> n.Item:
        """`let () = …`: up to the next line at the margin; `@doc "…"`: up to the next line."""
        start = self.take().start
        while self.token.kind != "end" and not (self.token.is_first and (of_line or self.token.column == 0)):
            self.take()
        return n.Alias("", Type(), start=start, end=self.before.end)

    def _object_of_scala(self) -> list[n.Item]:
        """`object Name { … }`: its functions are called without its name here."""
        column = self.token.column
        self.take()
        self.name()
        in_braces = self.expect("{", ":").text == "{"
        items: list[n.Item] = []
        while not (self.skip("}") if in_braces else self.token.kind == "end" or self.token.column <= column):
            if not self.skip(";"):
                items += self._items()
        return items or [n.Alias("", Type())]

    @abstractmethod
    def _sum_variant(self) -> n.Variant: ...

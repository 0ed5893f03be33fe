"""Fields of records in all dialects (`name: Type = default`, `Type name;`, `x, y int`), and blocks of methods of Rust."""

from __future__ import annotations

from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_classes import Classes
from analysis.fixes.dialect.rewriting.basic_values.written_texts import shown
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_MODIFIERS: Final = (
    "pub",
    "public",
    "private",
    "readonly",
    "mut",
    "mutable",
    "val",
    "var",
    "let",
    "const",
    "required",
    "internal",
)


_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
_EXPORTS: Final = ("pub", "public", "export", "const", "async", "unsafe", "private", "static", "override", "mutating")


class Fields(Classes):
    """`_fields` reads them up to a closing sign."""

    def methods_behind(self, items: list[n.Item]) -> list[n.Item]:
        self._skip_deriving()
        return super().methods_behind(items)

    def _skip_deriving(self) -> None:
        """`deriving (Eq, Show)`, `derives Eq` behind a type: what every value can do here."""
        while self.skip("deriving", "derives"):
            self.skip("stock", "anyclass", "newtype")
            if self.is_sign("("):
                self.at = self.behind_brackets[self.at]
                continue
            self.name()
            while self.skip(","):
                self.name()

    def _fields(self, closing: str) -> tuple[dict[str, Type], dict[str, n.Expr]]:
        fields: dict[str, Type] = {}
        defaults: dict[str, n.Expr] = {}
        while not self.skip(closing):
            if self.inner_type():
                self.skip(";", ",")
                continue
            while self.is_word(*_MODIFIERS) and self.ahead().kind == NAME and not self._ends_field():
                self.take()
            typed = self._typed_field(closing)
            names = [typed[1] if typed is not None else self.name()]
            while typed is None and self.is_sign(",") and self.ahead().kind == NAME:
                # `x, y int`: fields of one type.
                self.take()
                names.append(self.name())
            optional = self.skip("?", "?:")
            self.skip(":", "::")
            kind = typed[0] if typed is not None else self.type()
            fields.update(dict.fromkeys(names, Type("Option", kind) if optional else kind))
            self._skip_accessors()
            if self.skip("="):
                defaults[names[-1]] = self.expression()
            if not self.skip(",", ";") and not self.token.is_first:
                self.expect(closing)
                break
        return fields, defaults

    def _typed_field(self, closing: str) -> tuple[Type, str] | None:
        """`string Owner { get; set; }`, `int qty;`; None, and nothing is taken, for `Items []struct { … }` of Go."""
        at = self.at
        typed = self.typed_name(",", ";", "=", "{", closing, "\n")
        if typed is not None and typed[1] == "struct":
            self.at, typed = at, None
        return typed

    def _skip_accessors(self) -> None:
        """`{ get; set; }` of C# behind a property, which is a field here."""
        if self.is_sign("{") and self.ahead().text in ("get", "set", "init", "private"):
            self.at = self.behind_brackets.get(self.at, self.at + 1)

    def _unnamed_fields(self) -> tuple[dict[str, Type], dict[str, n.Expr]] | None:
        """`(i64, pub String);` of Rust, behind the parenthesis, without defaults; None for fields with names."""
        at, fields = self.at, dict[str, Type]()
        try:
            while not self.skip(")"):
                self.skip("pub")
                fields[_ORDINALS[len(fields)] if len(fields) < len(_ORDINALS) else f"field_{len(fields)}"] = self.type()
                if not self.skip(","):
                    self.expect(")")
                    break
        except Untranslatable:
            fields.clear()
        if fields and self.is_sign(";"):
            return fields, {}
        self.at = at
        return None

    def _ends_field(self) -> bool:
        """True if a word that could be a modifier is a field's name before its type: `val int`."""
        return self.ahead(2).is_first or self.ahead(2).text in (",", ";", "}", ")")

    # ---- methods of Rust ----

    def _generics(self) -> list[str]:
        """`<T, U: Bound>`, `[T]`: the names of type parameters."""
        closing = {"<": ">", "[": "]"}.get(self.token.text) if self.token.kind == OPERATOR else None
        if closing is None or (closing == "]" and self.token.is_first):
            return []
        owner = self.before.text
        self.take()
        names: list[str] = []
        depth = 1
        while depth:
            token = self.take()
            if token.kind == "end":
                raise self.unknown("the end of the type parameters is expected")
            depth += (token.text in ("<", "[")) - (token.text in (">", "]"))
            if token.kind == NAME and self.tokens[self.at - 2].text in ("<", "[", ","):
                names.append(token.text)
        self.generic_types.setdefault(owner, names)
        return names

    @lazily
    def generic_types(self) -> dict[str, list[str]]:
        """The names of the types that types are made of, by their name."""
        return {}

    def _constant_of_type(self, owner: str) -> bool:
        """`const MAX: u32 = 10;`, `pub const ALL: [Dir; 4] = […];` of Rust: a constant with the name of its type before it."""
        at = self.at
        self.skip("pub")
        if not self.is_word("const") or self.ahead().kind != NAME or self.ahead(2).text != ":":
            self.at = at
            return False
        start = self.take().start
        name = self.name()
        self.take()
        kind = self.type()
        self.expect("=")
        value = self.expression()
        self.expect(";")
        written = f"{owner.lower()}_{name.lower()}"
        self.type_constants[owner, name] = written
        constant = n.Constant(written, kind, value, start=start, end=self.before.end)
        self.inner_items.setdefault(at, []).append(constant)
        return True

    @lazily
    def type_constants(self) -> dict[tuple[str, str], str]:
        """The names of constants of types, by the type and what they are called in it."""
        return {}

    def implementation(self) -> n.Item:
        """`impl Owner { … }`, `impl Trait for Owner { … }`, `extension Owner { … }`."""
        is_extension = self.take().text == "extension"
        self._generics()
        owner = self.type().name
        if self.skip("for"):
            owner = self.type().name
        if self.skip(":"):
            self._types("{")
            self.at -= 1
        self.expect("{")
        functions = []
        while not self.skip("}"):
            if self.is_word("type") and self.ahead(2).text == "=":
                # `type Output = Self;`: the functions below name the type themselves.
                while not self.skip(";"):
                    self.take()
                continue
            if self._constant_of_type(owner):
                continue
            exported = False
            while self.is_word(*_EXPORTS) and self.ahead().kind == NAME:
                exported |= self.take().text in ("pub", "public", "export")
            functions.append(shown(self.inner_function(exported)))
        for function in functions if is_extension else []:
            function.parameters.insert(0, n.Parameter("self", Type(owner), start=function.start, end=function.start))
        return n.Implementation(owner, functions)

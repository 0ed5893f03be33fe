"""Forms of TypeScript: types that are values (`"idle" | "busy"`), interfaces that hold nothing but fields."""

from __future__ import annotations

from analysis.fixes.dialect.reading.grammar_base import INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_nested_types import NestedTypes
from analysis.fixes.dialect.tree.types import INT as NUMBER
from analysis.fixes.dialect.tree.types import STRING as TEXT
from analysis.fixes.dialect.tree.types import Type


class TypeScriptForms(NestedTypes):
    """Reads them where a type stands."""

    def _type_operand(self) -> Type:
        """`"idle" | "busy"` is a String, `1 | 2` an Int, `[String, Int]` a tuple."""
        if self.is_sign("[") and self._holds_comma():
            self.take()
            return self._type_suffix(Type("Tuple", *self._types("]")))
        at = self.at + 1 if self.is_sign("|") else self.at
        kind = self.tokens[at].kind
        if kind not in (STRING, INT):
            return super()._type_operand()
        self.at = at + 1
        while self.is_sign("|") and self.ahead().kind == kind:
            self.take()
            self.take()
        return TEXT if kind == STRING else NUMBER

    def _holds_comma(self) -> bool:
        """True if a comma stands between the brackets at this place on their own level."""
        depth = 0
        for token in self.tokens[self.at : self.behind_brackets.get(self.at, self.at)]:
            depth += (token.text in ("[", "(", "<", "{")) - (token.text in ("]", ")", ">", "}"))
            if depth == 1 and token.text == "," and token.kind != STRING:
                return True
        return False

    def holds_fields_only(self) -> bool:
        """True if the braces behind the name of an interface hold no method."""
        end = self.behind_brackets.get(self.at, self.at)
        if not self.is_sign("{") or end - self.at < 4:
            return False
        depth = 0
        for place in range(self.at, end):
            token, follows = self.tokens[place], self.tokens[place + 1]
            depth += (token.text in ("{", "(", "[")) - (token.text in ("}", ")", "]")) if token.kind != STRING else 0
            if depth == 1 and token.kind == NAME and (follows.text == "(" or follows.kind == NAME):
                return False
        return True

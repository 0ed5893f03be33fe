"""Whether braces hold the fields of a record, or statements."""

from __future__ import annotations

from analysis.fixes.dialect.reading.grammar_base import INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_functional import FunctionalForms


class FieldLists(FunctionalForms):
    """Looks ahead from an opening brace."""

    def _is_field_list(self, sign: str) -> bool:
        """`{ a: 1 …`: fields; `{ a = 1, …`: fields if a comma or the brace's end follows the value on its level."""
        if sign == ":":
            return self.ahead(3).text != "{" or self._is_object(self.at + 3)
        depth = 0
        for place in range(self.at, len(self.tokens)):
            token = self.tokens[place]
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth == 1 and text == "," and place > self.at + 2:
                return True
            if depth == 1 and text == ";" and place > self.at + 2:
                return self.tokens[place + 1].text in self.declared_fields and self.ahead().text in self.declared_fields
            if depth == 0:
                return False
            if place > self.at + 1 and token.is_first and depth == 1:
                return False
        return False

    def _is_object(self, at: int) -> bool:
        """True if the brace at a token begins the fields of a record or the entries of a map, and no block."""
        first, second = self.tokens[at + 1 : at + 3] if at + 2 < len(self.tokens) else (self.token, self.token)
        return first.text == "}" or (first.kind in (NAME, STRING, INT) and second.text == ":")

    def _begins_with_own_name(self) -> bool:
        """`{ team; played = 0 }` of ML: a field that has the value of the variable of its name."""
        next_field, after = self.ahead(3), self.ahead(4)
        are_fields = self.ahead().text in self.declared_fields and next_field.text in self.declared_fields
        return are_fields and next_field.kind == NAME and after.text in ("=", ";", "}")

"""Types and patterns (spec chapter 02 sections 2.3 and 2.6)."""

from __future__ import annotations

from typing import Final

from analysis.database import checkpoint
from analysis.syntax.grammar.cursor import Cursor
from analysis.syntax.grammar.parse_error import PATTERN_STARTS, Production
from analysis.syntax.lexer import IDENT, INT, STRING
from analysis.syntax.tree import (
    BoolPattern,
    IntPattern,
    NamePattern,
    NonePattern,
    Pattern,
    StringPattern,
    TypeExpr,
    VariantPattern,
    WildcardPattern,
    WrapPattern,
)

_TYPE_ARGUMENTS: Final = {"Option": 1, "List": 1, "Result": 2, "Map": 2}


class PatternParser(Cursor):
    """Reads types and patterns."""

    __slots__ = ()

    # ---- types --------------------------------------------------------------------------------------------------

    def _type(self) -> TypeExpr:
        checkpoint()
        name, start = self._identifier(Production.TYPE)
        count = _TYPE_ARGUMENTS.get(name)
        if count is None and name != "Fn":
            return TypeExpr(start, start + len(name), name)
        self._enter()
        arguments: list[TypeExpr] = []
        if name == "Fn":
            self._expect("(", Production.FUNCTION_TYPE)
            while not self._accept(")"):
                if arguments:
                    self._expect(",", Production.FUNCTION_TYPE)
                arguments.append(self._type())
            self._expect("->", Production.FUNCTION_TYPE)
            arguments.append(self._type())
        else:
            self._expect("<", Production.TYPE_ARGUMENTS)
            arguments.append(self._type())
            if count == 2:
                self._expect(",", Production.TYPE_ARGUMENTS)
                arguments.append(self._type())
            self._expect(">", Production.TYPE_ARGUMENTS)
        self._depth -= 1
        return TypeExpr(start, self._last_end(), name, tuple(arguments))

    # ---- patterns -----------------------------------------------------------------------------------------------

    def _pattern(self) -> Pattern:
        position = self._position
        kind, start, end = self._kinds[position], self._starts[position], self._ends[position]
        if kind == IDENT:
            self._position = position + 1
            name = self._text[start:end]
            if not "A" <= name[0] <= "Z":
                return NamePattern(start, end, name)
            payload = self._payload() if self._kinds[self._position] == "(" else None
            return VariantPattern(start, self._last_end(), name, payload)
        if kind == "_":
            self._position = position + 1
            return WildcardPattern(start, end)
        if kind == "None":
            self._position = position + 1
            return NonePattern(start, end)
        if kind == "true" or kind == "false":
            self._position = position + 1
            return BoolPattern(start, end, kind == "true")
        if kind == INT:
            self._position = position + 1
            return IntPattern(start, end, self._text[start:end])
        if kind == STRING:
            self._position = position + 1
            return StringPattern(start, end, self._text[start + 1 : end - 1])
        if kind == "Some" or kind == "Ok" or kind == "Err":
            self._position = position + 1
            inner = self._payload()
            return WrapPattern(start, self._last_end(), kind, inner)
        raise self._fail("expected pattern", Production.PATTERN, PATTERN_STARTS, lagging=True)

    def _payload(self) -> Pattern:
        self._expect("(", Production.PAYLOAD_PATTERN)
        self._enter()
        inner = self._pattern()
        self._expect(")", Production.PAYLOAD_PATTERN)
        self._depth -= 1
        return inner

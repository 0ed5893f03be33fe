"""Items: functions, types, enums, imports (spec chapter 02 sections 2.1 and 2.2, chapter 26 S14)."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from analysis.database import checkpoint
from analysis.syntax.grammar.cursor import ITEM_KEYWORDS, Failure
from analysis.syntax.grammar.expressions import ExpressionParser
from analysis.syntax.grammar.parse_error import ITEM_STARTS, Production, tokens_for
from analysis.syntax.lexer import EOF, IDENT, STRING
from analysis.syntax.tree import (
    Block,
    Capability,
    Enum,
    Expr,
    Field,
    Function,
    Import,
    Item,
    Module,
    Parameter,
    Record,
    StringLiteral,
    TypeExpr,
    Variant,
)

_OFTEN: Final = 500
"""Members or parameters between two looks at whether to stop."""


class ItemParser(ExpressionParser):
    """Reads a whole chunk."""

    __slots__ = ()

    # ---- items --------------------------------------------------------------------------------------------------

    def program(self) -> list[Item]:
        """All items of the chunk."""
        items: list[Item] = []
        while self._kinds[self._position] != EOF:
            checkpoint()
            begin = self._fresh = self._position
            self._depth = 0
            try:
                items.append(self._item(first=not items and begin == 0))
            except Failure:
                self._skip_to_item(begin)
        return items

    def _skip_to_item(self, begin: int) -> None:
        index = max(self._position, begin + 1)
        last = len(self._kinds) - 1
        while index < last and self._kinds[index] not in ITEM_KEYWORDS:
            index += 1
            if index % _OFTEN == 0:
                checkpoint()
        self._position = min(index, last)

    def _item(self, first: bool) -> Item:
        position = self._position
        kind, start = self._kinds[position], self._starts[position]
        if kind == "module" and first:
            self._position += 1
            name, at = self._identifier(Production.MODULE)
            return Module(start, self._last_end(), name, at, False, False)
        exported = kind == "export"
        if exported:
            self._position += 1
            kind = self._kinds[self._position]
        if kind == "fn":
            return self._function(start, exported)
        if kind == "type":
            return self._record_type(start, exported)
        if kind == "enum":
            return self._enum(start, exported)
        if kind == "import":
            return self._import(start, exported)
        raise self._fail("expected item", Production.ITEM, ITEM_STARTS, lagging=True)

    def _import(self, start: int, exported: bool) -> Import:
        self._position += 1
        position = self._position
        kinds, starts, ends = self._kinds, self._starts, self._ends
        if kinds[position] == STRING:
            self._position += 1
            at, end = starts[position], ends[position]
            # A string that is left open has no quote at its end.
            name = self._text[at + 1 : end].removesuffix('"')
            return Import(start, end, name, at + 1, exported, False, "quoted")
        name, at = self._identifier(Production.IMPORT)
        form = "bare"
        if name == "mcp" and kinds[self._position] == "." and kinds[self._position + 1] == IDENT:
            self._position += 2
            form = "mcp"
        first = self._position - 1
        self._skip_dashed()
        end = self._last_end()
        if form == "mcp":
            # Blanks and comments may stand around the point; they are no part of the name.
            name = f"mcp.{self._text[starts[first] : end]}"
        elif self._position > first + 1:
            form, name = "dashed", self._text[at:end]
        return Import(start, end, name, at, exported, False, form)

    def _skip_dashed(self) -> None:
        """Skips what continues a name that has dashes, without blanks."""
        kinds, starts, ends = self._kinds, self._starts, self._ends
        position = self._position
        while (
            kinds[position] == "-"
            and kinds[position + 1] == IDENT
            and starts[position] == ends[position - 1]
            and starts[position + 1] == ends[position]
        ):
            position += 2
        self._position = position

    def _function(self, start: int, exported: bool) -> Function:
        self._position += 1
        name, at = self._identifier(Production.FUNCTION)
        parameters: list[Parameter] = []
        capabilities: list[Capability] = []
        requires: list[Expr] = []
        ensures: list[Expr] = []
        result: TypeExpr | None = None
        intent: StringLiteral | None = None
        signature_end = at + len(name)
        broken = False
        try:
            self._parameters(parameters)
            if self._accept("->"):
                result = self._type()
            if self._accept("!"):
                self._capabilities(capabilities)
            signature_end = self._last_end()
            while True:
                kind = self._kinds[self._position]
                if kind == "requires":
                    self._position += 1
                    requires.append(self._expression())
                elif kind == "ensures":
                    self._position += 1
                    ensures.append(self._expression())
                elif kind == "intent":
                    intent = self._intent(intent)
                else:
                    break
            self._expect_ahead("{", Production.FUNCTION)
        except Failure:
            broken = True
            self._skip_to_body()
        body = (
            self._block(Production.FUNCTION)
            if self._kinds[self._position] == "{"
            else Block(self._last_end(), self._last_end(), ())
        )
        return Function(
            start, self._last_end(), name, at, exported, broken,
            tuple(parameters), result, tuple(capabilities), intent, tuple(requires), tuple(ensures), body, signature_end,
        )  # fmt: skip

    def _skip_to_body(self) -> None:
        while self._kinds[self._position] not in ("{", EOF) and self._kinds[self._position] not in ITEM_KEYWORDS:
            self._position += 1

    def _parameters(self, parameters: list[Parameter]) -> None:
        self._expect("(", Production.PARAMETERS)
        while not self._accept(")"):
            if not len(parameters) % _OFTEN:
                checkpoint()
            if parameters:
                self._expect(",", Production.PARAMETERS)
            name, at = self._identifier(Production.PARAMETERS)
            self._expect(":", Production.PARAMETERS)
            declared = self._type()
            parameters.append(Parameter(at, declared.end, name, declared))

    def _capabilities(self, capabilities: list[Capability]) -> None:
        self._expect("{", Production.CAPABILITIES)
        while not self._accept("}"):
            if capabilities:
                self._expect(",", Production.CAPABILITIES)
            name, at = self._identifier(Production.CAPABILITIES)
            if self._accept("."):
                name += "." + self._identifier(Production.CAPABILITIES)[0]
            capabilities.append(Capability(at, self._last_end(), name))

    def _intent(self, earlier: StringLiteral | None) -> StringLiteral:
        keyword = self._position
        self._position += 1
        if earlier is not None:
            message = "duplicate 'intent' clause: a function may declare at most one intent"
            self._record(message, Production.INTENT, frozenset(), True, (self._starts[keyword], self._ends[keyword]))
            raise Failure
        position = self._position
        if self._kinds[position] != STRING:
            raise self._fail("expected string literal", Production.INTENT, tokens_for(STRING, Production.INTENT))
        self._position += 1
        start, end = self._starts[position], self._ends[position]
        return StringLiteral(start, end, self._text[start + 1 : end - 1])

    def _record_type(self, start: int, exported: bool) -> Record:
        self._position += 1
        name, at = self._identifier(Production.RECORD_TYPE)
        fields: list[Field] = []
        broken = False
        try:
            self._expect("{", Production.RECORD_TYPE)
            while not self._accept("}"):
                if not len(fields) % _OFTEN:
                    checkpoint()
                if fields:
                    self._expect(",", Production.RECORD_TYPE)
                    if self._accept("}"):
                        break
                field, field_at = self._identifier(Production.RECORD_TYPE)
                self._expect(":", Production.RECORD_TYPE)
                declared = self._type()
                fields.append(Field(field_at, declared.end, field, declared))
        except Failure:
            broken = True
            self._skip_braces(start)
        return Record(start, self._last_end(), name, at, exported, broken, tuple(fields))

    def _enum(self, start: int, exported: bool) -> Enum:
        self._position += 1
        name, at = self._identifier(Production.ENUM)
        variants: list[Variant] = []
        broken = False
        try:
            self._expect("{", Production.ENUM)
            while not self._accept("}"):
                if not len(variants) % _OFTEN:
                    checkpoint()
                if variants:
                    self._expect(",", Production.ENUM)
                    if self._accept("}"):
                        break
                variant, variant_at = self._identifier(Production.ENUM)
                payload: TypeExpr | None = None
                if self._accept("("):
                    payload = self._type()
                    self._expect(")", Production.PAYLOAD_TYPE)
                variants.append(Variant(variant_at, self._last_end(), variant, payload))
        except Failure:
            broken = True
            self._skip_braces(start)
        return Enum(start, self._last_end(), name, at, exported, broken, tuple(variants))

    def _skip_braces(self, start: int) -> None:
        """Moves behind the closing brace of a type that began at offset `start`, or to the next item."""
        index = bisect_left(self._starts, start)
        depth = 0
        failed = self._position
        while True:
            kind = self._kinds[index]
            if kind == EOF or (index >= failed and kind in ITEM_KEYWORDS):
                break
            if kind == "{":
                depth += 1
            elif kind == "}":
                depth -= 1
                if depth <= 0 and index >= failed:
                    index += 1
                    break
            index += 1
        self._position = max(index, failed)

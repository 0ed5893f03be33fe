"""Statements and expressions (spec chapter 02 sections 2.4, 2.5 and 3)."""

from __future__ import annotations

from typing import Final

from analysis.database import checkpoint
from analysis.syntax.grammar.cursor import ITEM_KEYWORDS, Failure
from analysis.syntax.grammar.parse_error import EXPRESSION_STARTS, PATTERN_STARTS, Production
from analysis.syntax.grammar.patterns import PatternParser
from analysis.syntax.lexer import EOF, FLOAT, IDENT, INT, STRING
from analysis.syntax.tree import (
    Arm,
    Assign,
    Binary,
    Block,
    BoolLiteral,
    Call,
    Emit,
    ErrorExpr,
    Expr,
    FieldAccess,
    FieldInit,
    FloatLiteral,
    For,
    If,
    IntLiteral,
    Let,
    ListLiteral,
    Match,
    Name,
    NoneLiteral,
    Receive,
    RecordLiteral,
    Return,
    Send,
    Spawn,
    Statement,
    StringLiteral,
    Unary,
    VariantLiteral,
    While,
    Wrap,
)

BINARY_LEVELS: Final = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "++": 5, "+": 6, "-": 6,
    "*": 7, "/": 7, "%": 7,
}  # fmt: skip


_STATEMENT_OR_END: Final = EXPRESSION_STARTS | {"let", "return", "while", "for", "}"}
_PATTERN_OR_END: Final = PATTERN_STARTS | {"}"}


class ExpressionParser(PatternParser):
    """Reads blocks, statements and expressions."""

    __slots__ = ()

    # ---- statements ---------------------------------------------------------------------------------------------

    def _block(self, production: Production) -> Block:
        """A block, as a part of a production."""
        start = self._expect("{", production)
        self._enter()
        depth = self._depth
        statements: list[Statement | Expr] = []
        kinds = self._kinds
        while kinds[self._position] != "}":
            begin = self._fresh = self._position
            kind = kinds[begin]
            if kind == EOF or kind in ITEM_KEYWORDS:
                # An item cannot stand here: the block was never closed. The next item is read as such.
                self._record("expected expression", Production.BLOCK, _STATEMENT_OR_END, True)
                self._depth = depth - 1
                return Block(start, self._last_end(), tuple(statements))
            try:
                statements.append(self._statement(kind))
            except Failure:
                self._depth = depth
                self._skip_to_statement(begin)
                statements.append(ErrorExpr(self._starts[begin], self._last_end()))
        self._position += 1
        self._depth = depth - 1
        return Block(start, self._ends[self._position - 1], tuple(statements))

    def _statement(self, kind: str) -> Statement | Expr:
        position = self._position
        start = self._starts[position]
        if kind == "let":
            self._position = position + 1
            mutable = self._accept("mut")
            name, at = self._identifier(Production.LET)
            declared = self._type() if self._accept(":") else None
            self._expect("=", Production.LET)
            value = self._expression()
            return Let(start, self._ends[self._position - 1], name, at, mutable, declared, value)
        if kind == "return":
            self._position = position + 1
            if self._kinds[self._position] in ("}", EOF):
                return Return(start, self._ends[position], None)
            value = self._expression()
            return Return(start, self._ends[self._position - 1], value)
        if kind == "while":
            self._position = position + 1
            condition = self._expression()
            body = self._block(Production.WHILE)
            return While(start, body.end, condition, body)
        if kind == "for":
            self._position = position + 1
            name, at = self._identifier(Production.FOR)
            self._expect("in", Production.FOR)
            iterable = self._expression()
            body = self._block(Production.FOR)
            return For(start, body.end, name, at, iterable, body)
        expression = self._expression()
        if self._kinds[self._position] != "=":
            return expression
        end = self._ends[self._position - 1]
        self._position += 1
        if not isinstance(expression, Name):
            self._record("invalid assignment target", Production.ASSIGNMENT, frozenset(), True, (start, end))
            raise Failure
        value = self._expression()
        return Assign(start, self._ends[self._position - 1], expression.name, expression.start, value)

    # ---- expressions --------------------------------------------------------------------------------------------

    def _expression(self, minimum: int = 1) -> Expr:
        start = self._starts[self._position]
        left = self._unary()
        kinds = self._kinds
        while True:
            position = self._position
            level = BINARY_LEVELS.get(kinds[position], 0)
            if level < minimum:
                return left
            self._position = position + 1
            self._enter()
            right = self._expression(level + 1)
            self._depth -= 1
            left = Binary(start, self._ends[self._position - 1], kinds[position], left, right, self._starts[position])

    def _unary(self) -> Expr:
        position = self._position
        kind = self._kinds[position]
        if kind == "-" or kind == "!":
            self._position = position + 1
            self._enter()
            operand = self._unary()
            self._depth -= 1
            return Unary(self._starts[position], self._ends[self._position - 1], kind, operand)
        expression = self._primary(kind)
        kinds = self._kinds
        while True:
            kind = kinds[self._position]
            if kind == "(":
                opening = self._starts[self._position]
                arguments = self._arguments()
                expression = Call(self._starts[position], self._ends[self._position - 1], expression, arguments, opening)
            elif kind == ".":
                checkpoint()
                self._position += 1
                name, at = self._identifier(Production.FIELD_ACCESS)
                expression = FieldAccess(self._starts[position], self._ends[self._position - 1], expression, name, at)
            else:
                return expression

    def _arguments(self) -> tuple[Expr, ...]:
        self._position += 1
        arguments: list[Expr] = []
        self._enter()
        while not self._accept(")"):
            if arguments:
                self._expect(",", Production.ARGUMENTS)
            arguments.append(self._expression())
        self._depth -= 1
        return tuple(arguments)

    def _primary(self, kind: str) -> Expr:
        checkpoint()
        position = self._position
        start, end = self._starts[position], self._ends[position]
        if kind == IDENT:
            self._position = position + 1
            name = self._text[start:end]
            following = self._kinds[position + 1]
            if following == "::":
                return self._variant(start, name)
            if following == "{" and "A" <= name[0] <= "Z":
                return self._record_literal(start, name)
            return Name(start, end, name)
        if kind == INT:
            self._position = position + 1
            return IntLiteral(start, end, self._text[start:end])
        if kind == STRING:
            self._position = position + 1
            return StringLiteral(start, end, self._text[start + 1 : end - 1])
        if kind == "(":
            self._position = position + 1
            self._enter()
            inner = self._expression()
            self._expect(")", Production.GROUP)
            self._depth -= 1
            return inner
        if kind == "if":
            return self._if()
        if kind == "match":
            return self._match()
        if kind == "true" or kind == "false":
            self._position = position + 1
            return BoolLiteral(start, end, kind == "true")
        if kind == "None":
            self._position = position + 1
            return NoneLiteral(start, end)
        if kind == "Some" or kind == "Ok" or kind == "Err":
            self._position = position + 1
            self._expect("(", Production.WRAP)
            self._enter()
            inner = self._expression()
            self._expect(")", Production.WRAP)
            self._depth -= 1
            return Wrap(start, self._last_end(), kind, inner)
        if kind == "[":
            return self._list()
        if kind == "{":
            return self._block(Production.BLOCK)
        if kind == FLOAT:
            self._position = position + 1
            return FloatLiteral(start, end, self._text[start:end])
        if kind == "spawn" or kind == "emit" or kind == "send" or kind == "receive":
            return self._actor(kind)
        raise self._fail("expected expression", Production.EXPRESSION, EXPRESSION_STARTS, lagging=True)

    def _actor(self, kind: str) -> Expr:
        start, end = self._starts[self._position], self._ends[self._position]
        self._position += 1
        if kind == "receive":
            return Receive(start, end)
        self._enter()
        operand = self._primary(self._kinds[self._position])
        expression: Expr
        if kind == "send":
            message = self._primary(self._kinds[self._position])
            expression = Send(start, self._last_end(), operand, message)
        elif kind == "spawn":
            expression = Spawn(start, self._last_end(), operand)
        else:
            expression = Emit(start, self._last_end(), operand)
        self._depth -= 1
        return expression

    def _variant(self, start: int, name: str) -> Expr:
        self._position += 1
        variant, at = self._identifier(Production.VARIANT)
        is_lower = not "A" <= name[0] <= "Z"
        if is_lower and name == "mcp" and self._accept("::"):
            tool, _ = self._identifier(Production.VARIANT)
            return self._tool(start, f"mcp::{variant}::{tool}")
        if is_lower and self._kinds[self._position] == "(" and self._kinds[self._position + 1] == ")":
            return self._tool(start, f"{name}::{variant}")
        payload: Expr | None = None
        end, opening = self._last_end(), self._starts[self._position]
        if self._accept("("):
            self._enter()
            payload = self._expression()
            if is_lower and self._kinds[self._position] == ",":
                arguments = (payload, *self._further_arguments())
                return Call(start, self._last_end(), Name(start, end, f"{name}::{variant}"), arguments, opening)
            self._expect(")", Production.VARIANT)
            self._depth -= 1
        return VariantLiteral(start, self._last_end(), name, variant, at, payload)

    def _tool(self, start: int, path: str) -> Expr:
        """A tool of an MCP server by its whole path; a call with one argument is distinguished from a variant by its meaning."""
        named = Name(start, self._last_end(), path)
        if self._kinds[self._position] != "(":
            return named
        opening = self._starts[self._position]
        arguments = self._arguments()
        return Call(start, self._last_end(), named, arguments, opening)

    def _further_arguments(self) -> tuple[Expr, ...]:
        arguments: list[Expr] = []
        while self._accept(","):
            arguments.append(self._expression())
        self._expect(")", Production.ARGUMENTS)
        self._depth -= 1
        return tuple(arguments)

    def _record_literal(self, start: int, name: str) -> RecordLiteral:
        self._position += 1
        self._enter()
        spread: Expr | None = None
        fields: list[FieldInit] = []
        if self._accept(".."):
            spread = self._expression()
            self._accept(",")
        while not self._accept("}"):
            if fields:
                self._expect(",", Production.RECORD_LITERAL)
                if self._accept("}"):
                    break
            field, at = self._identifier(Production.RECORD_LITERAL)
            self._expect(":", Production.RECORD_LITERAL)
            value = self._expression()
            fields.append(FieldInit(at, self._ends[self._position - 1], field, value))
        self._depth -= 1
        return RecordLiteral(start, self._last_end(), name, tuple(fields), spread)

    def _list(self) -> ListLiteral:
        start = self._starts[self._position]
        self._position += 1
        self._enter()
        items: list[Expr] = []
        while not self._accept("]"):
            if items:
                self._expect(",", Production.LIST)
                if self._accept("]"):
                    break
            items.append(self._expression())
        self._depth -= 1
        return ListLiteral(start, self._last_end(), tuple(items))

    def _if(self) -> If:
        start = self._starts[self._position]
        self._position += 1
        self._enter()
        condition = self._expression()
        then_block = self._block(Production.IF)
        else_block = self._block(Production.IF) if self._accept("else") else None
        self._depth -= 1
        return If(start, self._last_end(), condition, then_block, else_block)

    def _match(self) -> Match:
        start = self._starts[self._position]
        self._position += 1
        self._enter()
        value = self._expression()
        opening = self._expect("{", Production.MATCH)
        arms: list[Arm] = []
        depth = self._depth
        kinds = self._kinds
        while kinds[self._position] != "}":
            begin = self._fresh = self._position
            if kinds[begin] == EOF or kinds[begin] in ITEM_KEYWORDS:
                self._unclosed_arms()
                break
            try:
                pattern = self._pattern()
                self._expect("=>", Production.ARM)
                body = self._expression()
                arms.append(Arm(pattern.start, self._ends[self._position - 1], pattern, body))
                self._accept(",")
            except Failure:
                self._depth = depth
                self._skip_to_arm(begin)
        else:
            self._position += 1
        self._depth -= 1
        return Match(start, self._ends[self._position - 1], value, tuple(arms), opening)

    def _unclosed_arms(self) -> None:
        """The arms of a `match` end where neither `}` nor a pattern stands."""
        raise self._fail("expected pattern", Production.MATCH, _PATTERN_OR_END, lagging=True)

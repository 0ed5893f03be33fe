"""Expressions of all dialects: operators by precedence, postfix forms, closures, literals, `if` and `match` in every spelling."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.habits import DIVIDING
from analysis.fixes.dialect.libraries.functional_calls import piped
from analysis.fixes.dialect.reading.grammar_base import INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_bits import BITS
from analysis.fixes.dialect.reading.grammar_marks import LanguageMarks
from analysis.fixes.dialect.reading.joined_values import applied, chained, is_order, signed
from analysis.fixes.dialect.reading.let_bodies import ends_bound_value
from analysis.fixes.dialect.reading.listed_items import stepped
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names
from analysis.suggestions.foreign_words import SIGNS

_OWN_LEVELS: Final = (
    ("|>", "<|", ">>="),
    ("??", "<$>", "<*>", "<|>"),
    ("||",),
    ("&&",),
    ("==", "!=", "<=>", "=~", "!~"),
    ("<", "<=", ">", ">=", "in", "instanceof"),
    ("..", "..=", "downTo"),
    ("::", ":+", "+:", ":::"),
    ("++", "^", "@", "<>", "|", "list_less"),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%", "floor_div", "floor_mod", "land", "lor", "lxor"),
    ("**", "lsl", "lsr", "asr"),
)
"""Operators by precedence, the loosest first."""
_EQUALITY: Final = 4
_RANGES: Final = 6
_JOINING: Final = 8
SUMS: Final = 11
_METHODS: Final = {
    ">>=": "flatMap", ":+": "append_item", "floor_div": "floor_div", "floor_mod": "mod", "land": "bit_and", "lor": "bit_or",
    "lxor": "bit_xor", "lsl": "shift_left", "lsr": "shift_right", "asr": "shift_right", "list_less": "less_items",
}  # fmt: skip
"""Operators that a method stands for."""
_LEVELS: Final[tuple[dict[str, str], ...]] = tuple(
    {**{sign: sign for sign in signs}, **{sign: own for sign, own in SIGNS.items() if own in signs}} for signs in _OWN_LEVELS
)
"""The same with what other languages write for them."""
_STATEMENTS: Final = frozenset(("return", "let", "if", "unless", "while", "for", "end", "def", "fn", "var", "val", "const"))
_LONGEST: Final = 200
"""Tokens of a condition between `if` and `else`."""
_RIGHT: Final = frozenset(("list_less", "::", "<|", "**", "??", "@", "+:", ":::"))


class Expressions(LanguageMarks):
    """`_plain` counts the places around where a brace begins a block, not a record."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._no_bars = 0
        self._plain = 0
        self._no_ternary = 0
        self.names_of_functions: set[str] = set()
        includes_by_two = self.uses_end or self.habit == "ruby"
        excludes_by_three = self.dots_include_end and "..<" not in text
        self.closed_ranges = ("..=", *([".."] if includes_by_two else []), *([] if excludes_by_three else ["..."]))
        self._is_pair = False
        self._equals = 0
        """Number of enclosing ML closures, in which `=` compares; 0 in braces."""
        self._bound: frozenset[str] = frozenset()
        """The names whose value is read, in a declaration that `in` may end."""
        self._bar_guards = False
        self._derefs: list[tuple[n.Assign, str]] = []
        """The assignments through `*name` with the name, up to the end of a function."""
        self.library_words: frozenset[str] = frozenset()
        self.references: frozenset[str] = frozenset()

    @abstractmethod
    def block(self) -> n.Block: ...

    @abstractmethod
    def statements(self, *closing: str) -> list[n.Statement]: ...

    @abstractmethod
    def arms(self, value: n.Expr, start: int) -> n.Expr: ...

    @abstractmethod
    def sub_parser(self, text: str) -> Expressions: ...

    # ---- operators ----

    def expression(self) -> n.Expr:
        self.deeper()
        start = self.token.start
        node = self._binary(0)
        while self.is_word("switch", "match") and self._begins_arms():
            self.take()
            node = self.arms(node, start)
        if self.is_sign("?") and self.token.spaced and (not self.token.is_first or self.ahead().spaced):
            node = self._ternary(node)
        elif self.is_word("if") and not self.token.is_first and not self._no_ternary and self._has_else():
            self.take()
            condition = self._binary(0)
            self.expect("else")
            node = n.If(condition, _block(node), _block(self.expression()))
        node.start, node.end = start, self.before.end
        self.higher()
        return node

    def _begins_arms(self) -> bool:
        """True if arms follow the word behind a value: `x match {`, `x match` and `case` on the next line."""
        if self.token.is_first or self._plain:
            return False
        return self.ahead().text == "{" or (self.ahead().text == "case" and self.ahead().is_first)

    def _has_else(self) -> bool:
        """True if `else` follows before the line, or the bracket around, ends."""
        depth = 0
        for token in self.tokens[self.at + 1 : self.at + _LONGEST]:
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == "else" and depth == 0:
                return True
            if depth < 0 or (token.is_first and depth == 0 and self.token.column == 0):
                return False
            if token.is_first and depth == 0 and token.text in _STATEMENTS:
                return False
        return False

    def condition(self) -> n.Expr:
        """An expression in front of a block, or `let pattern = value`."""
        self._plain += 1
        self._no_ternary += 1
        whole = self._condition_part()
        while (self.is_sign(",", "&&") and self.ahead().text == "let") or (self.is_sign(",") and _asks_pattern(whole)):
            # `if let a = x, a > 0 {` of Swift.
            self.take()
            whole = n.Binary("&&", whole, self._condition_part())
        self._plain -= 1
        self._no_ternary -= 1
        return whole

    def _condition_part(self) -> n.Expr:
        if self.is_word("let", "var") or (self.is_word("case") and self.ahead().text != "("):
            start = self.take().start
            if self.is_word("case"):
                self.take()
            pattern = self.pattern()
            if isinstance(pattern, n.Binding) and not self.is_sign("=", ":="):
                pattern = n.VariantPattern("", "Some", [n.Binding(pattern.name)])
                return n.LetCondition(pattern, n.Name(bound) if (bound := bound_names(pattern)[0]) else n.Name(""), start=start)
            self.expect("=", ":=")
            value = self._binary(3)
            return n.LetCondition(pattern, value, start=start, end=self.before.end)
        return self._binary(0)

    def _ternary(self, condition: n.Expr) -> n.Expr:
        self.take()
        self._plain, plain = 0, self._plain
        then = self.expression()
        self.expect(":")
        otherwise = self.expression()
        self._plain = plain
        return n.If(condition, _block(then), _block(otherwise))

    def _binary(self, level: int) -> n.Expr:
        start = self.token.start
        is_range = level <= _RANGES and self.is_sign("..", "..=", "..<")
        left = self._range_start(start) if is_range else self._unary()
        for each in range(_RANGES if is_range else len(_LEVELS) - 1, level - 1, -1):
            if self.is_sign(")", "]", "}", ",", ";"):
                return left
            left = self._with_operators(left, each, start)
        return left

    def _with_operators(self, left: n.Expr, level: int, start: int) -> n.Expr:
        """An expression that starts at `start`, with the operators of a level that follow it and their right sides."""
        signs = _LEVELS[level]
        while self._is_operator(signs, level):
            if self.is_sign("|", "&") and not self.is_of_bits():
                break
            if self.token.text[:1] == "`":
                left = self.infix_call(left, self._binary, level)
                left.start, left.end = start, self.before.end
                continue
            other = {".": "++", "/=": "!="}.get(self.token.text, "==")
            sign = signs.get(self.take().text, other)
            left = self._joined(sign, left, level)
            left.start, left.end = start, self.before.end
        if level == _EQUALITY and not self.token.is_first and self.begins_test():
            left = self._tested(left)
        return left

    def _is_operator(self, signs: dict[str, str], level: int) -> bool:
        """True if an operator of a level stands at this place and goes on with the expression."""
        if level == _JOINING and self._is_dot():
            return True
        if self.token.kind == STRING or not (self.token.text in signs or self._compares(level) or self.is_infix(level)):
            return False
        return self._goes_on()

    def _compares(self, level: int) -> bool:
        """True if `=` compares, as in the conditions of ML: between `if` and a `then` on its line."""
        if level != _EQUALITY:
            return False
        if self.is_sign("/=") and (self.is_haskell or self.is_like_haskell):
            return True
        if self.is_sign("=") and (self._equals or self.follows_operand()):
            return True
        if not self.is_sign("=") or not self._no_ternary:
            return False
        for token in self.tokens[self.at + 1 : self.at + _LONGEST]:
            if token.is_first or token.text in (";", ":"):
                return False
            if token.text == "{" and token.kind != STRING:
                return self._plain > 0
            if token.text in ("then", "do") and token.kind == NAME:
                return True
        return False

    @abstractmethod
    def captures_call(self) -> bool: ...

    @abstractmethod
    def follows_operand(self) -> bool: ...

    def _is_dot(self) -> bool:
        """`a . b` of PHP, which joins texts: blanks on both sides."""
        return self.is_sign(".") and self.token.spaced and self.ahead().spaced and not self.token.is_first

    def begins_test(self) -> bool:
        return self.is_word("is", "not")

    def _tested(self, left: n.Expr) -> n.Expr:
        """`x is None`, `x not in xs`."""
        if self.is_word("not") and self.ahead().text == "in":
            self.take()
            self.take()
            return n.Unary("!", n.Binary("in", left, self._binary(5)))
        if not self.skip("is"):
            return left
        negated = self.skip("not")
        return n.Binary("!=" if negated else "==", left, self._binary(5))

    def _range_start(self, start: int) -> n.Expr:
        inclusive = self.take().text == "..="
        return n.Range(None, self._binary(7), inclusive, start=start, end=self.before.end)

    def _goes_on(self) -> bool:
        """True if an operator continues the expression: on a new line one that touches what follows begins a statement."""
        token = self.token
        if token.text == "in" and self.ahead().is_first:
            # `let a = 1 in` and the value on the next line.
            return False
        if self._bound and token.kind == NAME and ends_bound_value(self.tokens, self.at, self._bound):
            return False
        is_prefix = token.text == "++" and (token.spaced or token.is_first) and not self.ahead().spaced
        if is_prefix and self.before.text in (")", "}") and self.ahead(2).text == ";":
            # `if (c) ++count;`, and on the line behind a block.
            return False
        if token.text == "++" and (self.ahead().is_first or self.ahead().text in (")", ";", "}", "{", ",")):
            # `text ++` at the end of a line joins; `i++` counts.
            return token.spaced and self.ahead().is_first and (self.before.kind == STRING or self.ahead().kind == STRING)
        if self.ends_section() or (token.text == ">>=" and not self.is_bound(self.ahead())):
            return False
        if not token.is_first or (token.text == "and" and token.column == 0):
            return not token.is_first  # At the margin the next definition of ML begins so.
        if token.text in ("-", "*", "&", "<", "%", "@"):
            return token.text != "<" and self.ahead().start > token.end
        is_call = token.kind == NAME and self.ahead().text == "(" and not self.ahead().spaced
        return not is_call and token.text not in ("..", "in", "to", "is", "not", "until")

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        if sign in ("<<", ">>") and (self.is_function(left) or isinstance(left, n.Call)):
            other = self._binary(level + 1)
            if not self.is_function(left) and not self.is_function(other):
                return self.on_bits(sign, left, other)
            return self.composed(left, other) if sign == ">>" else self.composed(other, left)
        if sign in BITS and (sign != "^" or self.means_bits):
            return self.on_bits(sign, left, self._binary(level + 1))
        if sign == ".." and self.is_lua:
            return n.Binary("++", left, self._binary(level))
        if sign in ("..", "..=", "downTo"):
            written = self.before.text
            includes_end = sign != ".." and (written != "..." or written in self.closed_ranges)
            includes_end |= written == ".." and self.dots_include_end
            if self._ends_range():
                return n.Range(left, None, False)
            right = self._binary(level + 1)
            if written == ".." and not self.token.is_first and self.skip(".."):
                return stepped([left, n.Range(n.Binary("+", left, right), self._binary(level + 1), True)]) or left
            expression: n.Expr = n.Range(left, right, includes_end)
            if sign == "downTo":
                expression = n.Call(n.Member(n.Range(right, left, True), "reversed"), [])
            while self.is_word("step", "by"):
                self.take()
                expression = n.Call(n.Member(expression, "step_by"), [n.Argument(self._binary(level + 1))])
            return expression
        is_whole = sign == "/" and self.before.text in ("div", "quot", "//") and self.habit in DIVIDING
        right = self._binary(level if sign in _RIGHT else level + 1)
        if is_whole:
            return n.Call(n.Member(left, "div"), [n.Argument(right)])
        if sign == "++" and self._is_composed(left, right):
            return self.composed(right, left)
        if sign == "<$>":
            return n.Call(n.Member(right, "map"), [n.Argument(left)])
        if sign in _METHODS:
            return n.Call(n.Member(left, _METHODS[sign]), [n.Argument(right)])
        if sign == "<>" and is_order(left) and is_order(right):
            return n.Call(n.Member(left, "then_order"), [n.Argument(right)])
        sign = {"+:": "::", ":::": "++"}.get(sign, sign)
        if sign == "|>":
            return piped(left, right, self.names_of_functions, self.is_like_haskell) or n.Piped(left, right)
        if sign == "<|":
            whole = applied(left, [right])
            return self._ordered(whole, True) if isinstance(whole, n.Call) and isinstance(whole.function, n.Name) else whole
        return chained(sign, left, right, self.text)

    @abstractmethod
    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr: ...

    def _is_composed(self, left: n.Expr, right: n.Expr) -> bool:
        """True if the dot just read between two values composes functions."""
        between = self.text[left.end : right.start].strip(" \n()")
        if between != ".":
            return False
        is_partial = isinstance(right, n.Call) and self.is_like_haskell and self.is_function(left)
        return is_partial or (self.is_function(right) and (self.is_function(left) or isinstance(left, n.Call)))

    @property
    @abstractmethod
    def is_haskell(self) -> bool: ...

    @abstractmethod
    def is_function(self, node: n.Expr) -> bool: ...

    @property
    @abstractmethod
    def is_like_haskell(self) -> bool: ...

    @abstractmethod
    def is_infix(self, level: int) -> bool: ...

    @abstractmethod
    def infix_call(self, left: n.Expr, operand: Callable[[int], n.Expr], level: int) -> n.Expr: ...

    def is_bound(self, token: Token) -> bool:
        """True if the function begins at a token that `>>=` applies."""
        return token.text == "\\" or (token.kind == NAME and token.text in self.names_of_functions)

    @abstractmethod
    def composed(self, first: n.Expr, second: n.Expr) -> n.Expr: ...

    @abstractmethod
    def ends_section(self) -> bool: ...

    def _ends_range(self) -> bool:
        return self.is_sign(")", "]", "}", ",") or (self.is_sign("{") and bool(self._plain))

    def _unary(self) -> n.Expr:
        start = self.token.start
        if self.is_sign("!") and self.ahead().text in self.references and self.ahead().kind == NAME:
            self.take()
            return n.Name(self.take().text, start=start, end=self.before.end)
        if self.is_sign("-", "!") or self.is_word("not"):
            sign = self.take().text
            self.deeper()
            operand = self._binary(5) if sign == "not" else self._unary()
            self.higher()
            return signed(sign, operand, (start, self.before.end), self.text, self.habit)
        if self.is_sign("~") and not self.ahead().spaced and (self.ahead().kind == INT or self.means_bits):
            return self.complement()
        if self.is_sign("#") and self.ahead().kind == NAME:
            self.take()
            return n.Call(n.Member(self._postfix(), "len"), [], start=start, end=self.before.end)
        if self.is_sign("&") and self.names_method():
            # `&:length` of Ruby.
            self.take()
            self.take()
            body = n.Call(n.Member(n.Name("_arg0"), self.name()), [])
            if self.is_sign("?") and not self.token.spaced:
                self.take()
            return n.Lambda([n.Binding("_arg0")], body, start=start, end=self.before.end)
        if self.is_sign("&") and self.captures and (self.ahead().kind == INT or self.ahead().text in tuple("(:&{[")):
            return self._captured()
        if self.is_sign("&") and (arity := self.named_capture()) is not None:
            return self.captured_function(arity)
        if self.is_sign("&") and self.captures and self.captures_call():
            return self._captured()
        if self.is_sign("+") and (self.ahead().kind in (STRING, NAME) or self.ahead().text == "("):
            # JavaScript makes a number of a text so.
            self.take()
            return n.Call(n.Name("int"), [n.Argument(self._unary())], start=start, end=self.before.end)
        if self.is_sign("&", "*", "+") or (self.is_sign("**") and self.ahead().kind == NAME and self.habit != "python"):
            self.take()
            self.skip("mut")
            return self._unary()
        if self.is_word("await") or (
            self.is_word("move") and self.ahead().text in (("|", "||") if self._plain else ("|", "||", "{"))
        ):
            self.take()
            return self._unary()
        return self._cast(self._application())

    @abstractmethod
    def _captured(self) -> n.Expr: ...

    def _cast(self, value: n.Expr) -> n.Expr:
        while self.is_word("as") and not self.token.is_first:
            self.take()
            self.skip("!", "?")
            if self.is_word("char", "Char", "Character", "rune") and self.ahead().text != "[":
                member = n.Member(value, "to_char", start=value.start, end=value.end)
                value = n.Call(member, [], start=value.start, end=self.take().end)
                continue
            value = n.Cast(value, self.type(), start=value.start, end=self.before.end)
        return value

    # ---- application and postfix forms ----

    @abstractmethod
    def named_capture(self) -> int | None: ...

    @abstractmethod
    def captured_function(self, arity: int) -> n.Expr: ...

    @abstractmethod
    def _application(self) -> n.Expr: ...

    @abstractmethod
    def _postfix(self) -> n.Expr: ...

    @abstractmethod
    def _primary(self) -> n.Expr: ...


def _block(value: n.Expr) -> n.Block:
    if isinstance(value, n.Block):
        return value
    return n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)


def _asks_pattern(node: n.Expr) -> bool:
    """True if a condition takes a value apart."""
    if isinstance(node, n.Binary) and node.operator == "&&":
        return _asks_pattern(node.left) or _asks_pattern(node.right)
    return isinstance(node, n.LetCondition)

"""Forms of OCaml and F#: loops with `do` and `done`, `begin` and `end`, exceptions, places in arrays."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import END, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_gleam import GleamForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.attempts import Attempt
from analysis.fixes.dialect.tree.types import STRING as TEXT
from analysis.fixes.dialect.tree.types import Type

THROWN: Final = "Thrown"
"""The enum of what is thrown, in a program with exceptions of its own."""
_KNOWN: Final = {
    "Failure": [TEXT], "Invalid_argument": [TEXT], "Not_found": [], "Division_by_zero": [], "End_of_file": [], "Exit": [],
}  # fmt: skip
"""Exceptions of the library, and what they hold."""
_RAISING: Final = {
    "failwith": "Failure", "failwithf": "Failure", "invalid_arg": "Invalid_argument", "invalidArg": "Invalid_argument",
}  # fmt: skip
_LONGEST: Final = 400
"""Tokens between `try` and its `with`."""
_RAISES: Final = re.compile(
    r"^[ \t]*exception [A-Z]|\bfailwithf?\b|\braise[ (]{1,2}(?:Not_found|Failure|Invalid_argument)\b", re.MULTILINE
)
_CHANGED: Final = re.compile(r"\blet[ \t]+(?:mut|mutable)[ \t]+([a-z_]\w*)")


class MLForms(GleamForms):
    """Reads exceptions, and blocks that words begin and end."""

    def _word(self) -> n.Expr:
        follows = self.ahead()
        if self.is_word("begin") and self.begins_blocks:
            return self._begun_block()
        if (
            self.is_word("raise")
            and self.raises_by_name
            and not follows.is_first
            and follows.text not in ("=", ".", ",", ")", ":")
        ):
            return self._raised_exception()
        if self.token.text in _RAISING and self._is_raising():
            return self._failed()
        if self.is_word("try") and follows.text != "{" and self._has_with():
            return self._tried_with()
        return super()._word()

    @lazily
    def raises_by_name(self) -> bool:
        """True if `raise` is that of OCaml and F#: what it throws is a variant."""
        return _RAISES.search(self.text) is not None

    def _is_raising(self) -> bool:
        """True if `failwith` at this place is a call of the library's function."""
        if self.ahead().kind == END or self.token.text in self.names_of_functions:
            return False
        return self.ahead().text not in ("=", ".", ",", ")", ":") and self.before.text not in (".", "|>")

    # ---- blocks ----

    def _begun_block(self) -> n.Expr:
        """`begin … end`."""
        start = self.expect("begin").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        statements: list[n.Statement] = []
        while not self.skip("end"):
            if not self.skip(";"):
                statements.append(self.statement())
        self._plain, self._no_ternary = plain, ternary
        return n.Block(statements, start=start, end=self.before.end)

    def done_block(self) -> n.Block:
        """`do … done`, or `do` and the lines that are indented deeper."""
        self.expect("do")
        has_end = self._ends_with_done()
        self._dones += has_end
        loops_body = self.laid_out()
        self._dones -= has_end
        if has_end:
            self.skip(";")
            self.expect("done")
        return loops_body

    def _ends_with_done(self) -> bool:
        """True if `done` ends the loop whose body begins here."""
        depth, loops = 0, 1
        for token in self.tokens[self.at : self.at + _LONGEST * 5]:
            if token.kind == OPERATOR:
                depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth < 0 or (token.is_first and token.column == 0):
                return False
            if token.kind == NAME and depth == 0:
                loops += (token.text == "do") - (token.text == "done")
                if loops == 0:
                    return True
        return False

    def begins_update(self) -> bool:
        """True if the brace at this place begins `{ p with x = 1 }`, `{ p | x = 1 }`, or fields of a record."""
        if not self.is_sign("{"):
            return False
        first, second = self.ahead(), self.ahead(2)
        if first.kind == NAME and second.kind == OPERATOR and second.text == ":" and self.ahead(3).text != ":":
            return True
        if first.kind == NAME and second.text == "=" and first.text[0].isupper():
            return True
        for place in range(self.at + 1, min(self.at + 12, len(self.tokens) - 2)):
            token, name, sign = self.tokens[place : place + 3]
            if token.kind != STRING and token.text in ("|", "with"):
                return place > self.at + 1 and name.kind == NAME and sign.text in ("=", ":")
            if token.kind != NAME and token.text not in (".", "(", ")"):
                return False
        return False

    # ---- assignments ----

    @lazily
    def _changed_names(self) -> frozenset[str]:
        return frozenset(_CHANGED.findall(self.text))

    def is_set_by_arrow(self, target: n.Expr) -> bool:
        """True if `target <- value` is an assignment."""
        if not self.is_sign("<-"):
            return False
        return (
            self.sets_by_arrow
            or isinstance(target, (n.Index, n.Member))
            or (isinstance(target, n.Name) and target.name in self._changed_names)
        )

    def is_place(self) -> bool:
        """`xs.(i)`, `xs.[i]`, behind `xs`."""
        follows = self.ahead()
        touches = not self.token.spaced and not follows.spaced and not self.token.is_first and follows.kind == OPERATOR
        return self.is_sign(".") and touches and follows.text in ("(", "[")

    def place(self, expression: n.Expr) -> n.Expr:
        self.expect(".")
        if self.take().text == "[":
            part = self._indexed(expression)
            if isinstance(part, n.Slice):
                # Of F#, where a part holds the item at its end.
                part.inclusive = True
            return part
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        index = self.expression()
        self.expect(")")
        self._plain, self._no_ternary = plain, ternary
        return n.Index(expression, index, start=expression.start, end=self.before.end)

    # ---- exceptions ----

    @lazily
    def exceptions(self) -> dict[str, list[Type]]:
        """The exceptions that the program declares or names, by what they hold; none where a text says all that is thrown."""
        named: dict[str, list[Type]] = {}
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        if not any(token.text == "try" and token.kind == NAME for token in self.tokens):
            return {}
        for token, follows in pairs:
            if token.kind != NAME:
                continue
            if token.text == "exception" and token.is_first and follows.kind == NAME:
                named[follows.text] = []
            word = _RAISING.get(token.text, token.text)
            if word in _KNOWN and follows.text != "=":
                named.setdefault(word, list(_KNOWN[word]))
        return {} if set(named) <= {"Failure"} else named

    def exception_item(self) -> n.Item:
        """`exception Low of int`: a variant of what is thrown; the first one stands for all."""
        start = self.expect("exception").start
        variant = self._declared_exception()
        is_first = not self._has_enum
        self._has_enum = True
        if variant.name in self.exceptions:
            self.exceptions[variant.name] = variant.payload
        part = n.Alias(variant.name, Type(THROWN)) if self.exceptions else n.Alias("", Type())
        item: n.Item = n.Enum(THROWN, []) if is_first and self.exceptions else part
        item.start, item.end = start, self.before.end
        return item

    _has_enum = False

    def _declared_exception(self) -> n.Variant:
        start, name = self.token.start, self.name()
        payload: list[Type] = []
        if self.skip("of"):
            payload = [self.type()]
            while self.skip("*"):
                payload.append(self.type())
        elif self.is_sign("(") and not self.token.is_first:
            self.take()
            payload = self._types(")")
        return n.Variant(name, payload, start=start, end=self.before.end)

    def with_thrown(self, items: list[n.Item]) -> list[n.Item]:
        """The items with the enum of all that is thrown, once all exceptions are known."""
        if not self.exceptions:
            return items
        variants = [n.Variant(name, payload) for name, payload in self.exceptions.items()]
        for item in items:
            if isinstance(item, n.Enum) and item.name == THROWN and not item.variants:
                item.variants = variants
                return items
        first = next((item for item in items if not (isinstance(item, n.Verbatim) and not item.reason)), None)
        if first is None:
            return items
        thrown = n.Enum(THROWN, variants, start=first.start, end=first.start)
        place = items.index(first)
        return [*items[:place], thrown, *items[place:]]

    def _raised_exception(self) -> n.Expr:
        """`raise Not_found`, `raise (Low 3)`."""
        start = self.expect("raise").start
        value = self.expression()
        named = value.function if isinstance(value, n.Call) else value
        name = named.name if isinstance(named, (n.Name, n.Member, n.Path)) else ""
        if name in self.exceptions and isinstance(named, (n.Name, n.Path)):
            path: n.Expr = n.Path(THROWN, name, start=named.start, end=named.end)
            thrown = n.Call(path, value.arguments, start=value.start, end=value.end) if isinstance(value, n.Call) else path
            return n.Jump("throw", thrown, start=start, end=self.before.end)
        message: n.Expr = n.Literal("string", f'"{name}"', start=start, end=self.before.end)
        if isinstance(value, n.Call) and value.arguments and name[:1].isupper():
            message = value.arguments[0].value
        elif not name[:1].isupper():
            # `raise error`: what was caught goes on.
            return n.Jump("throw", value, start=start, end=self.before.end)
        return self._thrown_text(message, "Failure", start)

    def _failed(self) -> n.Expr:
        """`failwith "reason"`, `failwithf "no %d" n`, also with parentheses."""
        start, word = self.token.start, self.take().text
        arguments: list[n.Expr] = []
        if self.is_sign("(") and not self.token.spaced:
            self.take()
            arguments = [each.value for each in self._arguments(")")]
        elif self.skip("<|", "$", "@@"):
            arguments = [self.expression()]
        else:
            while not self.token.is_first and self._begins_operand():
                arguments.append(self._postfix(is_operand=True))
        if not arguments:
            raise self.unknown("what went wrong is expected")
        message = arguments[0] if word != "invalidArg" else arguments[-1]
        if word == "failwithf":
            format_name = n.Name("sprintf", start=start, end=start)
            message = n.Call(format_name, [n.Argument(each) for each in arguments], start=start, end=self.before.end)
        return self._thrown_text(message, _RAISING[word], start)

    def _begins_operand(self) -> bool:
        token = self.token
        if token.kind == NAME:
            return token.text not in ("else", "in", "with", "then", "end", "done", "and", "if")
        return token.kind in (STRING, INT) or token.text in ("(", "$")

    def _thrown_text(self, message: n.Expr, name: str, start: int) -> n.Expr:
        if name in self.exceptions:
            path = n.Path(THROWN, name, start=start, end=start)
            message = n.Call(path, [n.Argument(message)], start=start, end=self.before.end)
        return n.Jump("throw", message, start=start, end=self.before.end)

    def _has_with(self) -> bool:
        """True if a `with` belongs to the `try` at this place."""
        depth = 0
        waiting = False
        for token in self.tokens[self.at + 1 : self.at + _LONGEST]:
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth < 0 or (token.is_first and token.column == 0 and text not in ("with", "|")):
                return False
            if text == "{" and depth == 1:
                waiting = False
            if depth == 0 and token.kind == NAME:
                if text == "with" and not waiting:
                    return True
                waiting = text == "match" or (waiting and text != "with")
        return False

    def _tried_with(self) -> n.Expr:
        """`try e with | Not_found -> 0`."""
        start = self.expect("try").start
        self._plain, plain = 0, self._plain
        value = self.laid_out() if self.token.is_first or self.is_word("let") else None
        if value is None:
            only = self.expression()
            value = n.Block([n.Evaluate(only, start=only.start, end=only.end)], start=only.start, end=only.end)
            while self.skip(";"):
                value.statements.append(self.statement())
        self._plain = plain
        return self.caught_with(value, start)

    def caught_with(self, body: n.Block, start: int) -> n.Expr:
        """Handlers behind a body: `with` and its arms."""
        while body.statements and isinstance(last := body.statements[-1], n.Evaluate) and isinstance(last.value, n.Block):
            body.statements[-1:] = last.value.statements
        at = self.token.start
        self.expect("with")
        match = self.arms(n.Name("error", start=at, end=at), at)
        assert isinstance(match, n.Match)
        if len(match.arms) == 1 and match.arms[0].guard is None and isinstance(match.arms[0].pattern, (n.Wildcard, n.Binding)):
            pattern = match.arms[0].pattern
            name = pattern.name if isinstance(pattern, n.Binding) else ""
            return Attempt(body, name, _block_of(match.arms[0].body), start=start, end=self.before.end)
        failed: dict[str, n.Block] = {}
        for arm in match.arms:
            self._note_failures(arm, failed)
        if not self.exceptions:
            for arm in match.arms:
                arm.pattern = _text_pattern(arm.pattern)
        other = match.arms[-1]
        is_whole = other.guard is None and isinstance(other.pattern, (n.Wildcard, n.Binding))
        caught = {name for arm in match.arms if arm.guard is None for name in _names(arm.pattern)}
        if not is_whole and not (self.exceptions and set(self.exceptions) <= caught):
            again = n.Jump("throw", n.Name("error", start=at, end=at), start=at, end=at)
            match.arms.append(n.Arm(n.Wildcard(start=at, end=at), None, again, start=at, end=at))
        handler = n.Block([n.Evaluate(match, start=at, end=self.before.end)], start=at, end=self.before.end)
        return Attempt(body, "error", handler, failed=failed, start=start, end=self.before.end)

    def _note_failures(self, arm: n.Arm, failed: dict[str, n.Block]) -> None:
        """Notes what an arm does where a function of the library fails."""
        body = _block_of(arm.body)
        if arm.guard is not None:
            return
        if isinstance(arm.pattern, n.Wildcard):
            failed.setdefault("", body)
        for name in _names(arm.pattern):
            held = arm.pattern.items if isinstance(arm.pattern, n.VariantPattern) else []
            if not held or isinstance(held[0], n.Wildcard):
                failed.setdefault(name, body)


def _names(pattern: n.Pattern) -> list[str]:
    """The exceptions that a pattern fits, whatever they hold."""
    if isinstance(pattern, n.OrPattern):
        return [name for each in pattern.options for name in _names(each)]
    if isinstance(pattern, n.VariantPattern) and all(isinstance(each, (n.Wildcard, n.Binding)) for each in pattern.items):
        return [pattern.name]
    return []


def _text_pattern(pattern: n.Pattern) -> n.Pattern:
    """`Failure message` where what is thrown is the message."""
    if isinstance(pattern, n.VariantPattern) and len(pattern.items) == 1:
        return pattern.items[0]
    if isinstance(pattern, n.OrPattern):
        pattern.options = [_text_pattern(each) for each in pattern.options]
    return pattern


def _block_of(value: n.Expr) -> n.Block:
    if isinstance(value, n.Block):
        return value
    return n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)

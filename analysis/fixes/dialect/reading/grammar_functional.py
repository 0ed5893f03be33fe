"""Forms of Haskell, Scala and F#: sections, composed functions, loops that give values, steps that may fail."""

from __future__ import annotations

import re
from abc import abstractmethod
from copy import deepcopy
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_infix import InfixFunctions
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, walk
from analysis.suggestions.foreign_words import PLAIN_TYPES

_SECTIONS: Final = frozenset("+ * / % ++ == < > <= >= != /= && || <> ^ ** ::".split())
"""Operators that stand alone with one operand in parentheses; a minus makes a number negative there."""
_LEFT_SECTIONS: Final = _SECTIONS | {"-", ":"}
_HASKELL: Final = re.compile(
    r"\\[\w(][^\n]{0,60}->|\bcase\b[^\n{]{1,80}\bof\b|^[ \t]{1,40}where$|\([a-z_]\w*:[a-z_]\w*\)|^[a-z]\w* ::", re.MULTILINE
)
"""Marks of Haskell-like languages."""
_LIKE_HASKELL: Final = re.compile(
    r"`\w+` |\b(?:concatMap|foldr|unwords|unlines|intercalate|fromMaybe|mapMaybe|otherwise|replicate|zipWith|takeWhile|fst|snd)\b"
    r"|\bJust\b|[ (]\$ |\blet \w+ = (?:\w+|\([^()\n]{1,20}\)) \. |\bshow [A-Za-z0-9(\[]"
)
_LIKE_OTHERS: Final = re.compile(
    r"\bEnum\.|\bdefmodule\b|\brem\(|\b(?:List|String|Maybe|Dict|Array|Seq|Printf)\.[a-z]|\.(?:map|filter|length|toString)\("
    r"|\b(?:list|string|int|dict|result|option)\.[a-z]|\blet rec\b|\bfun\b"
)
"""Marks of Elm, OCaml, Elixir, Scala and Gleam."""


class FunctionalForms(InfixFunctions):
    """Reads what functions are made of where no closure is written."""

    @abstractmethod
    def laid_out(self) -> n.Block: ...

    @lazily
    def is_like_haskell(self) -> bool:
        """True if a program calls what Haskell calls so: there `div` rounds down and `show True` begins with a capital letter."""
        return self.is_haskell or (_LIKE_HASKELL.search(self.text) is not None and _LIKE_OTHERS.search(self.text) is None)

    @lazily
    def is_haskell(self) -> bool:
        """True if `:` puts an item before a list, and `/=` compares."""
        return _HASKELL.search(self.text) is not None

    def _called(self, expression: n.Expr) -> n.Expr:
        """A call of what stands before the parenthesis at this place."""
        self.take()
        if (curried := self.curried(expression)) is not None:
            return curried
        call = n.Call(expression, [*self._base(expression), *self._arguments(")")])
        is_own = isinstance(expression, n.Name) and expression.name in self.names_of_functions
        return self._with_closure(call if is_own else self._ordered(call))

    def _base(self, expression: n.Expr) -> list[n.Argument]:
        """`..p` in `Point(..p, x: 1)`, behind the parenthesis."""
        if not self.is_sign("..") or not isinstance(expression, n.Name) or not expression.name[0].isupper():
            return []
        start = self.take().start
        base = n.Spread(self.expression(), start=start, end=self.before.end)
        self.skip(",")
        return [n.Argument(base, start=start, end=base.end)]

    # ---- sections ----

    def section(self) -> n.Expr | None:
        """`(+ 1)`, `(> 3)` behind the parenthesis; None where something else begins."""
        token, follows = self.token, self.ahead()
        if token.kind != OPERATOR or token.text not in _SECTIONS or (follows.kind == OPERATOR and follows.text == ")"):
            return None
        is_touching = follows.start == token.end
        if (
            token.text in ("*", "<", "/", "::", "++", "^", "&&", "||")
            and is_touching
            and follows.kind not in (INT, FLOAT, STRING)
        ):
            return None
        if token.text == "+" and follows.kind == STRING:
            return None
        start, sign = token.start, self.take().text
        right = self.expression()
        self.expect(")")
        own = n.Name("_arg0", start=start, end=start)
        body = n.Binary(_own(sign), own, right, start=start, end=self.before.end)
        return n.Lambda([n.Binding("_arg0")], body, start=start, end=self.before.end)

    def left_section(self, left: n.Expr) -> n.Expr | None:
        """`(10 -)`: the sign and the parenthesis behind a value."""
        if not self.ends_section():
            return None
        if self.token.text[:1] == "`":
            last: n.Expr = n.Name("_arg0", start=left.start, end=left.start)
            called = self.infix_call(left, lambda _: last, 0)
            self.expect(")")
            return n.Lambda([n.Binding("_arg0")], called, start=left.start, end=self.before.end)
        sign = self.take().text
        self.take()
        own = n.Name("_arg0", start=left.start, end=left.start)
        body = n.Binary("::" if sign == ":" else _own(sign), left, own, start=left.start, end=self.before.end)
        return n.Lambda([n.Binding("_arg0")], body, start=left.start, end=self.before.end)

    def ends_section(self) -> bool:
        follows = self.ahead()
        if self.token.text[:1] == "`" and self.token.kind == NAME:
            return follows.kind == OPERATOR and follows.text == ")"
        return (
            self.token.kind == OPERATOR and self.token.text in _LEFT_SECTIONS and follows.kind == OPERATOR and follows.text == ")"
        )

    def consed(self, first: n.Expr) -> n.Expr:
        """`(x : rest)` behind the first value; no type stands behind the colon."""
        follows = self.ahead()
        is_type = follows.kind == NAME and (
            follows.text[0].isupper() or follows.text in ("int", "string", "float", "bool", "list")
        )
        if not self.is_sign(":") or is_type or (follows.text in ("(", "{") and not self.is_haskell):
            return first
        self.take()
        rest = self.consed(self.expression())
        return n.Binary("::", first, rest, start=first.start, end=self.before.end)

    def stands_before_list(self) -> bool:
        """True if the colon at this place, behind a name, puts it before a list: blanks around it, and no type behind."""
        follows = self.ahead()
        if not self.is_sign(":") or not self.token.spaced or not follows.spaced or follows.is_first:
            return False
        if follows.kind == NAME:
            return follows.text[0].islower() and follows.text not in (*PLAIN_TYPES, "list", "map", "dict", "loop", "for", "while")
        return follows.text == "[" and (self.is_haskell or not self.ahead(2).text[:1].isupper())

    # ---- composed functions ----

    def is_function(self, node: n.Expr) -> bool:
        """True if an expression is a function by its form."""
        if isinstance(node, (n.Lambda, n.OperatorFunction)):
            return True
        if isinstance(node, n.Name):
            return self._names_function(node) or node.name[0].isupper()
        if isinstance(node, n.Member):
            return isinstance(node.object, n.Name) and node.object.name[0].isupper()
        return False

    def composed(self, first: n.Expr, second: n.Expr) -> n.Expr:
        """A closure that applies one function and then another."""
        bound = {name for each in (first, second) for name in _bound(each)}
        name = next(name for name in ("_arg0", *(f"whole_{number}" for number in range(len(bound) + 1))) if name not in bound)
        own: n.Expr = n.Name(name, start=first.start, end=first.start)
        for function in (first, second):
            call = _applied(function, own)
            own = self._ordered(call, True) if isinstance(call, n.Call) else call
        return n.Lambda([n.Binding(name)], own, start=min(first.start, second.start), end=self.before.end)

    def named_capture(self) -> int | None:
        """The number of arguments in `&name/1`, `&String.upcase/1`, `&+/2`; None where no function of Elixir is named so."""
        place = 1
        if self.ahead().kind == OPERATOR and self.ahead().text in _SECTIONS | {"-"}:
            place = 2
        elif self.ahead().kind == NAME:
            place = 2
            while self.ahead(place).text == "." and self.ahead(place + 1).kind == NAME:
                place += 2
            place += self.ahead(place).text in ("?", "!")
        slash, count = self.ahead(place), self.ahead(place + 1)
        is_named = place > 1 and slash.text == "/" and slash.kind == OPERATOR and not slash.spaced
        if not is_named or count.kind != INT or count.start != slash.end or not 0 < int(count.text) < 5:
            return None
        return int(count.text)

    def captured_function(self, arity: int) -> n.Expr:
        """`&name/1` as a closure that calls the function."""
        start = self.expect("&").start
        names = [f"_arg{place}" for place in range(arity)]
        own: list[n.Expr] = [n.Name(name, start=start, end=start) for name in names]
        body: n.Expr
        if self.token.kind == OPERATOR:
            sign = self.take().text
            body = n.Binary(_own(sign), own[0], own[1], start=start, end=self.before.end) if arity == 2 else own[0]
        else:
            word = self.take()
            function: n.Expr = n.Name(word.text, start=word.start, end=word.end)
            while self.skip("."):
                function = n.Member(function, self.name(), start=word.start, end=self.before.end)
            self.skip("?", "!")
            call = n.Call(function, [n.Argument(each) for each in own], start=start, end=self.before.end)
            is_own = isinstance(function, n.Name) and function.name in self.names_of_functions
            body = call if is_own else self._ordered(call)
        self.expect("/")
        self.take()
        parameters: list[n.Pattern] = [n.Binding(name) for name in names]
        return n.Lambda(parameters, body, start=start, end=self.before.end)

    def operator_with(self, function: n.OperatorFunction, values: list[n.Expr]) -> n.Expr:
        """`(+) 1`, `(=) x` as a closure of the other operand; `(+) 1 2` as what it gives."""
        start, end = function.start, self.before.end
        sign = {"=": "==", "<>": "!=", "/=": "!=", "@": "++"}.get(function.operator, function.operator)
        if len(values) > 2:
            raise self.unknown("an operator takes two values")
        if len(values) == 2:
            return n.Binary(sign, values[0], values[1], start=start, end=end)
        body = n.Binary(sign, values[0], n.Name("_arg0", start=start, end=start), start=start, end=end)
        return n.Lambda([n.Binding("_arg0")], body, start=start, end=end)

    # ---- loops and steps that give values ----

    def yielded_steps(self) -> n.Expr:
        """`for { x <- xs; y <- f(x) if c } yield e`: behind `for`."""
        start = self.token.start
        closing = ")" if self.expect("{", "(").text == "(" else "}"
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        steps: list[n.Node] = []
        while not self.skip(closing):
            if not self.skip(";", ","):
                steps.append(self._step())
        self._plain, self._no_ternary = plain, ternary
        self.expect("yield")
        value = self.expression()
        return self.chained_steps(steps, value, True, start)

    def _step(self) -> n.Node:
        """`x <- xs`, `x = e`, `if c`, a call whose value nobody names."""
        start = self.token.start
        if self.skip("if") or (self.is_word("guard") and "guard" not in self.names_of_functions and self.skip("guard")):
            self.skip("$")
            return self.condition()
        if self.skip("let", "val"):
            pattern = self.pattern()
            self.expect("=")
            return n.Let(pattern, None, self.expression(), start=start, end=self.before.end)
        at = self.at
        if self._has_arrow():
            pattern = self.pattern()
            self.expect("<-")
            self._no_ternary += 1
            source = self._binary(0)
            self._no_ternary -= 1
            return n.For(pattern, source, n.Block([]), start=start, end=self.before.end)
        if self.ahead().text == "=" and self.token.kind == NAME:
            name = self.name()
            self.expect("=")
            return n.Let(n.Binding(name), None, self.expression(), start=start, end=self.before.end)
        self.at = at
        return n.For(n.Wildcard(), self.expression(), n.Block([]), start=start, end=self.before.end)

    def is_yielded(self, steps: int = 0) -> bool:
        """True if a bracket with steps, and `yield` behind it, stands so many tokens ahead."""
        opening = self.ahead(steps)
        if opening.kind != OPERATOR or opening.text not in ("{", "("):
            return False
        end = self.behind_brackets.get(self.at + steps, len(self.tokens) - 1)
        arrows = sum(token.text == "<-" and token.kind == OPERATOR for token in self.tokens[self.at : end])
        arrows += any(token.text == ";" for token in self.tokens[self.at : end])
        return arrows > (opening.text == "(") and self.tokens[end].text == "yield" and self.tokens[end].kind == NAME

    def _has_arrow(self) -> bool:
        """True if `<-` follows on the line and within the brackets at hand, without a comma before it."""
        depth = 0
        for token in self.tokens[self.at : self.at + 20]:
            if token.is_first and token is not self.token:
                return False
            if token.kind != OPERATOR:
                continue
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if token.text == "<-":
                return True
            if depth < 0 or token.text in (";", "=") or (token.text == "," and depth == 0):
                return False
        return False

    def chained_steps(self, steps: list[n.Node], value: n.Expr, is_wrapped: bool, start: int) -> n.Expr:
        """Steps as nested closures: the last one maps where the value is plain, the others go on with what is inside."""
        for step in reversed(steps):
            if isinstance(step, n.Let):
                value = n.Block(
                    [step, n.Evaluate(value, start=value.start, end=value.end)], start=step.start, end=self.before.end
                )
                if is_wrapped and step is steps[-1]:
                    continue
            elif isinstance(step, n.For):
                name = "map" if is_wrapped else "flatMap"
                closure = n.Lambda([step.pattern], value, start=step.start, end=self.before.end)
                value = n.Call(n.Member(step.source, name), [n.Argument(closure)], start=start, end=self.before.end)
                is_wrapped = False
            elif isinstance(step, n.Expr):
                place = steps.index(step)
                source = next((each for each in reversed(steps[:place]) if not isinstance(each, n.Let)), None)
                if not isinstance(source, n.For):
                    raise self.unknown("a condition behind what it is about")
                lets = [each for each in steps[steps.index(source) : place] if isinstance(each, n.Let)]
                body: n.Expr = step
                if lets:
                    last = n.Evaluate(step, start=step.start, end=step.end)
                    body = n.Block([*deepcopy(lets), last], start=lets[0].start, end=step.end)
                test = n.Lambda([source.pattern], body, start=step.start, end=step.end)
                source.source = n.Call(n.Member(source.source, "filter"), [n.Argument(test)], start=source.start, end=source.end)
        if is_wrapped:
            raise self.unknown("a step that may fail is expected")
        return value

    # ---- lists by what they are made of ----

    def generated(self, value: n.Expr) -> n.Expr:
        """`| x <- xs, let y = f x, y > 0` behind a value, to the end of the bracket."""
        self.expect("|")
        loops: list[tuple[n.Pattern, n.Expr, list[n.Node]]] = []
        while True:
            start = self.token.start
            if self.is_word("let"):
                self.take()
                pattern = self._one_pattern()
                self.expect("=")
                step: n.Node = n.Let(pattern, None, self._binary(0), start=start, end=self.before.end)
            elif self._has_arrow():
                pattern = self._one_pattern()
                self.expect("<-")
                loops.append((pattern, self.expression(), []))
                step = n.Wildcard()
            else:
                step = self.expression()
            if not loops:
                raise self.unknown("a loop is expected")
            if not isinstance(step, n.Wildcard):
                loops[-1][2].append(step)
            if not self.skip(","):
                break
        for place, (pattern, source, steps) in enumerate(reversed(loops)):
            value = self._looped(value, pattern, source, steps, place > 0)
        return value

    def _looped(self, value: n.Expr, pattern: n.Pattern, source: n.Expr, steps: list[n.Node], is_nested: bool) -> n.Expr:
        """One loop of a comprehension; its conditions may use what is bound before them."""
        start, end = value.start, self.before.end
        condition: n.Expr | None = None
        for step in reversed(steps):
            if isinstance(step, n.Let):
                value = n.Block([step, n.Evaluate(value, start=start, end=end)], start=start, end=end)
                if condition is not None:
                    test = n.Evaluate(condition, start=condition.start, end=condition.end)
                    condition = n.Block([deepcopy(step), test], start=start, end=end)
            elif isinstance(step, n.Expr):
                condition = step if condition is None else n.Binary("&&", step, condition, start=step.start, end=end)
        if isinstance(pattern, (n.VariantPattern, n.LiteralPattern)):
            # Items of another form are left out.
            item = n.Name("_arg0", start=start, end=start)
            some = n.Call(n.Name("Some", start=start, end=start), [n.Argument(value)], start=start, end=end)
            arms = [
                n.Arm(pattern, condition, some, start=start, end=end),
                n.Arm(n.Wildcard(start=start, end=start), None, n.Literal("none", "None", start=start, end=start)),
            ]
            closure = n.Lambda([n.Binding("_arg0")], n.Match(item, arms, start=start, end=end), start=start, end=end)
            fitting = n.Member(source, "filter_map", start=start, end=end)
            looped: n.Expr = n.Call(fitting, [n.Argument(closure)], start=start, end=end)
        else:
            looped = n.Comprehension(value, pattern, source, condition, start=start, end=end)
        return n.Call(n.Member(looped, "flatten"), [], start=start, end=end) if is_nested else looped

    def is_do(self) -> bool:
        """`do` of Haskell: steps by layout or in braces, one of which names what it gives."""
        if not self.is_word("do") or self.uses_end:
            return False
        follows = self.ahead()
        if not (follows.is_first or follows.text == "{"):
            return False
        place = self.at + (2 if follows.text == "{" else 1)
        for token in self.tokens[place : place + 12]:
            if token.text == "<-" and token.kind == OPERATOR:
                return True
            if token.is_first and token is not self.tokens[place] and self.tokens[place].text != "let":
                return False
        return False

    def do_steps(self) -> n.Expr:
        """`do` and its steps; `return e` or `pure e` at the end gives a plain value."""
        start = self.expect("do").start
        in_braces = self.skip("{")
        column = self.token.column
        steps: list[n.Node] = []
        while not self.is_sign("}", ")") and self.token.kind != "end":
            if steps and not in_braces and (not self.token.is_first or self.token.column != column):
                break
            if self.is_word("return", "pure"):
                self.take()
                value = self._postfix() if self.is_sign("$") is False else self.expression()
                if in_braces:
                    self.expect("}")
                return self.chained_steps(steps, value, True, start)
            steps.append(self._step())
            self.skip(";")
        if in_braces:
            self.expect("}")
        last = steps.pop() if steps else None
        if not isinstance(last, n.For):
            raise self.unknown("the value of the steps is expected")
        return self.chained_steps(steps, last.source, False, start)


def _own(sign: str) -> str:
    return "!=" if sign == "/=" else sign


def _bound(function: n.Expr) -> list[str]:
    """The names that a closure binds."""
    nodes = walk(function) if isinstance(function, n.Lambda) else ()
    return [name for node in nodes if isinstance(node, n.Pattern) for name in bound_names(node)]


def _applied(function: n.Expr, value: n.Expr) -> n.Expr:
    if isinstance(function, n.Lambda) and len(function.parameters) == 1 and isinstance(function.parameters[0], n.Binding):
        body = n.Let(function.parameters[0], None, value, start=function.start, end=function.end)
        held = function.body
        rest = held.statements if isinstance(held, n.Block) else [n.Evaluate(held, start=held.start, end=held.end)]
        return n.Block([body, *rest], start=function.start, end=function.end)
    if isinstance(function, n.Call) and not isinstance(function.function, n.Lambda):
        function.arguments.append(n.Argument(value))
        return function
    if isinstance(function, n.OperatorFunction) and function.operator == ".":
        return n.Member(value, function.name, start=function.start, end=function.end)
    return n.Call(function, [n.Argument(value)], start=function.start, end=function.end)

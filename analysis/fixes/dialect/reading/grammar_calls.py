"""Calls, members, indexing and closures behind an operand, in all dialects."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.class_library import constant_of
from analysis.fixes.dialect.libraries.foreign_calls import (
    counted,
    partial,
    rewritten,
    takes_data_last,
    takes_texts,
    with_holes,
)
from analysis.fixes.dialect.libraries.functional_modules import is_replacing
from analysis.fixes.dialect.libraries.number_limits import limit
from analysis.fixes.dialect.libraries.ruby_calls import of_block
from analysis.fixes.dialect.libraries.rust_calls import turbofished
from analysis.fixes.dialect.libraries.script_functions import Spreading, constant
from analysis.fixes.dialect.reading.grammar_application import WORDS_AFTER, Applications
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, STRING
from analysis.fixes.dialect.tree import nodes as n
from analysis.suggestions.operation import Operation

_CAPITAL: Final = {"Select": "map", "Where": "filter", "Aggregate": "fold", "OrderBy": "sorted_by", "Any": "any", "All": "all",
    "Substring": "substr", "GetRange": "slice_of", "GroupBy": "groups_in_pairs",
}  # fmt: skip
_PREDICATES: Final = frozenset(
    "even odd empty nil zero positive negative include any all none key has_key start_with end_with member blank match between "
    "one integer has_value value eql equal subset superset disjoint proper_subset intersect exist is_a kind_of instance_of "
    "respond_to frozen cover nan finite infinite present".split()
)
"""Methods that other languages spell with a question mark."""
_DECLARED: Final = re.compile(
    r"(?:\b(?:let|rec|and|val|var|const|fn|def|fun|func|function|local|class|struct|type|enum)[ \t]+"
    r"|\bauto[ \t]+(?=\w+ = \[[&=\w, ]{0,40}\]\())([A-Za-z_]\w*)"
)
_CONSTANT: Final = re.compile(r"\bconst \w+ = [^\n;]{1,100};$", re.MULTILINE)
"""A declaration of JavaScript."""
_OBJECT: Final = re.compile(r"^[ \t]*object[ \t]{1,9}([A-Z]\w*)[ \t]*\{", re.MULTILINE)
_SUBTRACTING: Final = re.compile(r"-(?!>)")
"""True if a number of the program may be negative, of which languages divide differently."""
_CASCADES: Final = ("sort", "add", "addAll", "removeLast", "removeAt", "insert", "shuffle", "clear")


_SECTIONED: Final = ("<", ">", "<=", ">=", "==", "/=", "!=", "+", "++", "/")
"""Operators that begin a section as the only argument; `||` begins a closure there."""
_GLEAM: Final = re.compile(r"\blist\.[a-z]\w*\(")


class Postfix(Applications):
    """Postfix forms."""

    def _application(self) -> n.Expr:
        """A postfix expression; arguments without parentheses belong to it if it can be a function."""
        expression = self._postfix()
        arguments: list[n.Argument] = []
        while self._is_argument(expression):
            is_labelled = self.is_sign("~")
            operand = self._unary if self.is_sign("-", "!") else self._operand
            arguments.append(self.labelled() if is_labelled else n.Argument(operand()))
        if not arguments:
            return expression
        if isinstance(expression, n.OperatorFunction):
            return self.operator_with(expression, [each.value for each in arguments])
        is_call = isinstance(expression, n.Call)
        call = expression if isinstance(expression, n.Call) else n.Call(expression, [])
        call.arguments += arguments
        call.start, call.end = expression.start, self.before.end
        return call if is_call else self._ordered(call, is_curried=True)

    def _operand(self) -> n.Expr:
        return self._postfix(is_operand=True)

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        """A call as the lexicon reads it: of two texts the one comes first that is looked into."""
        if takes_texts(call) and (is_curried or self.looks_last is not None):
            if is_curried or self.looks_last:
                call.arguments.reverse()
        elif takes_texts(call):
            # Nothing in the program says which of the two comes first.
            call.is_guess = True
        if is_replacing(call) and (is_curried or self.looks_last):
            # What is looked into stands last.
            call.arguments.insert(0, call.arguments.pop())
        is_join = not call.arguments and self.text.endswith(".join()", 0, self.before.end)
        if is_join and (self.habit == "javascript" or _CONSTANT.search(self.text) is not None):
            # A comma stands between the items where nothing is said.
            call.arguments.append(n.Argument(n.Literal("string", '","', start=call.end, end=call.end)))
        name = call.function.name if isinstance(call.function, n.Name) else ""
        if name in ("div", "mod") and name not in self.names_of_functions and len(call.arguments) == 2:
            if is_curried or self.is_like_haskell:
                word = "floor_div" if name == "div" else "mod"
                return n.Call(n.Member(call.arguments[0].value, word), call.arguments[1:], start=call.start, end=call.end)
            call.is_guess = name == "div" and _SUBTRACTING.search(self.text) is not None
        return rewritten(call, name in self.names_of_functions or name in self.own_names, self.habit == "php")

    @abstractmethod
    def operator_with(self, function: n.OperatorFunction, values: list[n.Expr]) -> n.Expr: ...

    @abstractmethod
    def section(self) -> n.Expr | None: ...

    @abstractmethod
    def left_section(self, left: n.Expr) -> n.Expr | None: ...

    @lazily
    def declared_names(self) -> frozenset[str]:
        """The names that a word declares: functions, and variables that may hold one."""
        return frozenset(_DECLARED.findall(self.text))

    @lazily
    def modules(self) -> frozenset[str]:
        """The names before `::` that name no type: modules of the program."""
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        named = (token.text for word, token in pairs if word.text in ("mod", "defmodule"))
        return frozenset((*named, *self.objects, "self", "super", "crate"))

    @lazily
    def objects(self) -> frozenset[str]:
        """The objects of Scala that hold functions; those of cases are variants."""
        return frozenset(_OBJECT.findall(self.text))

    @lazily
    def looks_last(self) -> bool | None:
        """True if functions of modules take what they work on as their last argument; None if no call says it."""
        return takes_data_last(self.text)

    @lazily
    def has_list_module(self) -> bool:
        """True if functions on lists are called as in Gleam, where `int.max` is a function and no number."""
        return _GLEAM.search(self.text) is not None

    @property
    @abstractmethod
    def is_like_haskell(self) -> bool: ...

    @abstractmethod
    def is_place(self) -> bool: ...

    @abstractmethod
    def place(self, expression: n.Expr) -> n.Expr: ...

    def _postfix(self, is_operand: bool = False) -> n.Expr:
        """A primary with what is behind it; of an operand of a function nothing that a blank separates: `f (a) (b)`."""
        start = self.token.start
        expression = self._primary()
        expression.start = expression.start or start
        while True:
            expression.end = expression.end or self.before.end
            if is_operand and self.token.spaced and not self.is_sign(".", "?."):
                return expression
            step = self._postfix_step(expression)
            if step is None:
                return expression
            step.start, step.end = start, self.before.end
            expression = step

    def _postfix_step(self, expression: n.Expr) -> n.Expr | None:
        token = self.token
        if self.is_sign("(") and not token.is_first and not (token.spaced and self._is_juxtaposed(expression)):
            return self._called(expression)
        if self.is_sign("[") and not token.is_first and not (token.spaced and self._takes_list(expression)):
            if (typed := self.with_types(expression)) is not None:
                return typed
            self.take()
            return self._indexed(expression)
        if self.is_place():
            return self.place(expression)
        if self.is_sign("::") and self.ahead().text == "<":
            # `.collect::<Vec<_>>()`: types that nothing here asks for.
            self.take()
            self.take()
            return turbofished(expression, self._types(">"))
        if self.is_sign("..") and self.ahead().text in _CASCADES and self.ahead(2).text == "(" and not token.spaced:
            # `xs..sort()` of Dart gives `xs`, changed.
            return self._member(expression)
        if self.is_sign("++", "--") and not token.spaced and (self.ahead().text == "]" or self._gives_count(expression)):
            sign = self.take().text[0]
            operation = Operation("Int", sign * 2, (), "Int", "@step_up" if sign == "+" else "@step_down")
            return n.Call(expression, [], operation, [expression])
        if self.is_sign(".") and self._is_accessor(expression):
            return None
        if (
            self.is_sign(".", "?.", "::")
            and not (token.text == "." and self._is_dot())
            and not (token.text == "::" and not self._is_path(expression))
        ):
            if self.ahead().kind == NAME:
                return self._member(expression)
            if self.ahead().kind == INT and token.text == ".":
                self.take()
                return n.Member(expression, self.take().text)
        if self.is_sign("?") and not token.spaced:
            self.take()
            if isinstance(expression, n.Member) and expression.name in _PREDICATES and self.before.start == expression.end:
                expression.end = self.before.end
                return n.Call(expression, []) if not self.is_sign("(") else expression
            return n.Try(expression, True)
        if self.is_word("with") and not token.is_first and not self._plain and self.ahead().text == "{":
            self.take()
            self.take()
            return n.RecordOf("", self._record_fields()[0], expression)
        if self.is_sign("{") and token.spaced and not self._plain and self._is_update_behind(expression):
            self.take()
            return n.RecordOf("", self._record_fields()[0], expression)
        if self.is_word("do") and self._is_do_closure():
            return self._do_closure(expression)
        if self.is_sign("!!") and token.spaced and not token.is_first and self.ahead().text not in (")", ".", ";", ","):
            self.take()
            return n.Index(expression, self._postfix(is_operand=True))
        if self.is_sign("!!") or (self.is_sign("!") and not token.spaced and not token.is_first and self.ahead().text != "="):
            return self._bang(expression)
        if self.is_sign("++", "--") and not token.spaced and not token.is_first:
            return None
        if self.is_sign("{") and not token.is_first and isinstance(expression, (n.Call, n.Member)):
            return self._braced_behind(expression)
        return None

    def _is_update_behind(self, expression: n.Expr) -> bool:
        """`p { x = 5 }`, as Haskell changes a field of a copy."""
        if not isinstance(expression, n.Name) or expression.name[0].isupper() or self._names_function(expression):
            return False
        return self._is_record_brace() and self.ahead().text in self.declared_fields and not self.token.is_first

    @property
    @abstractmethod
    def declared_fields(self) -> frozenset[str]: ...

    @abstractmethod
    def _called(self, expression: n.Expr) -> n.Expr: ...

    def _is_do_closure(self) -> bool:
        """`xs.each do |x| … end`."""
        return (
            not self._plain
            and not self.token.is_first
            and (self.ahead().text == "|" or (self.uses_end and self.ahead().is_first))
        )

    def _do_closure(self, expression: n.Expr) -> n.Expr:
        start = self.take().start
        parameters = self._barred() if self.is_sign("|") else []
        body = self.worded_block()
        self.expect("end")
        return self._given(expression, n.Lambda(parameters, body, start=start, end=self.before.end))

    def _barred(self) -> list[n.Pattern]:
        """`|a, (b, c)|`."""
        parameters: list[n.Pattern] = []
        self.expect("|")
        while not self.skip("|"):
            parameters.append(self._parameter_pattern())
            self.skip(",")
        return parameters

    def _given(self, call: n.Expr, closure: n.Lambda) -> n.Expr:
        """A call with a closure behind its arguments."""
        if (translated := of_block(call, closure)) is not None:
            return translated
        call = partial(counted(call, closure), closure)
        if isinstance(call, n.Call):
            call.arguments.append(n.Argument(closure))
            return call
        return n.Call(call, [n.Argument(closure)])

    @abstractmethod
    def worded_block(self) -> n.Block: ...

    def _is_juxtaposed(self, expression: n.Expr) -> bool:
        """`f (x) (y)`, `f (x) y`: parentheses behind a blank are one argument of several."""
        return isinstance(expression, (n.Name, n.Member)) and self._follows_group()

    def _follows_group(self) -> bool:
        depth, place = 0, self.at
        while place < len(self.tokens) - 1:
            text = self.tokens[place].text if self.tokens[place].kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            place += 1
            if depth == 0:
                break
        after = self.tokens[place]
        if after.is_first or not after.spaced:
            return False
        return after.kind in (INT, FLOAT, STRING) or (
            (after.kind == NAME and after.text not in WORDS_AFTER) or (after.text in ("(", "[") and after.kind != STRING)
        )

    def _is_path(self, expression: n.Expr) -> bool:
        return isinstance(expression, n.Path) or (
            isinstance(expression, n.Name) and self.ahead().kind == NAME and not self.token.spaced
        )

    def _member(self, expression: n.Expr) -> n.Expr:
        sign = self.take().text
        word = self.part_of_tuple(self.take().text)
        if (packed := self.in_package(expression, word)) is not None:
            return packed
        owner = expression.name if isinstance(expression, (n.Name, n.Path)) else ""
        is_gleam = owner in ("int", "float") and _GLEAM.search(self.text) is not None
        if (
            not self.is_sign("(")
            and not is_gleam
            and (number := limit(owner, word, expression.start, self.before.end)) is not None
        ):
            return number
        is_own = isinstance(expression, n.Name) and expression.name in self.modules
        if is_own and (sign == "::" or (self.habit == "elixir" and owner[:1].isupper()) or owner in self.objects):
            return n.Name(word)
        if sign == "::" and isinstance(expression, n.Name):
            path = n.Path(expression.name, word)
            if self.is_sign("{") and not self._plain_brace():
                self.take()
                return n.VariantRecord(expression.name, word, self._record_fields()[0])
            return path
        if sign == "::" and isinstance(expression, n.Path):
            return n.Path(expression.name, word)
        is_of_class = isinstance(expression, n.Name) and owner[0].isupper() and owner not in self.declared_fields - self.own_types
        if word[0].isupper() and not word.isupper() and not is_of_class and word not in self.declared_fields:
            # C# and Go begin methods with a capital letter.
            if word == "Any" and self.is_sign("(") and self.ahead().text == ")":
                word = "isNotEmpty"
            word = _CAPITAL.get(word, word[0].lower() + word[1:])
        if isinstance(expression, n.Name) and not self.is_sign("("):
            constant_value = constant_of(expression.name, word) or constant(expression.name, word)
            if constant_value is not None:
                return constant_value
        return n.Member(expression, word, sign == "?.")

    def _indexed(self, expression: n.Expr) -> n.Expr:
        self._plain, plain = 0, self._plain
        if self.is_sign("^") and self.ahead().kind == INT:
            # `xs[^1]` of C#: counted from the end.
            self.take()
            low: n.Expr | None = n.Unary("-", self._postfix(), start=self.before.start, end=self.before.end)
        else:
            low = self.first_place()
        if self.is_sign("..") and isinstance(low, n.Unary) and self.text[low.operand.start - 1 : low.operand.start] == "^":
            # `s[^3..]`
            self.take()
            result: n.Expr = n.Slice(expression, low, None if self.is_sign("]") else self.expression())
        elif self.is_sign(":", "::"):
            result = self._sliced(expression, low)
        elif isinstance(low, n.Range):
            # A place counted from the end belongs to the part in every language that has such places and two dots.
            result = n.Slice(expression, low.low, low.high, low.inclusive or isinstance(low.high, n.Unary))
        else:
            assert low is not None
            result = n.Index(expression, low)
        self.expect("]")
        self._plain = plain
        return result

    def _with_closure(self, call: n.Expr) -> n.Expr:
        """A call, with a closure in braces behind it as its last argument: `xs.map { it + 1 }`."""
        if self.is_sign("{") and not self.token.is_first and not self._plain and self._is_closure_brace():
            closure = self._braced_closure()
            assert isinstance(closure, n.Lambda)
            return self._given(call, closure)
        return call

    def _arguments(self, closing: str) -> list[n.Argument]:
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        arguments: list[n.Argument] = []
        while not self.skip(closing):
            is_alone = closing == ")" and not arguments and self.ahead().text != ","
            if is_alone and self.is_sign(*_SECTIONED) and (section := self.section()) is not None:
                arguments.append(n.Argument(section))
                break
            if self.is_sign("~") and self.ahead().kind == NAME and self.ahead(2).text == ":":
                self.take()
            name = ""
            if self.token.kind == NAME and self.ahead().text in (":", "=") and self.ahead().kind != STRING:
                name = self.take().text
                self.take()
            if name and self.is_sign(",", closing):
                # `Point(x:, y:)`: values of the same names.
                arguments.append(n.Argument(n.Name(name, start=self.before.start, end=self.before.end), name))
                self.skip(",")
                continue
            is_spread = self.is_sign("...") or (self.is_sign("*") and self.habit in ("python", "ruby"))
            self.skip("...", "*")
            if self.is_word("out") and self.ahead().kind == NAME:
                # `out var n` of C#: a variable that the call gives a value.
                self.take()
                name = "out"
                if self.ahead().kind == NAME:
                    self.type()
            value = self._argument_value()
            if closing == ")" and not arguments and (section := self.left_section(value)) is not None:
                arguments.append(n.Argument(section))
                break
            if isinstance(value, n.Range) and value.high is None and value.low is not None and self.before.text == "...":
                value, is_spread = n.Spread(value.low, start=value.start, end=value.end), False
            arguments.append(Spreading(value, name) if is_spread else n.Argument(value, name))
            if not self.skip(",", ";"):
                self.expect(closing)
                break
        self._plain, self._no_ternary = plain, ternary
        return arguments

    def _argument_value(self) -> n.Expr:
        value = with_holes(self.paired(self.expression()))
        if (
            self.is_sign(":")
            and isinstance(value, n.Literal)
            and value.kind == "int"
            and self.before.kind == INT
            and self.ahead().kind != STRING
        ):
            # `1:n` of Julia.
            self.take()
            value = n.Range(value, self._binary(7), True, start=value.start, end=self.before.end)
        return self._comprehended(value) if self.is_word("for") else value

    def _plain_brace(self) -> bool:
        """True if a brace behind a name is a block's: always where a block must follow, unless fields follow clearly."""
        follows = self.ahead(), self.ahead(2)
        if follows[0].text in ("..", "...") or (follows[0].text == "." and self.ahead(3).text == "="):
            return False
        is_field = follows[0].kind == NAME and follows[1].text in (":", "=", ",") and follows[1].kind != STRING
        if self._plain:
            return not (is_field and follows[1].text == ":")
        return not (is_field or follows[0].text == "}" or (follows[0].kind == NAME and follows[1].text == "}"))

    def _record_fields(self) -> tuple[dict[str, n.Expr], n.Expr | None]:
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        fields: dict[str, n.Expr] = {}
        base: n.Expr | None = None
        while not self.skip("}"):
            if self.skip("..", "..."):
                base = self.expression()
            else:
                self.skip(".")
                word = self.name()
                if self.skip(":", "=", ":="):
                    fields[word] = self.expression()
                else:
                    fields[word] = n.Name(word, start=self.before.start, end=self.before.end)
            if not self.skip(",", ";") and not self.token.is_first:
                self.expect("}")
                break
        self._plain, self._no_ternary = plain, ternary
        return fields, base

"""Primary expressions of all dialects: words, closures, `if`, `match`; those in brackets are in `grammar_literals`."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.habits import holds_pointers
from analysis.fixes.dialect.libraries.class_library import DICTIONARIES, MAKERS
from analysis.fixes.dialect.reading.grammar_application import WORDS_AFTER
from analysis.fixes.dialect.reading.grammar_arms import Arms
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_layout import in_cell
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.rewriting.jumps.loop_values import with_value
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names

_CONSTANTS: Final = {
    "PHP_EOL": ("string", '"\\n"'),
    "true": ("bool", "true"), "false": ("bool", "false"), "True": ("bool", "true"), "False": ("bool", "false"),
    "None": ("none", "None"), "null": ("none", "None"), "nil": ("none", "None"), "Nothing": ("none", "None"),
    "undefined": ("none", "None"), "nothing": ("none", "None"),
}  # fmt: skip
_CLOSURE_WORDS: Final = ("fn", "fun", "func", "function", "lambda")
_LISTS: Final = ("List", "ArrayList", "HashSet", "Set", "Vector", "Queue", "Stack", "LinkedList", "IEnumerable")
_BARE: Final = ("StringBuilder", "ListBuffer", "ArrayBuffer", "HashMap", "StringBuffer")
"""Classes whose constructors Scala calls without parentheses."""
_PREDICATED: Final = ("any", "all", "filter", "map", "partition", "takeWhile", "dropWhile", "span", "find")
"""Functions of Haskell that take one of an item."""
_RECORD: Final = re.compile(r"\b(?:type|struct|record|class)\s{1,3}([A-Z]\w{0,60})\b[^{}\n;]{0,60}\{([^{}]{0,2000})\}")
"""A declaration of a record, with what stands in its braces."""
_WORD: Final = re.compile(r"\w+")
_JUMPS: Final = ("return", "break", "continue")


class Primary(Arms):
    """Grammar of operands."""

    def _primary(self) -> n.Expr:
        token = self.token
        if token.kind in (INT, FLOAT):
            self.take()
            return n.Literal(token.kind, token.text, start=token.start, end=token.end)
        if token.kind == STRING:
            return self._string(self.take())
        if token.kind == NAME:
            return self._word()
        if self.is_sign("#") and self.ahead().text == "(":
            self.take()
        if self.is_sign("%") and (self.ahead().text == "{" or self.ahead(2).text == "{"):
            # Maps and structs of Elixir.
            self.take()
            return self._braces() if self.is_sign("{") else self._word()
        if self.is_sign("("):
            return self._group()
        if self.is_sign("["):
            return self._list()
        if self.is_sign("{"):
            return self._braces()
        if self.is_sign("|", "||"):
            return self._bars()
        if self.is_sign("\\"):
            self.take()
            parameters = self._bare_parameters("->", "=>")
            return n.Lambda(parameters, self._closure_body())
        if self.is_sign(".") and self.ahead().kind == NAME:
            return self._dotted()
        if self.is_sign("$") and self.ahead().kind == INT:
            self.take()
            return n.Name(f"_arg{self.take().text}")
        if self.is_sign("$") and self.ahead().kind == FLOAT:
            # `$0.1`: a part of a tuple.
            self.take()
            number = self.take()
            argument, _, part = self.text[number.start : number.end].partition(".")
            return n.Member(n.Name(f"_arg{argument}", start=number.start, end=number.end), part)
        if self.is_sign("..", "..."):
            self.take()
            return n.Spread(self._binary(7))
        raise self.unknown("an expression is expected")

    def _dotted(self) -> n.Expr:
        """`.label`: an accessor function, or a variant whose enum is left out."""
        self.take()
        name = self.take().text
        if name[0].isupper():
            return n.Path("", name)
        return n.OperatorFunction(".", name)

    # ---- words ----

    def _word(self) -> n.Expr:
        token = self.token
        if token.text in _CONSTANTS and self.ahead().text not in ("::",) and not self._asks_for_items():
            self.take()
            kind, text = _CONSTANTS[token.text]
            return n.Literal(kind, text, start=token.start, end=token.end)
        if token.text == "if" or token.text == "unless":
            return self._if()
        if token.text == "cond" and (self.ahead().text == "do" or (self.ahead().text == "{" and not self._plain)):
            return self._match()
        if token.text in ("match", "when", "switch", "case") and self.ahead().text not in (".", "=", ",", ")"):
            return self._match()
        if self._is_cases():
            return self.cases_closure()
        if token.text in _CLOSURE_WORDS and self.ahead().text not in (".", "=", ","):
            return self._closure()
        if token.text == "let":
            return self._let_in()
        if self.is_computation():
            return self.computation()
        if token.text == "do" and self.ahead().text == "{":
            self.take()
            return self.block()
        if token.text in _JUMPS:
            return self._jump()
        if token.text == "loop" and self.ahead().text == "{" and not self._plain:
            value = with_value(self.endless_loop())
            if value is None:
                raise self.unknown("`break` with a value is expected")
            return value
        if token.text == "this":
            self.take()
            return n.Name("self", start=token.start, end=token.end)
        if (built := self._made_by_word(token)) is not None:
            return built
        if token.text == "for" and self.ahead().text in ("(", "{"):
            return self._for_value()
        if (self.ahead().text == "=>" and not self._no_ternary) or (
            self.ahead().text == "->" and not self._no_ternary and not self._plain
        ):
            self.take()
            self.take()
            return n.Lambda([n.Binding(token.text)], self._closure_body())
        self.take()
        if self.is_sign("<>") and self.ahead().text == "(":
            self.take()
        return self._named(token)

    def _named(self, token: Token) -> n.Expr:
        """A name, with what belongs to it: the braces of a record, the types of a call."""
        if token.text == "EnumMap" and self.is_sign("(") and self.ahead(2).text == "." and self.ahead(3).text == "class":
            # `new EnumMap<>(Color.class)`: its order is that of the variants.
            self.at = self.behind_brackets[self.at]
            return n.MapOf([], start=token.start, end=self.before.end)
        if token.text[0].isupper() and self.is_sign("{") and (update := self.update(token.text)) is not None:
            return update
        if token.text in self.own_types and self._has_positional_fields(token.text):
            self.take()
            return n.Call(n.Name(token.text, start=token.start, end=token.end), self._arguments("}"))
        if token.text[0].isupper() and self.is_sign("{") and not self._plain_brace():
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf(token.text, fields, base)
        if self.is_sign("<") and (token.text[0].isupper() or token.text in MAKERS) and self._skips_generics():
            return self._constructed(token)
        if self.is_sign("<") and not self.token.spaced and token.text in self.names_of_functions:
            # `first<Int>(xs)`: the types of a call, which its values tell.
            self._skips_generics()
        return n.Name(token.text, start=token.start, end=token.end)

    def _has_positional_fields(self, name: str) -> bool:
        """True if the brace behind the name of a record touches it and begins values without names: `Pos{0, 1}`."""
        if not self.is_sign("{") or self.token.spaced or self._plain:
            return False
        first, second = self.ahead(), self.ahead(2)
        if first.text == "}" or first.text.startswith(".") or (second.text in (":", "=") and second.kind != STRING):
            return False
        fields = self._words_of_records.get(name)
        if fields is None:
            return False
        # `Pos{r, c}` with the names of fields means these.
        return first.kind != NAME or first.text not in fields or second.text not in (",", "}")

    @lazily
    def _words_of_records(self) -> dict[str, frozenset[str]]:
        """The words in the declarations of records with named fields, by record."""
        return {match[1]: frozenset(_WORD.findall(match[2])) for match in _RECORD.finditer(self.text)}

    def _asks_for_items(self) -> bool:
        """`null xs`, `null(xs)` of Haskell: whether a list is empty."""
        follows = self.ahead()
        if self.token.text != "null" or follows.is_first:
            return False
        if follows.text == "," and self.before.text == "(":
            # `any(null, rows)`.
            return self.tokens[self.at - 2].text in _PREDICATED
        if follows.kind == NAME:
            return (self.is_like_haskell or follows.text in self.declared_names) and follows.text not in WORDS_AFTER
        if follows.text in ("[", ".", "$") and follows.spaced and self.is_like_haskell:
            return True
        return follows.text == "(" and follows.start == self.token.end

    def _constructed_bare(self, value: n.Expr) -> n.Expr:
        """`new StringBuilder`: a call without parentheses."""
        if not isinstance(value, n.Name) or value.name not in _BARE or self.is_sign("(", "[", "{", "<"):
            return value
        return self._ordered(n.Call(value, [], start=value.start, end=self.before.end))

    def _made_by_word(self, token: Token) -> n.Expr | None:
        """An expression that begins with `new`, `unsafe` or the type of a map."""
        if token.text == "new" and self.ahead().kind == NAME and self.ahead(2).text == "[":
            return self.new_array()
        if token.text == "new" and self.ahead().text in ("string", "String") and self.ahead(2).text == "(":
            return self._new_text()
        if token.text in ("unsafe", "new") and self.ahead().kind == NAME:
            self.take()
            return self._constructed_bare(self._word())
        if token.text == "new" and self.ahead().text == "[":
            self.take()
            return self.listed()
        if token.text == "map" and self.ahead().text == "[":
            self.take()
            map_type = self._type_of_map()
            return n.Cast(self._map(), map_type, start=token.start, end=self.before.end)
        return None

    def _new_text(self) -> n.Expr:
        """`new string(signs)`, `new String("abc")`, `new string('-', 3)`."""
        start = self.take().start
        self.take()
        self.expect("(")
        arguments = self._arguments(")")
        if not arguments:
            return n.Literal("string", '""', start=start, end=self.before.end)
        member = n.Member(
            arguments[0].value, "text_of_signs" if len(arguments) == 1 else "repeat", start=start, end=self.before.end
        )
        return n.Call(member, arguments[1:], start=start, end=self.before.end)

    def _skips_generics(self) -> bool:
        """`Map<String, Int>()`, `Vec::<Int>`: type arguments behind a name; takes them."""
        at, depth = self.at, 0
        while self.token.kind == NAME or self.token.text in ("<", ">", ">>", ",", "(", ")", "[", "]", "?"):
            depth += {"<": 1, ">": -1, ">>": -2}.get(self.token.text, 0)
            self.take()
            if depth <= 0:
                break
        if depth == 0 and self.is_sign("(", "::", "{"):
            return True
        self.at = at
        return False

    def _constructed(self, token: Token) -> n.Expr:
        if token.text in _LISTS and self.is_sign("{") and token.text not in self.own_types:
            items = self.braced_list()
            is_set = token.text in ("HashSet", "Set")
            return n.Call(n.Member(items, "toSet"), [], start=token.start, end=self.before.end) if is_set else items
        if token.text in DICTIONARIES and (self.is_sign("{") or (self.is_sign("(") and self.ahead(2).text == "{")):
            if self.skip("("):
                self.expect(")")
            return self.entries_in_braces()
        if self.is_sign("{") and not self._plain_brace():
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf(token.text, fields, base)
        return n.Name(token.text, start=token.start, end=token.end)

    def _jump(self) -> n.Expr:
        kind = self.take().text
        ends = self.token.is_first or self.is_sign("}", ",", ")", ";", "]") or self.is_word("else", "end")
        ends |= self.is_word("unless") or (self.is_word("if") and not self._is_value_if())
        value = None if ends or kind == "continue" else self.expression()
        return n.Jump(kind, value)

    def _let_in(self) -> n.Expr:
        """`let a = 1 in b`, with several bindings under one `let`."""
        start = self.take().start
        column = self.token.column
        bindings: list[n.Statement] = []
        while True:
            self.skip("mut", "rec")
            if self.is_definition():
                bindings.append(n.Local(self.definition(start), start=start, end=self.before.end))
            else:
                pattern = self._comma_pattern()
                kind = self.type() if self.skip(":") else None
                self.expect("=")
                value = self._bound_value(pattern)
                held = in_cell(value) if isinstance(pattern, n.Binding) and pattern.name in self.references else None
                bindings.append(n.Let(pattern, kind, held or value, held is not None, start=start, end=self.before.end))
            if self.skip("and") or (self.token.is_first and self.token.column == column and not self.is_word("in")):
                continue
            break
        self.expect("in")
        # What has `in` assigns otherwise: `=` compares behind it.
        self._equals += 1
        try:
            if self.token.is_first:
                bindings += self.laid_out().statements
            else:
                bindings.append(self.statement())
                while self.is_sign(";") and not (self.ahead().is_first or self.ahead().text in (";", "}", ")", "]", "")):
                    self.take()
                    bindings.append(self.statement())
        finally:
            self._equals -= 1
        return n.Block(bindings, start=start, end=self.before.end)

    def _bound_value(self, pattern: n.Pattern) -> n.Expr:
        """The value behind `let pattern =`, which `in` ends where the names of the pattern follow."""
        self._bound, bound = frozenset(bound_names(pattern)) or frozenset("_"), self._bound
        value = self.body_value()
        self._bound = bound
        return value

    # ---- if and match ----

    def _if(self) -> n.Expr:
        negated = self.take().text == "unless"
        start = self.before.start
        condition = self._map_lookup() if self.ahead().text == "," and self.ahead(3).text == ":=" else self.condition()
        condition = self._with_capture(condition)
        if negated:
            condition = n.Unary("!", condition)
        if self.is_word("do") or (
            self.uses_end and (self.is_word("then") or (self.token.is_first and not self.is_sign("{", ":")))
        ):
            return self._worded_if(condition, start)
        is_bare, is_worded = False, self.skip("then")
        column = self._line_column() if self.is_sign(":") else 0
        if is_worded:
            then = self._branch()
        elif self.is_sign("{", ":"):
            then = self.block()
        elif self.before.text == ")":
            is_bare = True
            then = self.one_statement()
        elif not self.token.is_first and self._has_else():
            then = _block(self.expression())
        else:
            raise self.unknown("`{` is expected")
        otherwise: n.Block | None = None
        if self.token.is_first and self.token.column < column:
            # The `else` of a statement around this one.
            return n.If(condition, then, None, start=start, end=self.before.end)
        if self.is_word("elif", "elseif", "elsif"):
            otherwise = _block(self._if())
        elif self.is_word("else"):
            self.take()
            if is_bare and not self.is_word("if") and not self.is_sign("{"):
                otherwise = self.one_statement()
            else:
                otherwise = _block(self._if()) if self.is_word("if") else self._branch()
        if is_worded and self.is_word("end") and not self.token.is_first:
            self.take()
        return n.If(condition, then, otherwise, start=start, end=self.before.end)

    def _line_column(self) -> int:
        """The column in which the line at hand begins."""
        at = self.at
        while at and not self.tokens[at].is_first:
            at -= 1
        return self.tokens[at].column

    def _map_lookup(self) -> n.Expr:
        """`v, ok := m[k]; ok`: whether a map has a key, and its value."""
        start = self.token.start
        name = self.name()
        self.expect(",")
        flag = self.name()
        self.expect(":=")
        self._plain += 1
        value = self._binary(0)
        self.expect(";")
        condition = self._binary(0)
        self._plain -= 1
        if not isinstance(value, n.Index) or not isinstance(condition, n.Name) or condition.name != flag:
            raise self.unknown("a look-up in a map is expected")
        word = "get_mut" if holds_pointers(self.text) else "get"
        got = n.Call(n.Member(value.object, word), [n.Argument(value.index)], start=value.start, end=value.end)
        pattern = n.VariantPattern("", "Some", [n.Wildcard() if name == "_" else n.Binding(name)])
        return n.LetCondition(pattern, got, start=start, end=self.before.end)

    def _worded_if(self, condition: n.Expr, start: int) -> n.Expr:
        """`if c then … elseif d then … else … end`, also with `do`, or with nothing but the end of the line."""
        then = self.worded_block()
        otherwise: n.Block | None = None
        if self.is_word("elif", "elseif", "elsif"):
            begin = self.take().start
            otherwise = _block(self._worded_if(self.condition(), begin))
        else:
            if self.skip("else"):
                otherwise = self.worded_block()
            self.expect("end")
        return n.If(condition, then, otherwise, start=start, end=self.before.end)

    def _branch(self) -> n.Block:
        """A branch without braces: one expression or one statement."""
        if self.is_sign("{", ":") and not self.begins_update():
            return self.block()
        if self.token.kind == NAME and self.ahead().text in (":=", "<-"):
            # `if c then n := v`, on one line.
            return self.one_statement()
        return _block(self.expression() if self.is_sign("{") else self.body_value())

    # ---- what later layers read ----

    @abstractmethod
    def case_body(self) -> n.Expr: ...

    @abstractmethod
    def one_statement(self) -> n.Block: ...

    @abstractmethod
    def endless_loop(self) -> n.While: ...

    @abstractmethod
    def statement(self) -> n.Statement: ...

    @abstractmethod
    def _closure(self) -> n.Expr: ...

    @abstractmethod
    def _bars(self) -> n.Expr: ...

    @abstractmethod
    def _bare_parameters(self, *closing: str) -> list[n.Pattern]: ...

    @abstractmethod
    def _closure_body(self) -> n.Expr: ...

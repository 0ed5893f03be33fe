"""Forms of Go: `make`, blocks of constants, declarations before a condition, labels, errors beside a value, zeros of types."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import END, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_typed_values import COLLECTIONS, TypedValues
from analysis.fixes.dialect.rewriting.jumps.labels import leave_labelled
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, Type, head, option_of
from analysis.fixes.dialect.tree.types import STRING as TEXT
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_GO: Final = re.compile(
    r"\brange\b|\bmake\(|\bmap\[\w+\]|\[\]\w+[{(]|\bfunc \(|\berrors\.New|\bfmt\.[A-Z]|\bstrings\.[A-Z]|\bstrconv\."
    r"|\berror\)? *\{|\bvar \w+ (?:\[\d{0,9}\])+\w|= append\("
)
"""Marks of Go."""
_STRUCT: Final = re.compile(r"\btype[ \t]{1,9}([A-Z]\w{0,60})[ \t]{1,9}(?:struct[ \t]{0,9})?\{")
_ZEROS: Final = {"Int": ("int", "0"), "Float": ("float", "0.0"), "String": ("string", '""'), "Bool": ("bool", "false")}
_LOOPS: Final = ("for", "while", "loop", "foreach")
_LONGEST: Final = 60
"""Tokens of a declaration before a condition."""
_PARSERS: Final = {"atoi": "to_int", "parseInt": "to_int", "parseFloat": "to_float"}


class GoForms(TypedValues):
    """Reads them where a statement, a word or a type may begin."""

    _labels: tuple[str, ...] = ()

    @lazily
    def is_go(self) -> bool:
        """True if a program is written as in Go: variables without a value, and absent entries of maps, are zeros."""
        return _GO.search(self.text) is not None

    @property
    def empty_cases_end(self) -> bool:
        return self.is_go

    # ---- types ----

    def _named_type(self, word: str) -> Type:
        if word == "struct" and self.is_sign("{") and self.ahead().text == "}":
            # What a set of Go holds: `map[string]struct{}`.
            self.take()
            self.take()
            return BOOL
        if word == "map" and self.is_sign("[") and not self.token.spaced:
            # `map[string]int`.
            self.take()
            key = self.type()
            self.expect("]")
            return Type("Map", key, self.type())
        if word == "error" and self.is_go:
            return option_of(TEXT)
        if word in ("Builder", "StringBuilder", "rune", "byte") and not self.is_sign("<", "{"):
            return TEXT
        return super()._named_type(word)

    def zero(self, kind: Type) -> n.Expr | None:
        """The value that a variable of a type has before it gets one; None where nothing says it."""
        at = self.before.end
        name = head(kind)
        if name in _ZEROS:
            return n.Literal(*_ZEROS[name], start=at, end=at)
        if name == "List":
            return n.ListOf([], start=at, end=at)
        if name == "Map":
            return n.MapOf([], start=at, end=at)
        if name == "Option":
            return n.Literal("none", "None", start=at, end=at)
        return n.RecordOf(name, {}, start=at, end=at) if name and self.is_go else None

    # ---- words ----

    def _word(self) -> n.Expr:
        if self.is_word("struct") and [self.ahead(place).text for place in (1, 2, 3, 4)] == ["{", "}", "{", "}"]:
            start = self.token.start
            self.at += 5
            return n.Literal("bool", "true", start=start, end=self.before.end)
        if self.is_word("struct") and self.at_nested_type():
            return self._value_of_nested()
        if self.is_word("make") and self.ahead().text == "(" and self.ahead(2).text in ("[", "map", *COLLECTIONS):
            return self._made()
        if self.is_go and self.token.text in self.struct_names and not self._plain and self._holds_values():
            return self._values_of()
        if self.token.text in ("append", "len") and self.is_go:
            self.library_words |= {self.token.text}
        return super()._word()

    def _list(self) -> n.Expr:
        """`[]rune(s)`, `[]byte(s)`: the signs of a text."""
        if [self.ahead(place).text for place in (1, 3)] == ["]", "("] and self.ahead(2).text in ("rune", "byte"):
            start = self.take().start
            self.at += 2
            self.expect("(")
            text = self.expression()
            self.expect(")")
            return n.Call(n.Member(text, "chars", start=start, end=self.before.end), [], start=start, end=self.before.end)
        return super()._list()

    @lazily
    def struct_names(self) -> frozenset[str]:
        """The records that the program declares."""
        return frozenset(_STRUCT.findall(self.text))

    def _is_struct(self, name: str) -> bool:
        return (
            name in self.struct_names
            or name in self.given_nested
            or any(each.name == name for each in self.nested_types.values())
        )

    def _value_of_nested(self) -> n.Expr:
        """`struct{ X, Y int }{1, 2}`: a type without a name, and a value of it."""
        start, name = self.token.start, head(self._type_operand())
        values = self._braced_item() if self.is_sign("{") else None
        if isinstance(values, n.RecordOf) and not values.name:
            values.name = name
            return values
        if not isinstance(values, n.ListOf):
            raise self.unknown("the values of a struct are expected")
        record = _of_record(values, name)
        record.start, record.end = start, self.before.end
        return record

    def _holds_values(self) -> bool:
        """True if the braces behind a record's name hold the values of its fields without names."""
        first, second = self.ahead(2), self.ahead(3)
        if self.ahead().text != "{" or self.ahead().is_first or second.text in (":", "=") or first.text in ("}", "..", "..."):
            return False
        end = self.behind_brackets.get(self.at + 1, self.at + 1)
        words = [token.text for token in self.tokens[self.at + 2 : end - 1]]
        return not all(word == "," or word in self.declared_fields for word in words)

    def _values_of(self) -> n.Expr:
        """`Point{1, 2}`."""
        name = self.take()
        values = self.braced_list()
        assert isinstance(values, n.ListOf)
        record = n.Name(name.text, start=name.start, end=name.end)
        return n.Call(record, [n.Argument(each) for each in values.items], start=name.start, end=self.before.end)

    def _made(self) -> n.Expr:
        """`make([]int, n)`, `make(map[string]int)`, `make(List<Int>, n)`."""
        start = self.take().start
        self.expect("(")
        if self.skip("map"):
            self.expect("[")
            key = self.type()
            self.expect("]")
            kind = Type("Map", key, self.type())
        else:
            kind = self.type()
        rest = [self.expression() for _ in range(2) if self.skip(",")]
        self.expect(")")
        is_empty = not rest or (isinstance(rest[0], n.Literal) and rest[0].text == "0")
        if head(kind) == "Map" or is_empty:
            empty = n.MapOf([]) if head(kind) == "Map" else n.ListOf([])
            empty.start, empty.end = start, self.before.end
            return n.Cast(empty, kind, start=start, end=self.before.end)
        item = self.zero(kind.arguments[0])
        if item is None:
            raise self.unknown("a type with a zero is expected")
        return n.Call(n.Name("vec!;"), [n.Argument(item), n.Argument(rest[0])], start=start, end=self.before.end)

    def _if(self) -> n.Expr:
        """`if x := f(); c { … }`: the declaration stands before."""
        place = self._declared_before()
        if place is None or (self.ahead(2).text == "," and self.ahead(4).text == ":=" and self._asks_flag(place)):
            return super()._if()
        word = self.take()
        self._plain += 1
        first = self.statement()
        self._plain -= 1
        self.expect(";")
        # The condition is read as behind its own word.
        self.at -= 1
        self.tokens[self.at] = word._replace(start=self.token.start, end=self.token.end, is_first=False)
        choice = super()._if()
        return n.Block([first, n.Evaluate(choice, start=first.end, end=self.before.end)], start=word.start, end=self.before.end)

    def _declared_before(self) -> int | None:
        """Token index of the semicolon between a declaration and a condition; None for a condition alone."""
        depth, has_sign = 0, False
        for place in range(self.at + 1, min(self.at + _LONGEST, len(self.tokens))):
            token = self.tokens[place]
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[")) - (text in (")", "]"))
            if text == "{" or token.is_first or depth < 0:
                return None
            has_sign |= text == ":=" and depth == 0
            if text == ";":
                return place if has_sign else None
        return None

    def _asks_flag(self, semicolon: int) -> bool:
        """`v, ok := m[k]; ok`: a look-up in a map."""
        return (
            self.tokens[semicolon + 1].text == self.ahead(3).text
            and self.tokens[semicolon + 2].text == "{"
            and self.tokens[semicolon - 1].text == "]"
        )

    # ---- statements ----

    def _statement(self) -> n.Statement:
        if self.token.kind == NAME and self.ahead().text == ":" and self.ahead(2).text in _LOOPS and self.token.is_first:
            return self._labelled()
        if self.is_word("for", "while") and self.ahead().text == "{" and not self.is_yielded(1):
            self.take()
            return n.While(n.Literal("bool", "true"), self.block())
        if self.is_word("var") and self.ahead().kind == NAME and (several := self._variables()) is not None:
            return several
        statement = super()._statement()
        return _copied(statement) or self._with_error(statement)

    def _lengths(self) -> list[n.Literal]:
        """The numbers in brackets before a type: `[3][3]int`."""
        lengths: list[n.Literal] = []
        at = self.at
        while self.tokens[at].text == "[" and self.tokens[at + 1].kind == INT and self.tokens[at + 2].text == "]":
            token = self.tokens[at + 1]
            lengths.append(n.Literal("int", token.text, start=token.start, end=token.end))
            at += 3
        return lengths

    def _zeros(self, kind: Type, lengths: list[n.Literal]) -> n.Expr | None:
        """The zero of an array of as many items as its type says, and of every other type."""
        for _ in lengths:
            kind = kind.arguments[0]
        zeros = self.zero(kind)
        for length in reversed(lengths):
            if zeros is None:
                return None
            zeros = n.Call(n.Name("vec!;"), [n.Argument(zeros), n.Argument(length)], start=length.start, end=length.end)
        return zeros

    def listed(self) -> n.Expr:
        """`[5]int{1, 2}`: the rest of the array are zeros."""
        lengths = self._lengths()
        array = super().listed()
        if isinstance(array, n.Cast) and isinstance(array.value, n.ListOf):
            name = head(array.target.arguments[0]) if array.target.arguments else ""
            items = array.value.items
            array.value.items = [_of_record(each, name) if self._is_struct(name) else each for each in items]
        if not lengths or not isinstance(array, n.Cast) or not isinstance(array.value, n.ListOf):
            return array
        if not array.value.items:
            return self._zeros(array.target, lengths) or array
        missing = int(lengths[0].text) - len(array.value.items)
        if missing > 0:
            rest = self._zeros(array.target, [n.Literal("int", str(missing)), *lengths[1:]])
            if rest is None:
                raise self.unknown("as many values as the array has are expected")
            joined = n.Call(n.Member(array, "concat", start=array.start, end=array.end), [n.Argument(rest)])
            joined.start, joined.end = array.start, array.end
            return joined
        return array

    def _labelled(self) -> n.Statement:
        label = self.take().text
        self.expect(":")
        outer, self._labels = self._labels, (*self._labels, label)
        loop = self.statement()
        self._labels = outer
        return leave_labelled(loop, label)

    def _jump(self) -> n.Expr:
        if self._labels and self.token.text in ("break", "continue"):
            colon = self.ahead().text == ":"
            token = self.ahead(2) if colon else self.ahead()
            if token.kind == NAME and token.text in self._labels and not token.is_first:
                kind = self.take().text
                self.skip(":")
                label = self.take()
                return n.Jump(kind, n.Name(f"to {label.text}", start=label.start, end=label.end))
        return super()._jump()

    def _variables(self) -> n.Statement | None:
        """`var a, b int`, `var a []string`, without a value."""
        at = self.at
        self.take()
        names = [self.name()]
        try:
            while self.skip(","):
                names.append(self.name())
            if self.is_sign("=", ":", ";", ":=") or self.token.is_first or self.is_word("in"):
                raise self.unknown("a type is expected")
            lengths = self._lengths()
            kind = self.type()
        except Untranslatable:
            self.at = at
            return None
        if self.is_sign("="):
            self.take()
            value: n.Expr | None = self.expression()
            if len(names) == 1:
                return n.Let(n.Binding(names[0]), kind, value, True)
            self.at = at
            return None
        zero = self._zeros(kind, lengths) if self.is_go else None
        if len(names) == 1:
            return n.Let(n.Binding(names[0]), kind, zero, True)
        zeros = [self.zero(kind) for _ in names]
        if any(each is None for each in zeros):
            self.at = at
            return None
        return n.Let(n.TuplePattern([n.Binding(name) for name in names]), None, n.TupleOf([each for each in zeros if each]), True)

    def _with_error(self, statement: n.Statement) -> n.Statement:
        """`n, err := strconv.Atoi(s)`: the number, or zero beside a reason."""
        is_pair = isinstance(statement, n.Let) and isinstance(statement.pattern, (n.TuplePattern,))
        if not isinstance(statement, n.Let) or not is_pair or not isinstance(statement.value, n.Call):
            return statement
        function = statement.value.function
        if not isinstance(function, n.Member) or not isinstance(function.object, n.Name) or function.object.name != "strconv":
            return statement
        if function.name not in _PARSERS or not statement.value.arguments:
            return statement
        text, start = statement.value.arguments[0].value, statement.start
        parsed = [n.Call(n.Member(text, _PARSERS[function.name]), [], start=start, end=self.before.end) for _ in range(2)]
        zero = n.Literal(*_ZEROS["Float" if function.name == "parseFloat" else "Int"], start=start, end=start)
        name = function.name[0].upper() + function.name[1:]
        reason = n.Binary(
            "++",
            n.Binary("++", n.Literal("string", f'"strconv.{name}: parsing \\""'), text),
            n.Literal("string", '"\\": invalid syntax"'),
        )
        failed = n.Call(n.Name("Some"), [n.Argument(reason)], start=start, end=start)
        fails = n.Call(n.Member(parsed[1], "is_none"), [], start=start, end=start)
        none = n.Literal("none", "None", start=start, end=start)
        statement.value = n.TupleOf(
            [n.Binary("??", parsed[0], zero), n.If(fails, _block(failed), _block(none), start=start, end=start)],
            start=start, end=self.before.end,
        )  # fmt: skip
        return statement

    # ---- items ----

    def constants(self) -> list[n.Item]:
        """`const ( A = iota … )`, `var ( … )`, behind the word."""
        self.expect("(")
        items: list[n.Item] = []
        row: n.Expr | None = None
        kind: Type | None = None
        while not self.skip(")"):
            if self.token.kind == END:
                raise self.unknown("`)` is expected")
            start, name = self.token.start, self.name()
            if not self.is_sign("=") and not self.token.is_first and not self.is_sign(")", ";"):
                kind = self.type()
            if self.skip("="):
                row = self.expression()
            if row is None:
                raise self.unknown("a value is expected")
            value = self._counted_row(row, len(items))
            items.append(n.Constant(name, kind, value, start=start, end=self.before.end))
            self.skip(";")
        return items

    def _counted_row(self, row: n.Expr, number: int) -> n.Expr:
        """A row with its number in place of `iota`."""
        here = n.Literal("int", str(number), start=row.start, end=row.end)
        match row:
            case n.Name(name="iota"):
                return here
            case n.Binary(left=n.Name(name="iota")):
                return n.Binary(row.operator, here, row.right, start=row.start, end=row.end)
            case n.Call(function=n.Member(object=n.Name(name="iota"))):
                return self.unknown_row()
            case n.Call(
                function=n.Member(name="shift_left" as word, object=left), arguments=[n.Argument(value=n.Name(name="iota"))]
            ):
                return n.Call(n.Member(left, word), [n.Argument(here)], start=row.start, end=row.end)
        return row

    def unknown_row(self) -> n.Expr:
        raise self.unknown("a row of numbers is expected")


def _copied(statement: n.Statement) -> n.Statement | None:
    """`copy(to, from)`: the items of one list in the first places of another."""
    call = statement.value if isinstance(statement, n.Evaluate) else None
    is_copy = isinstance(call, n.Call) and isinstance(call.function, n.Name) and call.function.name == "copy"
    if not isinstance(call, n.Call) or not is_copy or len(call.arguments) != 2:
        return None
    to, given = call.arguments[0].value, call.arguments[1].value
    if not isinstance(to, n.Name) or not isinstance(given, (n.Name, n.Member, n.Index)):
        return None

    def method(value: n.Expr, name: str, *arguments: n.Expr) -> n.Call:
        member = n.Member(deepcopy(value), name, start=call.start, end=call.end)
        return n.Call(member, [n.Argument(each) for each in arguments], start=call.start, end=call.end)

    first = method(given, "take", method(to, "len"))
    whole = method(first, "concat", method(to, "drop", method(given, "len")))
    return n.Assign(to, "", whole, start=statement.start, end=statement.end)


def _of_record(item: n.Expr, name: str) -> n.Expr:
    """`{1, 2}` in a list of records."""
    if not isinstance(item, n.ListOf):
        return item
    record = n.Name(name, start=item.start, end=item.start)
    return n.Call(record, [n.Argument(each) for each in item.items], start=item.start, end=item.end)


__all__ = ["GoForms"]

"""Types and patterns: what every layer of the dialects' grammar stands on."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.library_types import FUNCTION_TYPES, WIDTHS, function_of, library_type, type_of_word
from analysis.fixes.dialect.reading.arrow_types import is_arrow_of_type
from analysis.fixes.dialect.reading.grammar_kinds import Kinds, with_rest
from analysis.fixes.dialect.reading.scanner import END, FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import UNIT, Type, list_of, option_of, set_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.suggestions.foreign_words import CONTAINERS, PLAIN_TYPES

_TRANSPARENT: Final = frozenset(("Box", "Rc", "Arc", "RefCell", "Cow", "Ref"))
_SETS: Final = frozenset(("Set", "HashSet", "LinkedHashSet", "MutableSet", "ISet", "set"))
_BRACED: Final = frozenset(("Vector", "Dict", "Set", "Array", "Union", "AbstractVector"))
"""Types whose arguments stand in braces in Julia."""
_NATIVE: Final = ("String", "Int", "Float", "Bool")
_APPLIED: Final = {"Maybe": 1, "List": 1, "Set": 1, "Array": 1, "Either": 2, "Dict": 2, "Result": 2, "Map": 2}
"""Types that Haskell and Elm write before what they hold."""
_CALLED: Final = frozenset(("List", "Option", "Result", "Map", "Dict", "Set", "Array", "Hash"))
"""Types whose arguments stand in parentheses in Gleam and Crystal."""


class TypesAndPatterns(Kinds):
    """Types and patterns of all dialects."""

    _in_names = _before_name = False
    closed_ranges: tuple[str, ...] = ("..=", "...")
    """The signs of ranges in patterns that hold their end."""

    # ---- types ----

    def type(self) -> Type:
        self.deeper()
        begins = self.at
        kind = self._type_operand()
        if is_arrow_of_type(self.tokens, begins, self.at, self._results > 0):
            self.take()
            result = self.type()
            parts = kind.arguments if kind.name == "Tuple" else () if kind is UNIT else (kind,)
            kind = Type("Fn", *parts, result)
        elif self.is_sign("|") and self.ahead().text in ("null", "None", "undefined", "nil"):
            self.at += 2
            kind = option_of(kind)
        self.higher()
        return kind

    def _type_operand(self) -> Type:
        while self.skip("&", "mut", "*", "readonly", "const", "dyn", "impl", "ref", "inout"):
            self.check_trait()
        if self.is_sign("?") and (self.ahead().kind == NAME or self.ahead().text in ("*", "[")):
            self.take()
            return option_of(self._type_operand())
        if self.skip("["):
            if self.token.kind == INT and self.ahead().text == "]":
                # `[8]Int`: how many there are is no part of the type here.
                self._length = self.take()
            if self.skip("]"):
                return list_of(self._type_operand())
            item = self.type()
            if self.skip(":"):
                item = Type("Map", item, self.type())
                self.expect("]")
                return self._type_suffix(item)
            if self.skip(";"):
                self.take()
            self.expect("]")
            return self._type_suffix(list_of(item))
        if self.skip("(") or (self.is_sign("#") and self.ahead().text == "(" and self.skip("#") and self.skip("(")):
            return self._type_suffix(self._type_group())
        word = self.name()
        if word in ("fn", "Fn", "fun", "func", "FnMut", "FnOnce") and self.is_sign("("):
            self.take()
            parts = self._types(")")
            is_result = word == "func" and self.token.kind == NAME and not self.token.is_first
            return Type("Fn", *parts, self.type() if self.skip("->", ":") or is_result else UNIT)
        while self.is_sign("::", ".") and self.ahead().kind == NAME:
            self.take()
            word = self.name()
        return self._type_suffix(self._named_type(word))

    def _named_type(self, word: str) -> Type:
        parts: list[Type] = []
        if self.is_sign("<") or (self.is_sign("[") and not self.token.spaced and self.ahead().text not in ("]", ",")):
            closing = ">" if self.take().text == "<" else "]"
            parts = self._types(closing)
        elif self.is_sign("{") and not self.token.spaced and word in _BRACED and word not in self.own_types:
            self.take()
            parts = self._types("}")
            if word == "Union":
                return option_of(parts[0])
        elif self.is_sign("(") and not self.token.spaced and word in _CALLED and word not in self.own_types:
            self.take()
            parts = self._types(")")
        if not parts and word in _APPLIED:
            while len(parts) < _APPLIED[word] and self._begins_type():
                parts.append(type_of_word(self.name()) if self.token.kind == NAME else self._type_operand())
            parts = parts[::-1] if word == "Result" else parts  # As in Elm.
        if word in _TRANSPARENT and parts:
            return parts[0]
        if word in self.own_types:
            return Type(word, *parts)
        if word == "Either":
            parts.reverse()  # What went wrong stands first there.
        if word in ("Option", "Result", "List", "Map") or word in CONTAINERS:
            word = CONTAINERS.get(word, word)
            wanted = 1 if word in ("List", "Option") else 2
            if word == "Result" and len(parts) == 1:
                parts.append(Type("String"))
            return Type(word, *(parts + [Type() for _ in range(wanted)])[:wanted])
        if word in FUNCTION_TYPES and parts:
            return function_of(word, parts)
        if (own_type := library_type(word, parts, self.text)) is not None:
            return own_type
        if word == "Entry" and len(parts) == 2:
            return Type("Tuple", *parts)
        if word in _SETS and len(parts) < 2:
            return set_of(parts[0] if parts else Type())
        return type_of_word(word, *parts)

    def _begins_type(self) -> bool:
        """True if a type follows another one that takes it, as in `Maybe Int`, `List (Maybe Int)`."""
        if not self.token.spaced or self.token.is_first or self.is_sign("(", "["):
            return self.token.spaced and not self.token.is_first and not self._before_name
        ends = (":", "=") if self._before_name else (":",)
        return self.token.kind == NAME and self.token.text[0].isupper() and self.ahead().text not in ends

    def _type_group(self) -> Type:
        parts = self._types(")")
        return parts[0] if len(parts) == 1 else Type("Tuple", *parts) if parts else UNIT

    def _types(self, closing: str) -> list[Type]:
        parts = []
        while not self._closes(closing):
            if self.token.kind == NAME and (
                self.ahead().text == ":"
                or (closing == ")" and self.ahead().kind == NAME)
                or (closing == ">" and self.ahead().text == "=")
            ):
                self.take()
                self.skip(":", "=")
            parts.append(self.type())
            if not self.skip(",", "*"):
                self._close(closing)
                break
        return parts

    def _closes(self, closing: str) -> bool:
        if self.is_sign(closing) or (closing == ">" and self.is_sign(">>")):
            self._close(closing)
            return True
        return False

    def _close(self, closing: str) -> None:
        if closing == ">" and self.is_sign(">>", ">="):
            # `List<List<Int>>`: one sign of two, the other one stays.
            old = self.token
            self.tokens[self.at] = old._replace(text=old.text[1:], start=old.start + 1)
        else:
            self.expect(closing)

    def _type_suffix(self, kind: Type) -> Type:
        while True:
            if self.is_sign("[") and self.ahead().text == "]" and not self.token.is_first:
                self.take()
                self.take()
                kind = list_of(kind)
            elif self.is_word("option", "list", "array", "seq") and not self.token.is_first and not self._before_name:  # of ML
                kind = option_of(kind) if self.take().text == "option" else list_of(kind)
            elif kind.name == "Tuple" and len(kind.arguments) == 2 and not self.token.is_first and self.skip("result"):
                kind = Type("Result", *kind.arguments)
            elif self.is_sign("?") and not self.token.spaced:
                self.take()
                kind = option_of(kind)
            else:
                return kind

    def typed_name(self, *following: str) -> tuple[Type, str] | None:
        """`int total`, `List<Int> xs`: a type before a name that one of some signs follows; None for `Salary int`."""
        token = self.token
        if token.kind != NAME or not (token.text[0].isupper() or token.text in PLAIN_TYPES):
            return None
        at, depth = self.at, self._depth
        self._before_name = True
        try:
            kind = self.type()
            is_type = self.token.text in (*PLAIN_TYPES, *self.own_types) and not self._is_known_type(token.text)
            after = self.ahead()
            ends = after.text in following or ("\n" in following and after.is_first and self._is_known_type(token.text))
            if self.token.kind == NAME and not self.token.is_first and ends and not is_type:
                return kind, self.name()
        except Untranslatable:
            self._depth = depth
        finally:
            self._before_name = False
        self.at = at
        return None

    def _is_known_type(self, word: str) -> bool:
        return any(word in each for each in (PLAIN_TYPES, _NATIVE, CONTAINERS, _APPLIED, _SETS, self.own_types))

    # ---- patterns ----

    def pattern(self) -> n.Pattern:
        """A pattern with alternatives and `first :: rest`."""
        self.deeper()
        start = self.token.start
        options = [self._cons_pattern()]
        while self.is_sign("|") or self.is_word("or"):
            at = self.at
            self.take()
            try:
                option = self._cons_pattern()
            except Untranslatable:
                self.at = at
                break
            ends = self.is_sign("=>", "->", "|", ",", ")", "]", "}", "=", ":") or self.is_word("if", "when", "where", "as", "or")
            if ends and not isinstance(option, n.Binding):
                options.append(option)
                continue
            # `pattern | condition => …`: a guard.
            self.at = at
            break
        self.higher()
        if len(options) == 1:
            return options[0]
        return n.OrPattern(options, start=start, end=self.before.end)

    def _cons_pattern(self) -> n.Pattern:
        start = self.token.start
        first = self._one_pattern()
        is_cons = self.is_sign(":") and self.ahead().kind == NAME and self.ahead(2).text in ("=>", "->", ":")
        if not self.skip("::") and not (is_cons and self.skip(":")):
            return first
        rest = self._cons_pattern()
        if isinstance(rest, n.ListPattern):
            rest.items.insert(0, first)
            return rest
        return n.ListPattern([first], rest, start=start, end=self.before.end)

    def _one_pattern(self) -> n.Pattern:
        start = self.token.start
        self._skip_pattern_type()
        while self.skip("&", "&&", "ref", "mut"):
            pass
        token = self.token
        pattern: n.Pattern
        if token.kind in (INT, FLOAT, STRING) or self.is_sign("-") or self._names_limit():
            pattern = self._literal_pattern()
        elif self.is_sign("#") and self.ahead().text == "(":
            self.take()
            pattern = self._one_pattern()
        elif self.is_sign("(") and self.ahead().kind == NAME and self.ahead(2).text == ":" and self._is_cons():
            pattern = self._colon_pattern()
        elif self._names_value() or (self.is_sign("^") and self.ahead().kind == NAME and self.skip("^")):
            pattern = self._value_pattern()
        elif self.skip("("):
            items = self._patterns(")", has_names=False)
            pattern = items[0] if len(items) == 1 else n.TuplePattern(items)
        elif self.skip("["):
            pattern = self._list_pattern()
        elif self.is_sign("*", "...", "..") and self.ahead().kind == NAME and self._in_names:
            self.take()
            pattern = n.Binding(self.name(), n.Wildcard(end=-1))
        elif self.is_sign("..<", "..=") and self.ahead().kind in (INT, FLOAT):
            is_inclusive = self.take().text == "..="
            pattern = n.RangePattern(None, self._pattern_literal(), is_inclusive)
        elif self.skip("_", "..", "..."):
            pattern = n.Wildcard()
        elif self.skip("{"):
            pattern = n.RecordPattern("", self._named_patterns())
        elif self.skip(".") or token.kind == NAME:
            pattern = self._named_pattern(is_variant=token.text == ".")
        else:
            raise self.unknown("a pattern is expected")
        pattern.start, pattern.end = start, self.before.end
        return pattern

    def _is_cons(self) -> bool:
        """`(x:xs)`: no type stands behind the colon."""
        rest = self.ahead(3)
        return self.ahead(4).text in (")", ":") and rest.kind == NAME and rest.text[0].islower() and rest.text not in PLAIN_TYPES

    def _colon_pattern(self) -> n.Pattern:
        """`(x:y:rest)`."""
        self.expect("(")
        names = [n.Binding(self.name())]
        while self.skip(":"):
            names.append(n.Binding(self.name()))
        self.expect(")")
        *items, rest = names
        return n.ListPattern(list(items), n.Wildcard() if rest.name == "_" else rest)

    def _names_value(self) -> bool:
        """`road.from`: no `let .circle(r)`."""
        word = self.token
        is_variable = word.kind == NAME and word.text[0].islower() and word.text not in ("let", "val", "var")
        if word.text in ("option", "result") and self.ahead(2).text[:1].isupper():
            # `option.Some(n)` of Gleam: a variant.
            return False
        return is_variable and self.ahead().text == "." and self.ahead(2).kind == NAME

    def _value_pattern(self) -> n.Pattern:
        """`^limit` of Elixir, `road.from ->` of Kotlin: what a variable or a field holds."""
        start = self.token.start
        value: n.Expr = n.Name(self.name(), start=start, end=self.before.end)
        while self.skip("."):
            value = n.Member(value, self.name(), start=start, end=self.before.end)
        return n.LiteralPattern(value)

    def _literal_pattern(self) -> n.Pattern:
        low = self._pattern_bound()
        if self.is_sign("..", "..=", "..<", "..."):
            sign = self.take().text
            has_end = self.token.kind in (INT, FLOAT, STRING) or self.is_sign("-") or self._names_limit()
            high = self._pattern_bound() if has_end else None
            of_signs = isinstance(low, n.Literal) and low.kind == "string"
            return n.RangePattern(low, high, sign in self.closed_ranges or (of_signs and sign == ".."))
        if low is None:
            raise self.unknown("a range is expected")
        return n.LiteralPattern(low)

    def _names_limit(self) -> bool:
        """`i32::MAX`: a bound of a pattern."""
        return self.token.text in WIDTHS and self.ahead().text == "::" and self.ahead(2).text in ("MIN", "MAX")

    def _pattern_bound(self) -> n.Expr | None:
        """A literal, or None for the limit of a type, beyond which nothing is."""
        if not self._names_limit():
            return self._pattern_literal()
        for _ in range(3):
            self.take()
        return None

    def _pattern_literal(self) -> n.Expr:
        start = self.token.start
        sign = "-" if self.skip("-") else ""
        token = self.take()
        if token.kind == STRING:
            text = "".join(piece for _, piece, _ in token.pieces)
            return n.Literal("string", f'"{text}"', start=start, end=token.end)
        if token.kind not in (INT, FLOAT):
            raise self.unknown("a number is expected")
        return n.Literal(token.kind, sign + token.text, start=start, end=token.end)

    def _list_pattern(self) -> n.Pattern:
        list_pattern = n.ListPattern([])
        while not self.skip("]"):
            if self.is_sign("..", "..."):
                self.take()
                list_pattern.rest = n.Binding(self.take().text) if self.token.kind == NAME else n.Wildcard()
            elif self.is_sign("*") and self.ahead().kind == NAME:
                self.take()
                list_pattern.rest = n.Binding(self.take().text)
            else:
                pattern = self.item_pattern()
                if isinstance(pattern, n.Binding) and isinstance(pattern.inner, n.Wildcard) and pattern.inner.end < 0:
                    list_pattern.rest = n.Binding(pattern.name)
                elif list_pattern.rest is not None:
                    list_pattern.last.append(pattern)
                else:
                    list_pattern.items.append(pattern)
            if self.skip("|"):
                list_pattern.rest = self.pattern()
            if not self.skip(",", ";"):
                self.expect("]")
                break
        return with_rest(list_pattern)

    def _named_pattern(self, is_variant: bool) -> n.Pattern:
        word = self.name()
        if word in ("true", "false", "True", "False"):
            return n.LiteralPattern(n.Literal("bool", word.lower()))
        if word in ("None", "null", "nil", "Nothing"):
            return n.VariantPattern("", "None")
        if word in ("let", "val", "var"):
            return self._one_pattern()
        owner = ""
        if word in ("option", "result") and self.is_sign(".") and self.ahead().text[:1].isupper():
            self.take()
            return self._named_pattern(is_variant)
        while self.is_sign("::", ".") and self.ahead().kind == NAME and word[0].isupper():
            self.take()
            owner, word = word, self.name()
        if self.is_sign("(") and not self.token.is_first and (word[0].isupper() or is_variant or owner):
            is_applied = self.take().spaced
            if word in self.own_types and self.ahead().text == ":" and self.token.kind == NAME:
                return n.RecordPattern(word, self._named_patterns(")"))
            items, named = self._held_patterns()
            items = self.applied_patterns(items) if is_applied else items
            return n.VariantPattern(owner, {"Just": "Some"}.get(word, word), items, named)
        if self.is_sign("{") and (word[0].isupper()) and self._is_record_pattern():
            self.take()
            fields = self._named_patterns()
            return n.VariantPattern(owner, word, named=fields) if owner else n.RecordPattern(word, fields)
        if word[0].isupper() or owner or is_variant:
            return n.VariantPattern(owner, {"Just": "Some"}.get(word, word), [] if owner else self.applied_patterns([]))
        if self.is_sign("@", "as"):
            self.take()
            if self.is_sign(".."):
                self.take()
                return n.Binding(word, n.Wildcard(end=-1))
            return n.Binding(word, self._one_pattern())
        return n.Binding(word)

    def _is_record_pattern(self) -> bool:
        """True if the brace begins the fields of a pattern: a name, then a colon, a comma or the end."""
        return (self.ahead().kind == NAME and self.ahead(2).text in (":", ",", "}")) or self.ahead().text == ".."

    def _patterns(self, closing: str, has_names: bool = True) -> list[n.Pattern]:
        items: list[n.Pattern] = []
        while not self.skip(closing):
            consed = None if has_names else self._consed_names()
            if consed is None and self.token.kind == NAME and self.ahead().text == ":" and self.ahead(2).kind == NAME:
                self.take()
                self.take()
            items.append(consed or self.pattern())
            if not self.skip(","):
                self.expect(closing)
                break
        return items

    def _consed_names(self) -> n.Pattern | None:
        """`x:rest` in a tuple of Haskell; None where something else stands, such as a name and its type."""
        rest, after = self.ahead(2), self.ahead(3)
        if self.token.kind != NAME or self.ahead().text != ":" or rest.kind != NAME or after.text not in (",", ")"):
            return None
        if not (rest.text[0].islower() or rest.text == "_") or rest.text in PLAIN_TYPES:
            return None
        start = self.token.start
        first, _, last = self._one_pattern(), self.take(), self._one_pattern()
        return n.ListPattern([first], last, start=start, end=self.before.end)

    def _named_patterns(self, closing: str = "}") -> dict[str, n.Pattern]:
        fields: dict[str, n.Pattern] = {}
        while not self.skip(closing):
            if not self.skip("..", "..."):
                word = self.name()
                has_own = self.skip(":", "=") and not self.is_sign(",", closing)
                fields[word] = self.pattern() if has_own else n.Binding(word)
            if not self.skip(",", ";"):
                self.expect(closing)
                break
        return fields


__all__ = ["END", "FLOAT", "INT", "NAME", "OPERATOR", "STRING", "TypesAndPatterns"]

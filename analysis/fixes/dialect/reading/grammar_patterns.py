"""Regular expressions of Python, Ruby, JavaScript and PHP: literals between slashes, and calls that look for them.

A pattern becomes a text that begins with its flags, `(?gi)[a-z]+`, as the argument of a method of
the text that it is looked for in.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_closures import Closures
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n

_SLASHES: Final = re.compile(r"/(.*)/([a-z]*)", re.DOTALL)
_QUOTED: Final = re.compile(r"""(r?b?|b?r)("{3}|'{3}|"|')(.*)\2""", re.DOTALL)
_DELIMITED: Final = re.compile(r"([/#~])(.*)\1([a-z]*)", re.DOTALL)
_REFERENCE: Final = re.compile(r"\$(\d|&)|\$\{(\d)\}|\\{1,2}(\d)|\\g<(\d)>")
_NAMED: Final = re.compile(r"\b([A-Za-z_]\w{0,40})[ \t]*=[ \t]*(?:re\.compile\(|/(?![*/ ]))")
"""Names that hold patterns."""
_PYTHON: Final = {
    "match": "first", "search": "first", "fullmatch": "first", "findall": "all", "sub": "replace", "split": "split",
    "finditer": "each",
}  # fmt: skip
_OF_JAVA: Final = {"split": "split", "replaceAll": "replaceAll", "replaceAllIn": "replaceAll"}
"""Methods of Java and Scala that take a pattern as a text."""
_CLASS: Final = re.compile(r"\[[^\]\[]{1,40}\](?:[+*]|\"$)|\\[dwDW][+*]|\[\^[^\]\[]{1,40}\]")
"""What only stands in a pattern."""
_METHODS: Final = ("match", "matchAll", "replace", "replaceAll", "split", "gsub", "sub", "scan", "test", "exec", "gsub!", "sub!")


class PatternForms(Closures):
    """Calls with patterns as methods that the lexicon knows."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._held: dict[str, tuple[str, str]] = {}
        """Regular expression and flags of each name that holds one."""
        self._names_patterns = frozenset(_NAMED.findall(text))

    # ---- patterns ----

    def _string(self, token: Token) -> n.Expr:
        if token.text[:1] == "/":
            pattern, flags = self._between_slashes(token)
            literal = _written(pattern, flags, token)
            self._note(pattern, flags)
            return literal
        return super()._string(token)

    def _between_slashes(self, token: Token) -> tuple[str, str]:
        parts = _SLASHES.fullmatch(token.text)
        assert parts is not None
        return parts[1].replace("\\/", "/"), parts[2]

    def _note(self, pattern: str, flags: str) -> None:
        """Notes the pattern that the name before `=` holds."""
        sign, name = self.tokens[self.at - 2], self.tokens[self.at - 3]
        if sign.text == "=" and name.kind == NAME and name.text in self._names_patterns:
            self._held[name.text] = pattern, flags

    def _pattern_of(self, node: n.Expr, delimited: bool = False) -> tuple[str, str] | None:
        """The pattern and the flags in an argument; None where they are not written there."""
        if isinstance(node, n.Name):
            return self._held.get(node.name)
        if not isinstance(node, n.Literal) or node.kind != "string":
            return None
        source = self.text[node.start : node.end]
        if source[:1] == "/":
            parts = _SLASHES.fullmatch(source)
            return (parts[1].replace("\\/", "/"), parts[2]) if parts is not None else None
        quoted = _QUOTED.fullmatch(source)
        if quoted is None:
            return None
        text = quoted[3] if "r" in quoted[1] else re.sub(r"\\([\\'\"])", r"\1", quoted[3])
        if not delimited:
            return text, ""
        parts = _DELIMITED.fullmatch(text)
        return (parts[2].replace(f"\\{parts[1]}", parts[1]), parts[3]) if parts is not None else None

    def _is_literal(self, node: n.Expr) -> bool:
        is_between = isinstance(node, n.Literal) and self.text[node.start : node.start + 1] == "/"
        return is_between or (isinstance(node, n.Name) and node.name in self._held)

    # ---- calls ----

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        if sign not in ("=~", "!~"):
            return super()._joined(sign, left, level)
        right = self._binary(level + 1)
        if self._is_literal(left):
            left, right = right, left
        pattern = self._pattern_of(right) if self._is_literal(right) else None
        if pattern is None:
            raise self.unknown("a pattern between slashes is expected")
        test = _looked_for("test", left, pattern, "R", self.before)
        return test if sign == "=~" else n.Unary("!", test, start=left.start, end=self.before.end)

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        call.start = call.start or call.function.start
        return self._with_pattern(call) or super()._ordered(call, is_curried)

    def _with_closure(self, call: n.Expr) -> n.Expr:
        """`s.gsub(/x/) { |m| … }`: the block is what the replacement is made by."""
        given = super()._with_closure(call)
        return self._with_pattern(given) or given if isinstance(given, n.Call) and given is call else given

    def _given(self, call: n.Expr, closure: n.Lambda) -> n.Expr:
        given = super()._given(call, closure)
        return self._with_pattern(given) or given if isinstance(given, n.Call) else given

    def _with_pattern(self, call: n.Call) -> n.Expr | None:
        """A call that looks for a pattern; None for another one."""
        function = call.function
        values = [each.value for each in call.arguments]
        if isinstance(function, n.Name):
            return self._of_php(function.name, values)
        if not isinstance(function, n.Member):
            return None
        owner, name = function.object, function.name
        is_test = self.text[function.end - 1 : function.end] == "?"
        if isinstance(owner, n.Name) and owner.name == "re" and "re" not in self._held:
            return self._of_python(name, values, call)
        if self._is_literal(owner) and len(values) == 1:
            return self._of_holder(owner, "test" if is_test else name, values[0])
        if isinstance(owner, n.Name) and owner.name in self._held and name in _PYTHON:
            return self._of_python(name, [owner, *values], call)
        if name in _METHODS and values and self._is_literal(values[0]):
            return self._of_text(owner, "test" if is_test else name, values)
        first = values[0] if values else None
        is_of_java = name in _OF_JAVA and self.habit != "javascript"
        if is_of_java and isinstance(first, n.Literal) and first.kind == "string" and _CLASS.search(first.text):
            return self._of_text(owner, _OF_JAVA[name], values)
        return None

    def _of_holder(self, pattern: n.Expr, name: str, text: n.Expr) -> n.Expr | None:
        """`/x/.test(s)`, `pattern.match(s)`."""
        written_pattern = self._pattern_of(pattern)
        if written_pattern is None:
            return None
        if name in ("match", "search", "fullmatch", "findall") and self.habit == "python":
            return self._of_python(name, [pattern, text], None)
        language = "R" if self.habit == "ruby" else ""
        words = {"test": "test", "match": "first", "exec": "first"}
        if name == "exec" and "g" in written_pattern[1]:
            raise self.unknown("a pattern that is looked for once")
        return _looked_for(words[name], text, written_pattern, language, self.before) if name in words else None

    def _of_text(self, text: n.Expr, name: str, values: list[n.Expr]) -> n.Expr | None:
        """`s.match(/x/g)`, `s.gsub(/x/, "y")`."""
        pattern = self._pattern_of(values[0])
        is_ruby = name in ("gsub", "sub", "scan") or self.habit == "ruby"
        language = "R" if is_ruby else ""
        if pattern is None:
            return None
        if name in ("replace", "replaceAll", "gsub", "sub") and len(values) == 2:
            is_all = name in ("replaceAll", "gsub") or "g" in pattern[1]
            return self._replaced(text, pattern, values[1], is_all, language)
        if len(values) != 1:
            return None
        if name == "match":
            if "g" in pattern[1] and not is_ruby:
                return n.Call(n.Name("Some"), [n.Argument(_looked_for("texts", text, pattern, language, self.before))])
            return _looked_for("first", text, pattern, language, self.before)
        if name == "scan":
            return _looked_for("scan" if _groups(pattern[0]) else "texts", text, pattern, language, self.before)
        words = {"split": "split", "matchAll": "all", "test": "test"}
        return _looked_for(words[name], text, pattern, language, self.before) if name in words else None

    def _of_python(self, name: str, values: list[n.Expr], call: n.Call | None) -> n.Expr | None:
        """`re.match(p, s)`, `re.sub(p, r, s)`."""
        if name == "compile" and len(values) == 1 and (pattern := self._pattern_of(values[0])) is not None:
            place = self.at
            while place and self.tokens[place].text != "=":
                place -= 1
            if self.tokens[place - 1].kind == NAME:
                self._held[self.tokens[place - 1].text] = pattern
            return _literal(pattern, "P", values[0])
        word = _PYTHON.get(name, "")
        if not word or len(values) != (3 if word == "replace" else 2):
            return None
        pattern = self._pattern_of(values[0])
        if pattern is None:
            raise self.unknown("a pattern that is written where it is used")
        if word == "replace":
            return self._replaced(values[2], pattern, values[1], True, "P")
        if word == "all" and not _groups(pattern[0]):
            word = "texts"
        elif word == "all" and _groups(pattern[0]) == 1:
            word = "groups"
        elif word == "each":
            word = "all"
        elif word == "all":
            raise self.unknown("a pattern of one group at most")
        anchors = {"match": "A", "fullmatch": "F"}.get(name, "")
        return _looked_for(word, values[1], pattern, "P" + anchors, self.before)

    def _of_php(self, name: str, values: list[n.Expr]) -> n.Expr | None:
        counts = {"preg_match": 2, "preg_replace": 3, "preg_split": 2}
        if len(values) != counts.get(name, -1):
            return None
        pattern = self._pattern_of(values[0], delimited=True)
        if pattern is None:
            raise self.unknown("a pattern that is written where it is used")
        if name == "preg_replace":
            return self._replaced(values[2], pattern, values[1], True, "H")
        return _looked_for("test" if name == "preg_match" else "split", values[1], pattern, "H", self.before)

    def _replaced(self, text: n.Expr, pattern: tuple[str, str], new: n.Expr, is_all: bool, language: str) -> n.Expr:
        word = "replace" if is_all else "replace_first"
        if isinstance(new, n.Lambda):
            if not is_all:
                raise self.unknown("a replacement everywhere is expected")
            word = "replace_by"
            if language == "P" or len(new.parameters) > 1:
                word = "replace_with"
                if len(new.parameters) > 1:
                    new.parameters = [n.TuplePattern(new.parameters, start=new.start, end=new.start)]
        elif isinstance(new, n.Literal) and _REFERENCE.search(self.text[new.start : new.end]):
            if not is_all:
                raise self.unknown("a replacement everywhere is expected")
            word, new = "replace_with", self._with_groups(new)
        call = _looked_for(word, text, pattern, language, self.before)
        call.arguments.append(n.Argument(new))
        return call

    def _with_groups(self, new: n.Literal) -> n.Expr:
        """`"$2 $1"` as a closure of the groups."""
        quoted = _QUOTED.fullmatch(self.text[new.start : new.end])
        if quoted is None:
            raise self.unknown("a replacement in quotes")
        parts: list[n.Expr] = []
        at = 0
        for each in _REFERENCE.finditer(quoted[3]):
            parts.append(n.Literal("string", f'"{quoted[3][at : each.start()]}"', start=new.start, end=new.end))
            number = next(part for part in each.groups() if part is not None).replace("&", "0")
            group = n.Name("found_groups", start=new.start, end=new.end)
            parts.append(n.Index(group, n.Literal("int", number, start=new.start), start=new.start, end=new.end))
            at = each.end()
        parts.append(n.Literal("string", f'"{quoted[3][at:]}"', start=new.start, end=new.end))
        if any(isinstance(part, n.Literal) and ("\\" in part.text or '"' in part.text[1:-1]) for part in parts):
            raise self.unknown("a replacement of plain signs and groups")
        kept = [part for part in parts if not (isinstance(part, n.Literal) and part.text == '""')]
        return n.Lambda([n.Binding("found_groups")], n.Interpolated(kept, start=new.start, end=new.end), start=new.start)


def _groups(pattern: str) -> int:
    return len(re.findall(r"(?<!\\)\((?!\?)", pattern))


def _written(pattern: str, flags: str, place: n.Node | Token) -> n.Literal:
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return n.Literal("string", f'"(?{flags}){escaped}"', start=place.start, end=place.end)


def _literal(pattern: tuple[str, str], language: str, place: n.Node | Token) -> n.Literal:
    return _written(pattern[0], f"{pattern[1]}{language}", place)


def _looked_for(word: str, text: n.Expr, written_pattern: tuple[str, str], language: str, before: Token) -> n.Call:
    start = text.start
    pattern = _literal(written_pattern, language, n.Node(start=start, end=before.end))
    member = n.Member(text, f"pattern_{word}", start=start, end=before.end)
    return n.Call(member, [n.Argument(pattern)], start=start, end=before.end)

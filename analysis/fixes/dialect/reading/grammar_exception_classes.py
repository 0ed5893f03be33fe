"""Classes of exceptions that hold nothing but their message: `class Low extends Exception {}`, `class Low(Exception): pass`."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.reading.grammar_names import Names
from analysis.fixes.dialect.rewriting.failures.exception_classes import ExceptionClass
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type

_LONGEST: Final = 80
"""Tokens of a body."""
_HEADS: Final = r"(?:constructor|(?:def|fn|function|fun) (?:__init__|__construct|initialize|constructor)|[A-Z]\w{0,60})"
_GIVEN: Final = r"\( (?:self ,? ?)?(?:string |String |std :: string |const )?(\w{1,60})(?: : (?:string|str|String))? \)"
_CALL: Final = r"(?:super \( \1 \)|super \( \) \. __init__ \( \1 \)|parent (?:::|\.) __construct \( \1 \)|super)"
_NAMED: Final = r"(?: ;)?(?: this \. name = (?:\"s\"|new \. target \. name|this \. constructor \. name))?(?: ;)?"
_BODY: Final = re.compile(
    rf"(?:\"s\" ?)?(?:pass|\.\.\.)?;?(?: ?(?:public )?{_HEADS} {_GIVEN}(?: -> (?:None|Unit))?"
    rf"(?: : base \( \1 \) \{{ \}}| (?:[{{:] )?{_CALL}{_NAMED}(?: \}}| end)?))?"
)
"""Supported bodies: a text, nothing, or a constructor that passes its message on."""
_BASES: Final = ("Exception", "Error", "Throwable")


class ExceptionClasses(Names):
    """`exception_class` reads one."""

    def family_item(self, is_abstract: bool) -> n.Item | None:
        exception = self.exception_class() if self.is_word("class") else None
        return exception if exception is not None else super().family_item(is_abstract)

    def exception_class(self) -> ExceptionClass | None:
        """A class of exceptions; None, and no token taken, for every other one."""
        at, start = self.at, self.token.start
        column = self.token.column
        self.take()
        name = self.take().text if self.token.kind == NAME else ""
        base = self._base_of_exception() if name else ""
        words = self._plain_body(column) if base.endswith(_BASES) else None
        if words is None or _BODY.fullmatch(words) is None:
            self.at = at
            return None
        has_name = "this . name" in words
        self.skip(";")
        return ExceptionClass("", Type(), name, base, has_name, start=start, end=self.before.end)

    def _base_of_exception(self) -> str:
        """The name behind `extends`, `:`, `<`, or in parentheses; "" where there is none."""
        behind = self.behind_brackets.get(self.at, self.at)
        if self.is_sign("(") and behind == self.at + 3 and self.ahead().kind == NAME:
            self.at = behind
            return self.tokens[behind - 2].text
        if self.is_sign("(") and self.tokens[behind].text == ":" and self.tokens[behind + 1].text.endswith(_BASES):
            # `class Low(message: String) : Exception(message)`.
            first = self.ahead().text if self.ahead().text not in ("val", "override", "private") else ""
            given = self.tokens[behind + 3 : behind + 5]
            if self.ahead(2).text != ":" or [each.text for each in given] != [first, ")"] or behind - self.at != 5:
                return ""
            self.at = behind + 5
            return self.tokens[behind + 1].text
        if not self.skip("extends", ":", "<"):
            return ""
        self.skip("public")
        name = ""
        while self.token.kind == NAME and not self.token.is_first:
            name = self.take().text
            if not self.skip(".", "::"):
                break
        return name

    def _plain_body(self, column: int) -> str | None:
        """The words of the body behind the head, which it takes; None where it is too long."""
        first = self.at
        if self.is_sign("{"):
            self.at = self.behind_brackets.get(self.at, self.at + 1)
            inner = self.tokens[first + 1 : self.at - 1]
        elif self.is_sign(":") or (self.uses_end and (self.is_sign(";") or self.is_word("end") or self.token.is_first)):
            while self.is_sign(";", ":"):
                self.take()
            while (
                self.token.kind != "end" and (self.token.column > column or not self.token.is_first) and not self.is_word("end")
            ):
                self.take()
            inner = self.tokens[first : self.at]
            if self.tokens[first].text == ":" or self.tokens[first].text == ";":
                inner = inner[1:]
            if self.uses_end and self.tokens[first].text != ":":
                self.expect("end")
        else:
            return ""
        if len(inner) > _LONGEST:
            return None
        return " ".join('"s"' if token.kind == STRING else token.text for token in inner)

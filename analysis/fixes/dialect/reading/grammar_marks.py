"""Marks of languages in a text, where the same sign means different things: ends of ranges, blocks, assignments."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.habits import habit
from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.reading.grammar_bits import BitOperators

_INCLUSIVE: Final = re.compile(
    r"^[ \t]*fun[ \t]+\w+[ \t]*[(<]|\bfor[ \t]*\([ \t]*\w+[ \t]+in\b|\bwhen\b[^\n]{0,200}\{$"
    r"|^[ \t]*end$|\bdo([ \t]*\|[^|\n]*\|)?$|\)\.(each|to_a|inject|each_with_index|each_slice|step)\b"
    r"|#\{|\(&?:[a-z+*]|\{ ?\|[^|\n]{1,40}\|",
    re.MULTILINE,
)
"""Marks of languages with inclusive ranges."""
_FSHARP: Final = re.compile(
    r"\blet[ \t]{1,9}mutable\b|\w\.\[|\bprintfn\b|\bfailwithf\b|\bSeq\.[a-z]|\bOption\.default(?:Value|With)\b"
    r"|\b(?:List|Array|Map)\.(?:collect|of(?:List|Seq|Array)|try[A-Z]\w{0,20}|chunkBySize|\w{2,8}By|choose|item|zeroCreate)\b"
)
"""Marks of F#, where `a .. b` includes `b`."""
_DOTTED_LOOP: Final = re.compile(r"\bfor \w+ in [^\n{]{1,80}\.\.")
_OPEN_ENDS: Final = re.compile(r"\.\.[<=]|\buntil\b")
_BEGUN: Final = re.compile(r"(?:\bthen|\belse|\bdo|->|=)[ \t]+begin\b")


class LanguageMarks(BitOperators):
    """Language marks found in the text, each computed once."""

    @lazily
    def dots_include_end(self) -> bool:
        """True if `a..b` holds `b`, as in Kotlin, Ruby and Elixir; elsewhere it does not."""
        if any(token.text in ("downTo", "until") for token in self.tokens if token.kind == NAME):
            return True
        if self.uses_end or self.habit == "ruby" or _INCLUSIVE.search(self.text) is not None:
            return True
        return _FSHARP.search(self.text) is not None and _OPEN_ENDS.search(self.text) is None

    @lazily
    def captures(self) -> bool:
        """True if `&1` is a parameter, as in Elixir; elsewhere it is a reference to a number."""
        if self.uses_end or re.search(r"\|>|\bEnum\.|& &1", self.text) is not None:
            return True
        return any("&1" in line.partition("&(")[2] for line in self.text.split("\n"))

    def names_method(self) -> bool:
        """`(&:length`, as Ruby writes a method as a closure; not `&:string.length/1` of Erlang."""
        is_name = self.ahead().text == ":" and self.ahead(2).kind == NAME and self.ahead(3).text != "."
        return is_name and self.before.text in ("(", ",")

    @lazily
    def uses_end(self) -> bool:
        """True if blocks end with `end`, as in Ruby, Lua and Elixir."""
        return not self.begins_blocks and any(
            token.text == "end" and token.kind == NAME and token.is_first for token in self.tokens
        )

    @lazily
    def begins_blocks(self) -> bool:
        """True if `begin` stands before each `end`, as in OCaml and Pascal."""
        return _BEGUN.search(self.text) is not None

    @lazily
    def sets_by_arrow(self) -> bool:
        """True if `x <- value` gives a variable another value, as in F#."""
        return any(token.text == "mutable" and token.kind == NAME for token in self.tokens)

    @lazily
    def is_lua(self) -> bool:
        """True if `..` joins texts."""
        if not self.uses_end:
            joins = self._dots_join() or (self.habit == "lua" and _DOTTED_LOOP.search(self.text) is None)
            return joins and any(token.text == "local" and token.kind == NAME for token in self.tokens)
        return any(token.text in ("local", "elseif", "tostring") and token.kind == NAME for token in self.tokens)

    def _dots_join(self) -> bool:
        """True if `..` stands beside a text, where no range begins or ends."""
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return any(STRING in (token.kind, following.kind) and ".." in (token.text, following.text) for token, following in pairs)

    @property
    def joins_sets(self) -> bool:
        return self.habit == "python"

    @lazily
    def habit(self) -> str:
        """The language whose habits prevail in the text."""
        return habit(self.text)

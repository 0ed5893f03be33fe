"""Arguments without parentheses: whether what stands behind a value is one, and whether the value can be a function."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.functional_calls import FREE_FUNCTIONS
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_scala import ScalaForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n

WORDS_AFTER: Final = frozenset(
    (
        "then else elif do of in to until downTo and or is as when with where end for if mod div rem step by let match case not "
        "unless switch orelse catch rescue begin floor_div floor_mod downto land lor lxor lsl lsr asr requires ensures intent"
    ).split()
)
_STATEMENT_WORDS: Final = frozenset(("return", "break", "continue", "throw", "raise", "yield", "await", "async", "try"))

_DECLARING: Final = frozenset(("def", "fn", "fun", "func", "function"))
_LONGEST_HEAD: Final = 60
"""Tokens in which the parameters of a function end."""
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_OF_PATTERNS: Final = frozenset(("(", ")", "[", "]", ":", ",", "_"))


def _in_brackets(tokens: Sequence[Token]) -> Iterator[str]:
    """The names between commas in the brackets that open behind the name of a function."""
    depth = 0
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if not depth and token.text != "(" and before.is_first:
            return
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth < 1 and token.text in _CLOSING:
            return
        if depth == 1 and token.kind == NAME and (before.text in ("(", ",") or after.text in (",", ")")):
            yield token.text


def _before_value(tokens: Sequence[Token]) -> Iterator[str]:
    """The names behind that of the function in an equation of Haskell, `keep pred (x:xs) = …` or above its guards."""
    names: list[str] = []
    for token in tokens:
        if token.text == "=" or (token.text == "|" and token.is_first):
            yield from names
            return
        if token.is_first or not (token.kind == NAME or token.text in _OF_PATTERNS):
            return
        names.append(token.text)


class Applications(ScalaForms):
    """`_dones` counts the loops around whose body `done` ends."""

    _dones = 0

    @property
    @abstractmethod
    def declared_names(self) -> frozenset[str]: ...

    @abstractmethod
    def labelled(self) -> n.Argument: ...

    @lazily
    def own_names(self) -> frozenset[str]:
        """Names that the program declares or gives to parameters: they are none of a library."""
        return self.declared_names | self.given_functions

    @lazily
    def given_functions(self) -> frozenset[str]:
        """Parameters of the program's functions with the name of a library's function, such as `pred`."""
        names: set[str] = set()
        if any(token.text in FREE_FUNCTIONS for token in self.tokens):
            for at, token in enumerate(self.tokens):
                if token.kind == NAME and token.text in _DECLARING:
                    names.update(_in_brackets(self.tokens[at + 1 : at + _LONGEST_HEAD]))
                elif token.kind == NAME and token.is_first and not token.column:
                    names.update(_before_value(self.tokens[at + 1 : at + _LONGEST_HEAD]))
        return frozenset(names & FREE_FUNCTIONS)

    def _gives_count(self, counted: n.Expr) -> bool:
        """True if what is counted is a value, too: `Order(nextId++, items)`, `return nextId++`, `id = nextId++`."""
        if self.text[max(counted.start - 8, 0) : counted.start].rstrip().endswith(("return", "=")):
            return self.ahead().is_first or self.ahead().text in (";", "}", "end")
        if self.ahead().text not in (",", ")") or self.token.is_first:
            return False
        depth = 0
        for place in range(self.at - 1, max(self.at - 60, 0), -1):
            text = self.tokens[place].text if self.tokens[place].kind != STRING else ""
            depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
            if depth < 0:
                before = self.tokens[place - 1]
                return (
                    text == "(" and before.kind == NAME and before.text not in ("for", "while", "if", "switch", "return", "catch")
                )
            if text == ";":
                return False
        return False

    def _is_argument(self, function: n.Expr) -> bool:
        token = self.token
        if self.is_sign("~"):
            # `f x ~label:y`, also behind arguments in parentheses.
            return isinstance(function, (n.Name, n.Member, n.Path, n.Call)) and self.ahead().kind == NAME
        if isinstance(function, n.OperatorFunction) and function.operator != ".":
            # `((+) 1)`
            return token.spaced and not token.is_first and (token.kind in (INT, FLOAT, STRING, NAME) or token.text == "(")
        if token.is_first or not isinstance(function, (n.Name, n.Member, n.Path)):
            return False
        if isinstance(function, n.Member) and not _is_module(function.object):
            return False
        if isinstance(function, n.Name) and not self._may_be_function(function.name):
            return False
        if token.text == "done" and self._dones:
            return False
        if token.kind == NAME:
            is_variable = token.text == "end" and "end" in self.declared_names
            is_free = token.text not in WORDS_AFTER or token.text in self.names_of_functions or is_variable
            return is_free and token.text not in _STATEMENT_WORDS and token.text[0] != "`"
        if token.kind in (INT, FLOAT, STRING):
            return True
        if self.is_sign("!"):
            # `f !x`, of a cell.
            return token.spaced and self.ahead().kind == NAME and self.ahead().text in self.references
        if self.is_sign("."):
            # `List.map .name`.
            return self._is_accessor(function)
        if self.is_sign("-"):
            # `f -1`: nothing is taken from a function.
            touches = token.spaced and self.ahead().start == token.end
            is_variant = isinstance(function, n.Name) and function.name[0].isupper() and not function.name.isupper()
            return touches and (is_variant or self._names_own(function))
        if self.is_sign("[", "("):
            return token.spaced and (token.text == "(" or isinstance(function, n.Member) or self._names_function(function))
        return self.is_sign("{") and not self._plain and token.spaced and self._is_record_brace()

    def _is_accessor(self, function: n.Expr) -> bool:
        """True if `.name` behind a blank is what a function takes, not a part of its value."""
        follows = self.ahead()
        touches = self.token.spaced and not self.token.is_first and follows.kind == NAME and follows.start == self.token.end
        is_module = isinstance(function, n.Member) and _is_module(function.object)
        return touches and (is_module or self._names_own(function)) and not self._is_dot()

    def _names_own(self, function: n.Expr) -> bool:
        """True if a name is that of a function of the program, and of nothing else."""
        return isinstance(function, n.Name) and function.name in self.names_of_functions

    def _may_be_function(self, name: str) -> bool:
        """True if a name is a function's: one of the program, or one that is spelt like a library's or a variant."""
        if name in ("puts", "echo", "print"):
            return True
        is_known = name in self.names_of_functions or name in self.library_words
        return is_known or "_" in name.strip("_") or name[0].isupper()

    def _names_function(self, node: n.Expr) -> bool:
        return isinstance(node, n.Name) and (node.name in self.names_of_functions or node.name in self.library_words)

    def _takes_list(self, node: n.Expr) -> bool:
        """True if a bracket behind a blank is what a function takes: `List.rev [1; 2]`."""
        if isinstance(node, (n.Lambda, n.OperatorFunction)):
            return True
        return self._names_function(node) or (isinstance(node, n.Member) and _is_module(node.object))

    def _is_record_brace(self) -> bool:
        return self.ahead().kind == NAME and self.ahead(2).text == "="


def _is_module(node: n.Expr) -> bool:
    """True if a name before a dot looks like a module's: `List.map`, `string.length`."""
    modules = ("list", "string", "map", "dict", "option", "result", "int", "float", "array", "set")
    if isinstance(node, n.Member) and node.name[0].isupper():
        return _is_module(node.object)
    return isinstance(node, n.Name) and (node.name[0].isupper() or node.name in modules)

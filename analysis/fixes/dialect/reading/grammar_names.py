"""The names that a program gives to functions, and the words of libraries that it uses: what may stand before arguments."""

from __future__ import annotations

import re
from typing import Final

from analysis.database import paced
from analysis.fixes.dialect.libraries.functional_calls import FREE_FUNCTIONS
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_whole_classes import WholeClasses
from analysis.suggestions.lexicon import FREE

FUNCTIONS: Final = ("fn", "def", "defp", "fun", "func", "function", "proc")
_HIGHER: Final = ("map", "filter", "foldr", "foldl", "any", "all")
_ALONE: Final = ("ref", "sprintf", "printf", "printfn", "compare", "incr", "decr", "ignore", "show", "negate", "comparing",
    "flip", "uncurry", "either", "readMaybe", "read", "fmap", "catMaybes", "fromJust", "unwords", "unlines", "fromIntegral",
    "splitAt", "span", "string_of_int", "int_of_string", "id", "print_endline", "toEnum",
    "minimumBy", "maximumBy", "scanl", "unzip", "iterate", "isPrefixOf", "isSuffixOf", "isInfixOf", "tails",
    "intersperse", "cycle", "group", "clamp", "xor", "defaultArg", "int_of_char", "char_of_int", "pown", "scanl1", "scanr",
    "zip3", "zipWith3", "dropWhileEnd", "inits", "transpose", "stripPrefix", "elemIndex", "findIndex", "lefts", "rights",
    "partitionEithers", "ceiling", "toFloat", "succ", "pred", "truncate", "floor", "round", "sequence", "traverse", "notElem",
    "subtract", "splitOn", "chunksOf", "lcm", "divMod", "quotRem", "digitToInt", "sign", "float", "string")  # fmt: skip
"""Words of libraries besides those of the lexicon that stand before what they take without parentheses."""
_LIBRARY_WORDS: Final = frozenset((*FREE, *_ALONE))
_BEFORE_NAMES: Final = frozenset((*FUNCTIONS, "rec"))
_REFERENCE: Final = re.compile(r"\blet[ \t]+([a-z_]\w*)[ \t]*=[ \t]*ref\b")
"""Names that hold a cell of ML: read by `!name`, changed by `name := value`."""
_BOUND: Final = re.compile(r"\b(?:let|mut|var|val|const|for|fn|and)[ \t]+(?:mut[ \t]+)?([a-z_]\w*)|[(,|][ \t]*([a-z_]\w*)[ \t]*:")
"""Names of variables, parameters and functions of the program."""


class Names(WholeClasses):
    """`_note_functions` looks at all tokens before a program is read."""

    def _note_functions(self) -> None:
        for token, following in zip(self.tokens, self.tokens[1:], strict=False):
            if token.text in _BEFORE_NAMES and following.kind == NAME:
                self.names_of_functions.add(following.text)
        for name, sign, value in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            is_function = sign.text == "=" and value.text == "\\"
            if name.kind == NAME and (is_function or (name.text in _HIGHER and sign.spaced and value.text == "\\")):
                self.names_of_functions.add(name.text)

        for place, token in enumerate(self.tokens):
            if token.text in (".", ">>", "<<") and token.kind == OPERATOR and token.spaced and not token.is_first:
                self._note_composed(place)
        self.references = frozenset(_REFERENCE.findall(self.text))
        for place, token in enumerate(paced(self.tokens)):
            self.at = place
            if token.kind == NAME and token.is_first and (self.is_signature() or self.is_equation()):
                self.names_of_functions.add(token.text)
            if token.kind == NAME and token.text in ("let", "where"):
                self.at = place + 1
                self.skip("rec")
                if self.is_definition():
                    self.names_of_functions.add(self.token.text)
        self.at = 0
        bound = {name for names in _BOUND.findall(self.text) for name in names}
        library_names = _LIBRARY_WORDS | (FREE_FUNCTIONS if self.is_like_haskell else frozenset())
        self.library_words = frozenset(
            token.text for token in self.tokens if token.text in library_names and token.text not in bound
        )

    def _note_composed(self, place: int) -> None:
        """Notes `f` of `let f = g . h`: a function made of others, before the dot at a place."""
        is_ml = self.tokens[place].text != "." and "fun " in self.text
        if not (self.is_like_haskell or is_ml) or not self.tokens[place + 1].spaced:
            return
        for at in range(place - 1, max(0, place - 20), -1):
            token = self.tokens[at]
            if token.text == "=" and self.tokens[at - 1].kind == NAME and self.tokens[at - 2].text in ("let", "where", "in"):
                self.names_of_functions.add(self.tokens[at - 1].text)
            if token.is_first or token.text in ("=", "$", ";"):
                return

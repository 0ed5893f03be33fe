"""Tokens of Perl as those of other languages: `eq`, `m{k}`, `"-" x 3`, `@xs`, `my %h = (…)`, `foreach $x (@xs)`, `keys %h`.

Signs before names (`@xs`, `%h`) and calls without parentheses are read only in a text that clearly writes them. The other
forms are rewritten everywhere: no other language has them.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.reading.scanner import FLOAT, INT, NAME, OPERATOR, STRING, Token

_MARKS: Final = re.compile(
    r"\b(?:eq|ne|lt|gt|le|ge|cmp)\b|\w\{[\"'$\w]|[\"')\]] x [\w$(]|\bqw[(/\[]|\b(?:next|last) (?:if|unless)\b|\blast[ ;}]"
    r"|\{ ?\w+ => |\b(?:my|our)\b|\$#|\b(?:scalar|lc|uc|exists|defined)\b|\bforeach?\b[^\n({]{1,30} \("
)
"""Anything of Perl at all."""
_SIGNS: Final = re.compile(
    r"\b(?:my|our) [$@%(]|\bforeach my\b|\bpush @|\bscalar[( ]@|\b(?:keys|values) %|\$#\w|^[ \t]*\$\w|[(,=] ?\$\w",
    re.MULTILINE,
)
"""Programs whose names stand behind signs, or whose calls go without parentheses."""
_COMPARING: Final = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "cmp": "<=>"}
_DECLARED: Final = re.compile(
    r"\b(?:let|var|val|const|my|our|local|fn|def|fun|func|function|for|foreach|auto|int|string|final)[ \t]+"
    r"(?:mut[ \t]+|my[ \t]+)?[$@%]?([A-Za-z_]\w*)|\b([A-Za-z_]\w*+)[ \t]*+:(?!:)|[(,|][ \t]*[$@%]?([A-Za-z_]\w*)[ \t]*(?=[,)|])"
    r"|\b([A-Za-z_]\w*+) (?:=|in) "
)
"""Names that a text declares: variables, functions, parameters."""
_WORDS: Final = frozenset(
    "if elsif elif else unless while until for foreach return in and or not match case when then do let var val const "
    "my our fn def fun func function sub new is as mut type struct enum class impl loop switch yield print puts echo".split()
)
"""Words that are no operand."""
_NAMED: Final = {"scalar": "len", "lc": "lower", "uc": "upper"}
_UNARY: Final = frozenset("keys values scalar lc uc ucfirst lcfirst length sort reverse exists defined abs int sqrt".split())
_LISTING: Final = frozenset("push unshift join split sprintf".split())
_ENDING: Final = frozenset(("if", "unless", "for", "foreach", "or", "and", "while", "until"))
_MOST_PARTS: Final = 12
"""Tokens of the key of an entry in braces."""


def with_perl(tokens: list[Token], text: str) -> list[Token]:
    """Tokens in which the forms of Perl are those of other languages."""
    return _Rewriter(tokens, text).rewritten() if _MARKS.search(text) is not None else tokens


class _Rewriter:
    """`made` holds what is rewritten so far, `at` is the place in `tokens` of what comes next."""

    def __init__(self, tokens: list[Token], text: str) -> None:
        self.tokens, self.text = tokens, text
        self.names = {name for names in _DECLARED.findall(text) for name in names if name}
        self.has_signs = _SIGNS.search(text) is not None
        self.has_blocks = re.search(r"(?:\{|\bdo) ?\|[^|\n]{1,80}\||^[ \t]*end$", text, re.MULTILINE) is not None
        self.closing = _pairs(tokens)
        self.changed: dict[int, Token] = {}
        """Tokens further on that are already known to become others."""
        self.behind: dict[int, list[Token]] = {}
        """What is put in before tokens further on."""
        self.made: list[Token] = []
        self.at = 0

    def rewritten(self) -> list[Token]:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.made += self.behind.pop(self.at, ())
            if self.at in self.changed:
                self.made.append(self.changed[self.at])
                self.at += 1
            elif not self._step(token):
                self.made.append(token)
                self.at += 1
        return self.made

    def _step(self, token: Token) -> bool:
        """Rewrites what begins at a token; False, and nothing is taken, for a token of no form of Perl."""
        if token.kind == NAME:
            return self._compared(token) or self._entry(token) or self._word(token)
        if token.kind == OPERATOR and token.text == "{":
            self._named_keys()
        return token.kind == OPERATOR and self.has_signs and self._sign(token)

    def _ahead(self, steps: int = 1) -> Token:
        return self.tokens[min(self.at + steps, len(self.tokens) - 1)]

    def _put(self, token: Token, text: str, kind: str = OPERATOR) -> bool:
        self.made.append(token._replace(kind=kind, text=text))
        self.at += 1
        return True

    # ---- operators and entries ----

    def _compared(self, token: Token) -> bool:
        """`a eq b`, `"-" x 20`, `(0) x n`."""
        if token.is_first or not token.spaced or token.text in self.names or not self.made:
            return False
        before, follows = self.made[-1], self._ahead()
        if follows.is_first or not follows.spaced or not _begins(follows):
            return False
        if token.text in _COMPARING and _ends(before):
            return self._put(token, _COMPARING[token.text])
        is_repeated = token.text == "x" and (before.kind == STRING or before.text == "]")
        is_number = follows.kind in (INT, NAME) or follows.text == "("
        return self._put(token, "*") if is_repeated and is_number else False

    def _entry(self, token: Token) -> bool:
        """`m{key}`, `m{"key"}`, `m{a}{b}`: an entry; nothing but a name touches the brace, and the brace what it holds."""
        opening = self._ahead()
        if opening.text != "{" or opening.kind != OPERATOR or not self._holds_key(self.at + 1) or token.text in _WORDS:
            return False
        if token.text not in self.names and self.text[token.start - 1 : token.start] not in ("$", "{"):
            return False
        if self.made and self.made[-1].text in (".", "?.", "::"):
            return False
        self.made.append(token)
        self.at += 1
        self._entries(self.at)
        return True

    def _entries(self, place: int) -> None:
        """Takes the braces at a place, and those that touch them, for brackets."""
        while place < len(self.tokens) and self.tokens[place].text == "{" and self._holds_key(place):
            closing = self.closing[place]
            self.changed[place] = self.tokens[place]._replace(text="[")
            self.changed[closing] = self.tokens[closing]._replace(text="]")
            key = self.tokens[place + 1]
            if closing == place + 2 and key.kind == NAME and self._is_bare(key):
                self.changed[place + 1] = _text(key)
            place = closing + 1

    def _is_bare(self, key: Token) -> bool:
        """`$h{name}`: a word in braces is a text, but for a variable where names have no signs."""
        if self.text[key.start - 1] == "$":
            return False
        return self.has_signs or key.text not in (*self.names, "a", "b", "it")

    def _holds_key(self, place: int) -> bool:
        """True if a brace touches what is before it, and holds one value that touches it at both ends."""
        opening, closing = self.tokens[place], self.closing.get(place, 0)
        if opening.spaced or opening.is_first or not place + 1 < closing <= place + _MOST_PARTS:
            return False
        parts = self.tokens[place + 1 : closing]
        if any(part.is_first for part in (*parts, self.tokens[closing])) or self.tokens[closing].spaced or parts[0].spaced:
            return False
        return not any(part.kind == OPERATOR and part.text in (";", ":", "=", "->", "=>", "|", "{", "}", ",") for part in parts)

    def _named_keys(self) -> None:
        """`{ price => 10 }` where a value stands: words that name nothing are texts; arms of a match stand behind a value."""
        if not self.made or self.made[-1].text not in ("=", "(", "[", ",", "=>", "return", "?") or self.at not in self.closing:
            return
        place, end = self.at + 1, self.closing[self.at]
        while place < end and self.tokens[place].kind in (NAME, STRING, INT) and self.tokens[place + 1].text == "=>":
            if self.tokens[place].kind == NAME and self.tokens[place].text not in self.names:
                self.changed[place] = _text(self.tokens[place])
            place += 2
            while place < end and not (self.tokens[place].kind == OPERATOR and self.tokens[place].text == ","):
                place = self.closing.get(place, place) + 1
            place += 1

    # ---- words ----

    def _word(self, token: Token) -> bool:
        before = self.made[-1] if self.made else None
        if before is not None and before.text in (".", "?.", "::", "fn", "def", "fun", "func", "function"):
            return False
        word, follows = token.text, self._ahead()
        if word == "_" and self.text[token.start - 1 : token.start] == "$":
            return self._put(token, "it", NAME)
        if word in ("my", "our") and not follows.is_first and word not in self.names:
            return self._declaration(token)
        if word in ("for", "foreach"):
            return self._loop(token)
        if word in ("next", "last") and word not in self.names:
            return self._jump(token)
        if word == "qw" and follows.text in ("(", "[") and not follows.spaced:
            return self._words(token)
        if word in self.names:
            return False
        if word in ("exists", "defined") and follows.text == "(":
            return self._put(token, "isset", NAME) if self._is_entry(self.at + 2) else False
        if word == "delete" and follows.text == "(" and self._is_entry(self.at + 2):
            return self._put(token, "unset", NAME)
        if word in ("exists", "defined") and self._is_entry(self.at + 1):
            return self._wrapped(token, "isset")
        if word in _NAMED and follows.text == "(":
            return self._put(token, _NAMED[word], NAME)
        if not self.has_signs or follows.is_first:
            return False
        if word in _UNARY and (follows.kind == NAME or follows.text in ("@", "%")) and follows.text not in _ENDING:
            return self._wrapped(token, _NAMED.get(word, word))
        is_operand = before is None or not _ends(before) or token.is_first
        if word in _LISTING and follows.text != "(" and _begins(follows) and is_operand:
            return self._listed(token)
        return False

    def _is_entry(self, place: int) -> bool:
        """True if `m{key}` or `m[key]` stands at a place."""
        if self.tokens[place].text in ("%", "$", "@"):
            place += 1
        if self.tokens[min(place, len(self.tokens) - 1)].kind != NAME or place + 1 >= len(self.tokens):
            return False
        opening = self.tokens[place + 1]
        return opening.text in ("[", "{", "->") and not opening.spaced and not opening.is_first

    def _wrapped(self, token: Token, name: str) -> bool:
        """`keys %h`, `exists m{k}`, `reverse sort keys %h`: in parentheses what the word stands before."""
        end = self._operand_end(self.at + 1)
        if end <= self.at + 1:
            return False
        self.made.append(token._replace(text=name))
        self.made.append(_sign_at(token, "("))
        self.at += 1
        self.behind.setdefault(end, []).insert(0, _sign_at(self.tokens[end - 1], ")"))
        return True

    def _operand_end(self, place: int) -> int:
        """The place behind a value with its brackets."""
        while place < len(self.tokens) and (self.tokens[place].text in _UNARY or self.tokens[place].text in ("@", "%")):
            place += 1
        if place >= len(self.tokens) or self.tokens[place].kind not in (NAME, STRING):
            return 0
        place += 1
        while place < len(self.tokens) and self.tokens[place].text in ("[", "{", "(", "->", "."):
            token = self.tokens[place]
            if token.spaced or token.is_first:
                break
            place = self.closing.get(place, place) + 1 if token.text in ("[", "{", "(") else place + 1
            if token.text == "." and place < len(self.tokens):
                place += 1
        return place

    def _listed(self, token: Token) -> bool:
        """`push @xs, x;`: in parentheses all up to the end of the statement."""
        end, depth = self.at + 1, 0
        while end < len(self.tokens):
            part = self.tokens[end]
            text = part.text if part.kind == OPERATOR else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth < 0 or (depth == 0 and (part.is_first or text == ";" or (part.kind == NAME and part.text in _ENDING))):
                break
            if part.kind == "end":
                return False
            end += 1
        self.made += [token, _sign_at(token, "(")]
        self.at += 1
        self.behind.setdefault(end, []).append(_sign_at(self.tokens[end - 1], ")"))
        return True

    def _jump(self, token: Token) -> bool:
        """`next if c`, `last unless c`, `{ last }`; where blocks have parameters `next` belongs to them."""
        follows = self._ahead()
        begins = token.is_first or (bool(self.made) and self.made[-1].text in ("{", ";", "then", "do"))
        is_sure = follows.text in ("if", "unless") and not follows.is_first
        is_alone = follows.text in (";", "}") and follows.kind == OPERATOR
        if not begins or not (is_sure or is_alone) or (token.text == "next" and self.has_blocks):
            return False
        return self._put(token, "continue" if token.text == "next" else "break", NAME)

    def _words(self, token: Token) -> bool:
        """`qw(a b)`: a list of words."""
        closing = self.closing.get(self.at + 1, 0)
        parts = self.tokens[self.at + 2 : closing]
        if not closing or any(part.kind not in (NAME, INT) for part in parts):
            return False
        self.made.append(_sign_at(token, "[")._replace(spaced=token.spaced, is_first=token.is_first))
        for part in parts:
            self.made += [_text(part), _sign_at(part, ",")]
        self.made.append(self.tokens[closing]._replace(text="]"))
        self.at = closing + 1
        return True

    # ---- declarations and loops ----

    def _declaration(self, token: Token) -> bool:
        """`my $x = 1`, `my @xs = (1, 2)`, `my %h = (a => 1)`, `my ($a, $b) = (1, 2)`."""
        self.made.append(token._replace(text="var"))
        sign = self._ahead()
        name = self.at + 1 + (sign.text in ("@", "%"))
        self.at = name
        if sign.text not in ("@", "%") or name + 2 >= len(self.tokens):
            return True
        opening, empty = name + 2, "Map.new()" if sign.text == "%" else "[]"
        closing = self.closing.get(opening, 0)
        if self.tokens[name + 1].text == ";":
            self.behind.setdefault(name + 1, []).extend(_pieces(self.tokens[name], f"={empty}"))
            return True
        if self.tokens[name + 1].text != "=" or self.tokens[opening].text != "(" or not closing:
            return True
        if closing == opening + 1:
            self.made += [self.tokens[name], *_pieces(self.tokens[name], f"={empty}")]
            self.at = closing + 1
            return True
        self.changed[opening] = self.tokens[opening]._replace(text="[")
        self.changed[closing] = self.tokens[closing]._replace(text="]")
        for place in range(opening + 1, closing):
            if self.tokens[place].kind == NAME and self.tokens[place + 1].text == "=>" and sign.text == "%":
                self.changed[place] = _text(self.tokens[place])
        return True

    def _loop(self, token: Token) -> bool:
        """`foreach my $x (@xs) {`, `for x (0..9) {`, whose end is included."""
        place = self.at + 1 + (self._ahead().text in ("my", "our", "let", "var"))
        if place + 1 >= len(self.tokens) or self.tokens[place].kind != NAME or self.tokens[place + 1].text != "(":
            return False
        closing = self.closing.get(place + 1, 0)
        behind = self.tokens[min(closing + 1, len(self.tokens) - 1)]
        if not closing or behind.text != "{" or self.tokens[place].text in _WORDS:
            return False
        if any(part.kind == OPERATOR and part.text == ";" for part in self.tokens[place + 1 : closing]):
            return False
        name = self.tokens[place]
        self.made += [token._replace(text="for"), name._replace(spaced=True)]
        self.made.append(name._replace(text="in", start=name.end, spaced=True))
        depth = 0
        for inner in range(place + 1, closing):
            text = self.tokens[inner].text if self.tokens[inner].kind == OPERATOR else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == "..":
                self.changed[inner] = self.tokens[inner]._replace(text="..=")
            elif text == "," and depth == 1:
                self.changed[place + 1] = self.tokens[place + 1]._replace(text="[")
                self.changed[closing] = self.tokens[closing]._replace(text="]")
        self.at = place + 1
        return True

    # ---- signs before names ----

    def _sign(self, token: Token) -> bool:
        follows = self._ahead()
        touches = follows.start == token.end
        before = self.made[-1] if self.made else None
        if token.text == "$" and follows.text == "#" and touches and self._ahead(2).kind == NAME:
            name = self._ahead(2)
            self.made += [_sign_at(token, "(")._replace(spaced=token.spaced), follows, name, _sign_at(name, "-"), _one(name)]
            self.made.append(_sign_at(name, ")"))
            self.at += 3
            return True
        if token.text == "->" and follows.text in ("[", "{") and touches:
            self.at += 1
            if follows.text == "{":
                self._entries(self.at)
            return True
        if token.text == "\\" and follows.text in ("@", "%") and touches:
            self.at += 1
            return True
        is_joined = before is not None and _ends(before) and not token.is_first and before.text != "}"
        if token.text not in ("@", "%") or not touches or (is_joined and not (token.text == "@" and token.spaced)):
            return False
        if follows.kind == NAME:
            # The name takes the place of the sign.
            self.tokens[self.at + 1] = follows._replace(is_first=token.is_first, spaced=token.spaced)
            self.at += 1
            return True
        if follows.text == "{" and follows.kind == OPERATOR and (self.at + 1) in self.closing:
            closing = self.closing[self.at + 1]
            self.changed[self.at + 1] = follows._replace(text="(", spaced=token.spaced)
            self.changed[closing] = self.tokens[closing]._replace(text=")")
            self.at += 1
            return True
        return False


def _pairs(tokens: list[Token]) -> dict[int, int]:
    """The place of what closes each bracket."""
    closing: dict[int, int] = {}
    stack: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind == OPERATOR and token.text in ("(", "[", "{"):
            stack.append(place)
        elif token.kind == OPERATOR and token.text in (")", "]", "}") and stack:
            closing[stack.pop()] = place
    return closing


def _ends(token: Token) -> bool:
    """True if a value can end with a token."""
    if token.kind == NAME:
        return token.text not in _WORDS
    return token.kind in (INT, FLOAT, STRING) or token.text in (")", "]", "}")


def _begins(token: Token) -> bool:
    """True if a value can begin with a token."""
    if token.kind == NAME:
        return token.text not in _ENDING
    return token.kind in (INT, FLOAT, STRING) or token.text in ("(", "[", "@", "%", "-")


def _sign_at(token: Token, text: str) -> Token:
    """A sign that the text does not hold, behind a token."""
    return Token(OPERATOR, text, token.end, token.end, False, token.column, (), False)


def _pieces(token: Token, text: str) -> list[Token]:
    """Words and signs that the text does not hold, behind a token."""
    words = re.findall(r"\w+|\W", text)
    return [_sign_at(token, word)._replace(kind=NAME if word[0].isalpha() else OPERATOR) for word in words]


def _one(token: Token) -> Token:
    return Token(INT, "1", token.end, token.end, False, token.column, (), True)


def _text(token: Token) -> Token:
    """A word as a text."""
    return token._replace(kind=STRING, text=f'"{token.text}"', pieces=((False, token.text, token.start),))

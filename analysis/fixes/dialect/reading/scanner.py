"""Tokens of every dialect: quotes, numbers, comments and operators of other languages beside our own.

One pass from left to right; every regular expression is linear. Strings come as their pieces: text in the spelling of `.ax`, and
the source of what is interpolated.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from analysis.database import checkpoint
from analysis.fixes.dialect.habit_marks import JULIA, NIM
from analysis.fixes.dialect.reading.brace_formats import formatted, marks_values, opens_code
from analysis.fixes.dialect.reading.divisions import divisor, is_default, is_length, is_named, may_divide
from analysis.fixes.dialect.reading.number_literals import number_at
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

NAME: Final = "name"
INT: Final = "int"
FLOAT: Final = "float"
STRING: Final = "string"
OPERATOR: Final = "operator"
END: Final = "end"


class Token(NamedTuple):
    """`text` is the spelling, of numbers the one in `.ax`. `is_first`: first on its line; `column` counts from 0.

    `pieces` of a string: pairs of whether it is code, its text, its offset.
    """

    kind: str
    text: str
    start: int
    end: int
    is_first: bool
    column: int
    pieces: tuple[tuple[bool, str, int], ...] = ()
    spaced: bool = False


class Comment(NamedTuple):
    text: str
    start: int
    end: int


_OPERATORS: Final = (
    "<=>", "<$>", "=~", "!~", "||=", "&&=",
    ":::", "..=", "..<", "...", "===", "!==", "**=", "//=", "??=", "<<=", ">>=", "++=", "&=", "|=", "^=", "|>", "<|", "=>",
    "->", "<-", "::", ":=", ":+", "+:", "++", "--",
    "//", "~/", "+=", ".=", "-=", "*=", "/=", "%=", "==", "!=", "~=", "<>", "<=", ">=", "&&", "||", "??", "?.", "?:", "!!", "..",
    "**", "<<", ">>", "@@", "&.",
    *"+-*/%=<>!&|^~?.:,;(){}[]@#$\\",
)  # fmt: skip
_OPERATOR: Final = re.compile("|".join(re.escape(sign) for sign in _OPERATORS))
_TIMES_SECTION: Final = re.compile(r"\(\* ?[A-Za-z0-9_.]{1,30}\)")
_SPACE: Final = re.compile(r"[ \t\r\f]+")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*'?(?![A-Za-z0-9_'])|[A-Za-z_][A-Za-z0-9_]*")
_REMARK: Final = re.compile(r"--(?=[ \n]|\Z)")
_LIFETIME: Final = re.compile(r"'[a-z_]\w*+(?!')")
_LABEL: Final = re.compile(r"[ \t]*:[ \t]*(?:loop|for|while)\b")
_SCALA: Final = re.compile(r"%[-0+,]?\d{0,3}(?:\.\d{1,2})?[a-zA-Z]")
_INFIX: Final = re.compile(r"`(mod|div|rem|quot)`")
_INFIX_FUNCTION: Final = re.compile(r"`([A-Za-z_][A-Za-z0-9_.]{0,30})`(?: (?=[A-Za-z0-9_(\"\[-])|(?=\)))")
_OPERANDS: Final = frozenset(
    "return case in of then else if when yield await typeof print echo val var let const fun and or".split()
)
"""Words behind which a text in backticks is a value."""
_ROUNDING_DOWN: Final = {"div": "floor_div", "mod": "floor_mod"}
"""Operators of Haskell that round down, as they are called in the tokens."""
_DIVISOR: Final = re.compile(r"//[ \t]*[0-9]+[ \t]*(?:[)\]}+*%,;-][^\n]*)?(?:\n|\Z)")
_SIGNS: Final = {"÷": "//", "≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "−": "-"}
_SIMPLE: Final = {"n": "\\n", "t": "\\t", "r": "\\r", '"': '\\"', "\\": "\\\\"}
_PREFIXES: Final = ("f", "r", "b", "s", "u", "F", "fmt")
_PATTERN: Final = re.compile(
    r"/ [+*]?/[a-z]*(?=[,)])|/(?![*/ \t])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,200}+\]){1,300}+"
    r"/[gimsuyx]*+(?![\w\"'(])"
)
"""A regular expression between slashes, on one line."""
_BEFORE_PATTERNS: Final = frozenset("return when in if elsif unless while and or not case match puts".split())
_PHP: Final = re.compile(r"^[ \t]*\$[A-Za-z_]\w*[ \t]*[-+*/.\[=]|[(,][ \t]*\$[A-Za-z_]", re.MULTILINE)
"""Variables with a dollar, as in PHP."""
_PLAIN_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNMARKED: Final = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_OFTEN: Final = 200
"""Tokens between two checkpoints."""
_LONGEST_DIVISOR: Final = 100


class Scanner:
    """Splits a text; `tokens` ends with an `END`. A hole on one line of a text (`is_hole`) has no remarks."""

    def __init__(self, text: str, is_hole: bool = False) -> None:
        self.text = text
        self._has_remarks = not is_hole or "\n" in text
        self.at = 0
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self.divisions: dict[int, bool] = {}
        """Offsets of `//` that are read as divisions where a remark could begin, and whether the line shows that none does."""
        self.doubtful_remarks: list[int] = []
        """Offsets of `//` that are read as remarks although what follows begins as a divisor does."""
        self.decimals: list[tuple[int, bool]] = []
        """Offsets of numbers that count in tenths (`19.90m`), and whether they have a fraction."""
        self._plain_words: frozenset[str] | None = None
        """The words without a dollar before them."""
        self._line = 0
        self._is_first = True
        self._spaced = False
        self._last_comment_of_ml = text.rfind("*)")
        while self.at < len(text):
            if len(self.tokens) % _OFTEN == 0:
                checkpoint()
            self._next()
        self._is_first = True
        self._push(END, "", self.at)

    def doubtful_divisions(self) -> list[int]:
        """The offsets of `//` that may begin a remark: none where another one of the text cannot."""
        return [] if any(self.divisions.values()) else list(self.divisions)

    def _takes_private_name(self) -> bool:
        """`this.#total`, `#total = 0;` of JavaScript: a field with a name of its own."""
        word = _PLAIN_WORD.match(self.text, self.at + 1)
        if word is None or not (self.text[self.at - 1 : self.at] == "." or (self._is_first and f"this.#{word[0]}" in self.text)):
            return False
        start, self.at = self.at, word.end()
        self._push(NAME, f"private_{word[0]}", start)
        return True

    def _push(self, kind: str, text: str, start: int, pieces: tuple[tuple[bool, str, int], ...] = ()) -> None:
        self.tokens.append(Token(kind, text, start, self.at, self._is_first, start - self._line, pieces, self._spaced))
        self._is_first = self._spaced = False

    def _next(self) -> None:
        text, at = self.text, self.at
        sign = text[at]
        if sign == "\n":
            self.at += 1
            self._line, self._is_first = self.at, True
        elif space := _SPACE.match(text, at):
            self.at = space.end()
            self._spaced = True
        elif sign == "#" and self._takes_private_name():
            return
        elif self._skip_comment():
            self._spaced = True
        elif sign == "/" and self._begins_pattern() and (pattern := _PATTERN.match(text, at)):
            self.at = pattern.end()
            self._push(STRING, pattern[0], at, ((False, "", at),))
        elif sign.isdigit() and sign.isascii():
            self._number()
        elif (sign.isalpha() or sign == "_") and sign.isascii():
            self._word()
        elif sign == "&" and text[at + 1 : at + 2] == '"' and not self._is_first and self._begins_operand():
            # `&"{x}"` of Nim.
            self.at = at + 1
            self._string("F", at)
        elif sign in "$@" and text[at + 1 : at + 2] == '"':
            # `$"{x}"` of C#.
            self.at = at + 1
            self._string("F" if sign == "$" else "r", at)
        elif sign == "$" and self._is_shown(at):
            self.at = at + 1
            self._push(OPERATOR, "$", at)
        elif sign == "$" and (text[at + 1 : at + 2].isalpha() or text[at + 1 : at + 2] == "_"):
            self.at = at + 1
        elif sign in _SIGNS:
            self.at = at + 1
            self._push(OPERATOR, _SIGNS[sign], at)
        elif sign == "`" and (operator := _INFIX.match(text, at)) and self.tokens and not self._is_first:
            self.at = operator.end()
            self._push(NAME, _ROUNDING_DOWN.get(operator[1], operator[1]), at)
        elif sign == "`" and (function := _INFIX_FUNCTION.match(text, at)) and self._stands_behind_value():
            self.at = at + len(function[1]) + 2
            self._push(NAME, function[0].rstrip(), at)
        elif sign in "\"'`":
            if sign == "'" and (lifetime := _LIFETIME.match(text, at)) and self._is_lifetime(lifetime):
                self.at = lifetime.end()
                if self._is_label(lifetime):
                    self._push(NAME, lifetime[0][1:], at)
                return
            self._string("", at)
        elif sign == "/" and text.startswith("//", at) and is_default(text, at):
            self.at = at + 2
            self._push(OPERATOR, "??", at)
        elif match := _OPERATOR.match(text, at):
            is_lone = match[0] in (":+", "+:") and not (self._spaced and text[match.end() : match.end() + 1].isspace())
            self.at = at + 1 if is_lone else match.end()
            self._push(OPERATOR, "?." if match[0] == "&." else text[at : self.at], at)
        else:
            raise Untranslatable(f"the character {sign!r}", at)

    def _stands_behind_value(self) -> bool:
        """True if a function in backticks stands between two values here, as in Haskell."""
        last = self.tokens[-1] if self.tokens else None
        if last is None or self._is_first or not self._spaced:
            return False
        if last.kind == NAME:
            return last.text not in _OPERANDS
        return last.kind in (INT, FLOAT, STRING) or last.text in (")", "]")

    def _begins_pattern(self) -> bool:
        """True if a slash at this place begins a regular expression: no value stands before it."""
        last = self.tokens[-1] if self.tokens else None
        if last is None or last.kind not in (NAME, OPERATOR):
            return last is None
        return last.text in _BEFORE_PATTERNS if last.kind == NAME else last.text not in (")", "]", "}")

    def _is_shown(self, at: int) -> bool:
        """`$x` of Nim, which is a value as text."""
        follows = self.text[at + 1 : at + 2]
        return (follows.isalpha() or follows in ("_", "(")) and self._begins_operand() and NIM.search(self.text) is not None

    def _begins_operand(self) -> bool:
        """True if what begins here stands behind no value."""
        last = self.tokens[-1] if self.tokens else None
        if last is None or self._is_first:
            return True
        return last.text in ("return", "in", "and", "or", "not", "else", "of") or (
            last.kind == OPERATOR and last.text not in (")", "]", "}")
        )

    def _is_label(self, lifetime: re.Match[str]) -> bool:
        """`'outer: loop`, `break 'outer`."""
        is_left = bool(self.tokens) and self.tokens[-1].text in ("break", "continue")
        return is_left or _LABEL.match(self.text, lifetime.end()) is not None

    def _is_lifetime(self, lifetime: re.Match[str]) -> bool:
        """True if what begins with a quote is no text: `&'a`, `<'a, 'b>`, `T: 'static>`, or a label."""
        last = self.text[lifetime.start() - 1 : lifetime.start()]
        return last in ("&", "<") or self.text.startswith(">", lifetime.end()) or self._is_label(lifetime)

    def _skip_comment(self) -> bool:
        text, at = self.text, self.at
        if (
            (text.startswith("//", at) and not (self._is_divided(at) or self._is_division(at) or is_default(text, at)))
            or (text[at] == "#" and text[at + 1 : at + 2] not in ("{", "[", "(") and not self._is_length(at))
            or (_REMARK.match(text, at) is not None and (self._is_first or self._spaced > ("Enum." in text)))
        ):
            stop = self._end_of_line(at)
        elif text.startswith("/*", at) or self._is_comment_of_ml(at):
            closing = "*/" if text[at] == "/" else "*)"
            stop = text.find(closing, at + 2)
            if stop < 0:
                raise Untranslatable("a comment that is left open", at)
            stop += 2
        elif text.startswith("#[", at):
            self.at = _balanced(text, at + 1)
            return True
        else:
            return False
        self.comments.append(Comment(text[at:stop], at, stop))
        line = text.rfind("\n", at, stop)
        if line >= 0:
            self._line, self._is_first = line + 1, True
        self.at = stop
        return True

    def _is_comment_of_ml(self, at: int) -> bool:
        """`(* … *)`, but not the section `(* 2)`."""
        text = self.text
        if not text.startswith("(*", at) or text[at + 2 : at + 3] not in (" ", "*", "\n"):
            return False
        return at + 2 <= self._last_comment_of_ml and _TIMES_SECTION.match(text, at) is None

    def _is_division(self, at: int) -> bool:
        """`n // 2`: a number or an operand of the program alone is no comment on the value before it."""
        if self._is_first or not self.tokens:
            return False
        last = self.tokens[-1]
        if not (last.kind in (NAME, INT, FLOAT) or last.text in (")", "]")):
            return False
        rest = self.text[at + 2 : self._end_of_line(at)]
        if not self._has_remarks or _DIVISOR.match(self.text, at) is not None:
            return True
        if len(rest) > _LONGEST_DIVISOR:
            return False
        opened = 0
        for token in reversed(self.tokens):
            if token.kind == OPERATOR:
                opened += (token.text in ("(", "[")) - (token.text in (")", "]"))
            if token.is_first:
                break
        verdict = divisor(rest, max(opened, 0))
        if not is_named(self.text, rest):
            return False
        if verdict is None:
            if may_divide(rest):
                self.doubtful_remarks.append(at)
            return False
        self.divisions[at] = verdict
        return True

    def _is_divided(self, at: int) -> bool:
        """`n //= 2`."""
        is_sign = self.text.startswith("//=", at) and self.text[at + 3 : at + 4] in (" ", "")
        is_place = bool(self.tokens) and (self.tokens[-1].kind == NAME or self.tokens[-1].text == "]")
        return is_sign and not self._is_first and is_place

    def _is_length(self, at: int) -> bool:
        """`#xs` of Lua: no comment there begins so, nor anywhere behind an operator."""
        is_behind = bool(self.tokens) and not self._is_first and self.tokens[-1].kind != STRING
        return is_length(self.text, at, self.tokens[-1].text if is_behind else "")

    def _end_of_line(self, at: int) -> int:
        stop = self.text.find("\n", at)
        return len(self.text) if stop < 0 else stop

    def _number(self) -> None:
        start = self.at
        number = number_at(self.text, start)
        self.at = number.end
        if number.is_decimal:
            self.decimals.append((start, "." in number.digits))
        self._push(INT if number.is_int else FLOAT, number.text, start)

    def _word(self) -> None:
        start = self.at
        match = _WORD.match(self.text, start)
        assert match is not None
        word = match[0]
        quote = start + len(word.rstrip("'"))
        if word.rstrip("'") in _PREFIXES and self.text[quote : quote + 1] in ('"', "'"):
            self.at = quote
            self._string("f" if word == "fmt" else word.rstrip("'"), start)
            return
        self.at = match.end()
        self._push(NAME, word.replace("'", "_next"), start)

    def _string(self, prefix: str, start: int) -> None:
        text = self.text
        quote = text[self.at]
        if text.startswith(quote * 3, self.at):
            quote *= 3
        self.at += len(quote)
        pieces: list[tuple[bool, str, int]] = []
        part: list[str] = []
        while not text.startswith(quote, self.at):
            if self.at >= len(text) or (text[self.at] == "\n" and len(quote) == 1 and quote != "`"):
                raise Untranslatable("a string that is left open", start)
            code = self._code(prefix, quote)
            if code is not None:
                pieces += [(False, "".join(part), start), code]
                part = []
            else:
                part.append(self._character(prefix))
        self.at += len(quote)
        pieces.append((False, "".join(part), start))
        if "\n" in text[start : self.at]:
            self._line = text.rfind("\n", start, self.at) + 1
        self._push(STRING, text[start : self.at], start, tuple(pieces))

    def _code(self, prefix: str, quote: str) -> tuple[bool, str, int] | None:
        """The interpolated code at the scanner's place, which moves behind it."""
        text, at = self.text, self.at
        opening = -1
        if text[at] == "$" and self._is_dollar(prefix):
            return None
        if (
            (text.startswith("\\(", at) and "r" not in prefix and quote != "'")
            or (text.startswith("${", at))
            or text.startswith("#{", at)
            or (text.startswith("$(", at) and quote in ('"', '"""') and JULIA.search(text) is not None)
        ):
            opening = at + 1
        elif text[at] == "{" and prefix.lower() in ("f", "s") and prefix:
            if text.startswith("{{", at):
                return None
            opening = at
        elif text[at] == "{" and quote == '"' and not prefix and opens_code(text, at, _PHP):
            opening = at
        elif (
            text[at] == "$"
            and (match := _PLAIN_WORD.match(text, at + 1))
            and (quote in ('"', '"""', "`") or self._holds(match[0]))
        ):
            self.at = match.end()
            return True, self._with_format(match[0], prefix), at + 1
        if opening < 0:
            return None
        self.at = _balanced(text, opening)
        code = text[opening + 1 : self.at - 1]
        if text[at] == "$":
            return True, self._with_format(code, prefix), opening + 1
        return True, formatted(code) if prefix.lower() == "f" else code, opening + 1

    def _is_dollar(self, prefix: str) -> bool:
        """True where `"${x}"` shows a dollar and a value: in `f"…"` of Python, `$"…"` of C# and `&"…"` of Nim."""
        return prefix == "F" or (prefix == "f" and not marks_values(self.text))

    def _with_format(self, code: str, prefix: str) -> str:
        """`$x%.2f` of `f"…"` of Scala: the value in the format behind it, which is taken."""
        spec = _SCALA.match(self.text, self.at) if prefix == "f" else None
        if spec is None:
            return code
        self.at = spec.end()
        return f'sprintf("{spec[0]}", {code})'

    def _holds(self, word: str) -> bool:
        """True if `'$word'` holds a value, as in Dart: there is such a name, and names are written without the sign."""
        if self._plain_words is None:
            is_php = _PHP.search(self.text) is not None
            self._plain_words = frozenset() if is_php else frozenset(_UNMARKED.findall(self.text))
        return word in self._plain_words

    def _character(self, prefix: str) -> str:
        """One character of a string as `.ax` writes it."""
        text, at = self.text, self.at
        sign = text[at]
        self.at += 1
        if sign == '"':
            return '\\"'
        if sign in "{}" and prefix.lower() == "f" and text[at + 1 : at + 2] == sign:
            self.at += 1
            return sign
        if sign != "\\" or prefix == "r":
            return "\\\\" if sign == "\\" else sign
        following = text[at + 1 : at + 2]
        self.at += 1
        if following == "u":
            escape = re.compile(r"\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{4})").match(text, self.at)
            if escape:
                self.at = escape.end()
                return chr(int(escape[1] or escape[2], 16))
        return _SIMPLE.get(following, following)


def _balanced(text: str, at: int) -> int:
    """The offset behind the bracket that closes the one at `at`; quotes inside are skipped."""
    depth = 0
    start = at
    while at < len(text):
        sign = text[at]
        if sign in "\"'":
            stop = text.find(sign, at + 1)
            if stop < 0 or "\n" in text[at:stop]:
                break
            at = stop
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise Untranslatable("a bracket that is left open", start)

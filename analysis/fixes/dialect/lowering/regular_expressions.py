"""Regular expressions of drafts as steps of a small machine, which `pattern_helpers` runs in `.ax`.

A step holds characters, tests a place, chooses between two ways, goes to another step, or notes where a group begins or ends.
Back references, look-around and named classes have no steps: the expression is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

_DIGITS: Final = "0123456789"
_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
_WORD: Final = f"{_LOWER}{_LOWER.upper()}{_DIGITS}_"
_SPACE: Final = " \t\n\r\f\v"
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_PLACES: Final = {"A": "start", "z": "end", "Z": "last line end", "b": "edge"}
MANY: Final = 1_000_000
_MOST_STEPS: Final = 120
_MOST_TIMES: Final = 20


class Step(NamedTuple):
    """`kind`: `one of` and `none of` some signs, from `least` to `most` of them; `either` the step `least` or the step `most`;
    `jump` to the step `least`; `open` and `close` of the group `least`; or the place that is tested."""

    kind: str
    signs: str = ""
    least: int = 0
    most: int = 0


class Unknown(Exception):
    """A regular expression, or a part of one, that has no steps."""


@dataclass(frozen=True)
class Pattern:
    steps: tuple[Step, ...]
    groups: int
    may_be_empty: bool


def pattern_of(text: str, flags: str = "", language: str = "") -> Pattern:
    """The steps of a regular expression; where `^` and `$` fit depends on the language."""
    if set(flags) - set("gimsu"):
        raise Unknown("flags")
    reader = _Reader(text, flags, language)
    steps, is_empty = reader.choice(0)
    if reader.at < len(text) or len(steps) > _MOST_STEPS:
        raise Unknown("the end")
    return Pattern(tuple(steps), reader.groups, is_empty)


def anchored(pattern: Pattern, at_end: bool) -> Pattern:
    """A pattern that fits at the beginning of a text only, or only the whole of it."""
    steps = [_moved(step, 1) for step in pattern.steps]
    return Pattern((Step("start"), *steps, *([Step("end")] if at_end else [])), pattern.groups, pattern.may_be_empty)


def _moved(step: Step, by: int) -> Step:
    if step.kind == "either":
        return step._replace(least=step.least + by, most=step.most + by)
    return step._replace(least=step.least + by) if step.kind == "jump" else step


class _Reader:
    """One expression; each method gives the steps of what it reads, counted from 0, and whether they may hold nothing."""

    def __init__(self, text: str, flags: str, language: str) -> None:
        self.text = text
        self.flags = flags
        self.language = language
        self.at = 0
        self.groups = 0

    @property
    def sign(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, part: str) -> bool:
        if self.text.startswith(part, self.at):
            self.at += len(part)
            return True
        return False

    def choice(self, depth: int) -> tuple[list[Step], bool]:
        """`a|b|c`."""
        if depth > 12:
            raise Unknown("groups in groups")
        ways = [self._sequence(depth)]
        while self.skip("|"):
            ways.append(self._sequence(depth))
        steps, is_empty = ways[-1]
        for way, may_be_empty in reversed(ways[:-1]):
            first = [Step("either", "", 1, len(way) + 2), *(_moved(step, 1) for step in way)]
            end = len(first) + 1 + len(steps)
            steps = [*first, Step("jump", "", end), *(_moved(step, len(first) + 1) for step in steps)]
            is_empty = is_empty or may_be_empty
            self._bounded(steps)
        return steps, is_empty

    def _bounded(self, steps: list[Step]) -> None:
        if len(steps) > _MOST_STEPS:
            raise Unknown("so long an expression")

    def _sequence(self, depth: int) -> tuple[list[Step], bool]:
        steps: list[Step] = []
        is_empty = True
        while self.sign and self.sign not in "|)":
            part, may_be_empty = self._repeated(depth)
            steps += [_moved(step, len(steps)) for step in part]
            is_empty = is_empty and may_be_empty
            self._bounded(steps)
        return steps, is_empty

    def _repeated(self, depth: int) -> tuple[list[Step], bool]:
        part, is_empty = self._part(depth)
        bounds = self._bounds()
        if bounds is None:
            return part, is_empty
        least, most = bounds
        is_lazy = self.skip("?")
        if self.sign in ("+", "*", "?", "{") and self.sign:
            raise Unknown("a repetition of a repetition")
        only = part[0] if len(part) == 1 else None
        if only is not None and only.kind in ("one of", "none of") and (only.least, only.most) == (1, 1) and not is_lazy:
            return [only._replace(least=least, most=most)], least == 0
        if is_empty or (only is not None and only.kind not in ("one of", "none of")):
            raise Unknown("a repetition of what may hold nothing")
        return self._written_out(part, least, most, is_lazy), least == 0

    def _written_out(self, part: list[Step], least: int, most: int, is_lazy: bool) -> list[Step]:
        """Steps that are there some times, and then as often as they fit."""
        if least > _MOST_TIMES or (most < MANY and most > _MOST_TIMES):
            raise Unknown("so many repetitions")
        steps: list[Step] = []
        for _ in range(least):
            steps += [_moved(step, len(steps)) for step in part]
            self._bounded(steps)
        if most >= MANY:
            at = len(steps)
            ways = at + 1, at + len(part) + 2
            choice = Step("either", "", *(reversed(ways) if is_lazy else ways))
            return [*steps, choice, *(_moved(step, at + 1) for step in part), Step("jump", "", at)]
        end = least * len(part) + (most - least) * (len(part) + 1)
        for _ in range(most - least):
            at = len(steps)
            steps.append(Step("either", "", *((end, at + 1) if is_lazy else (at + 1, end))))
            steps += [_moved(step, at + 1) for step in part]
            self._bounded(steps)
        return steps

    def _bounds(self) -> tuple[int, int] | None:
        """`*`, `+`, `?`, `{2}`, `{2,}`, `{2,3}`."""
        for sign, bounds in (("*", (0, MANY)), ("+", (1, MANY)), ("?", (0, 1))):
            if self.skip(sign):
                return bounds
        close = self.text.find("}", self.at)
        if self.sign != "{" or close < 0:
            return None
        low, comma, high = self.text[self.at + 1 : close].partition(",")
        if not low.isdigit() or (high and not high.isdigit()) or len(low) > 3 or len(high) > 3:
            return None
        self.at = close + 1
        return int(low), (int(high) if high else MANY) if comma else int(low)

    def _part(self, depth: int) -> tuple[list[Step], bool]:
        sign = self.sign
        self.at += 1
        if sign == "(":
            return self._group(depth)
        if sign == "[":
            return [self._class()], False
        if sign == "^":
            is_line = "m" in self.flags or self.language == "ruby"
            return [Step("line start" if is_line else "start")], True
        if sign == "$":
            is_line = "m" in self.flags or self.language == "ruby"
            last = "last line end" if self.language in ("python", "php") else "end"
            return [Step("line end" if is_line else last)], True
        if sign == ".":
            return [Step("none of", "" if "s" in self.flags else "\n", 1, 1)], False
        if sign == "\\":
            return self._escape()
        if sign in "*+?":
            raise Unknown("a repetition of nothing")
        return [self._signs(sign)], False

    def _group(self, depth: int) -> tuple[list[Step], bool]:
        number = 0
        if self.skip("?:"):
            pass
        elif self.skip("?P<") or (self.text.startswith("?<", self.at) and self.text[self.at + 2 : self.at + 3] not in ("=", "!")):
            raise Unknown("a group with a name")
        elif self.sign == "?":
            raise Unknown("a look around")
        else:
            self.groups += 1
            number = self.groups
        steps, is_empty = self.choice(depth + 1)
        if not self.skip(")"):
            raise Unknown("the end of a group")
        if not number:
            return steps, is_empty
        return [Step("open", "", number), *(_moved(step, 1) for step in steps), Step("close", "", number)], is_empty

    def _escape(self) -> tuple[list[Step], bool]:
        sign = self.sign
        self.at += 1
        if sign in _PLACES and sign:
            return [Step(_PLACES[sign])], True
        if sign.lower() in _CLASSES and sign:
            return [Step("one of" if sign.islower() else "none of", _CLASSES[sign.lower()], 1, 1)], False
        if sign.isalnum() and sign not in _ESCAPES:
            raise Unknown(f"`\\{sign}`")
        if not sign:
            raise Unknown("the end")
        return [self._signs(_ESCAPES.get(sign, sign))], False

    def _signs(self, signs: str) -> Step:
        if "i" in self.flags:
            signs = "".join(dict.fromkeys(signs + signs.lower() + signs.upper()))
        return Step("one of", signs, 1, 1)

    def _class(self) -> Step:
        """`[a-z0-9_]`, `[^,;]`, behind the bracket."""
        is_without = self.skip("^")
        signs: list[str] = []
        while self.sign and (self.sign != "]" or not signs):
            if self.text.startswith("[:", self.at):
                raise Unknown("a class with a name")
            low = self._class_signs()
            if len(low) == 1 and self.sign == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._class_signs()
                if len(high) != 1 or not ord(low) <= ord(high) < ord(low) + 200:
                    raise Unknown("a range of characters")
                low = "".join(map(chr, range(ord(low), ord(high) + 1)))
            signs.append(low)
        if not self.skip("]"):
            raise Unknown("the end of a class")
        step = self._signs("".join(dict.fromkeys("".join(signs))))
        return step._replace(kind="none of") if is_without else step

    def _class_signs(self) -> str:
        sign = self.sign
        self.at += 1
        if sign != "\\":
            return sign
        sign = self.sign
        self.at += 1
        if sign in _CLASSES and sign:
            return _CLASSES[sign]
        if sign.isalnum() and sign not in _ESCAPES:
            raise Unknown(f"`\\{sign}`")
        return _ESCAPES.get(sign, sign)

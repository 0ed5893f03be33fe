"""Merging of objects into a user's JSON document: its comments, trailing commas, order and layout are preserved.

Editors read JSON with comments; a parser that forgets where things stand could only write the document anew, without them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from analysis.data_classes import dataclass, field

_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_SCALAR: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"|-?\d[\d.eE+-]*+|true|false|null')
_REST_OF_LINE: Final = re.compile(r"[ \t]*+(?:/\*(?:[^*\n]++|\*(?!/))*+\*/[ \t]*+)*+(?://[^\n]*+)?(?=\r?\n)")
_DEEPEST: Final = 200


class NotJson(ValueError):
    """The document cannot be understood; the message says where."""


@dataclass(slots=True)
class Node:
    """A value and where it stands. `members` are those of an object, `end` is behind its closing brace."""

    value: Any
    start: int
    end: int
    members: dict[str, Node] | None = None


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0

    def document(self) -> Node:
        node = self.value(0)
        self.blank()
        if self.at < len(self.text):
            raise self.error("unexpected text after the end")
        return node

    def value(self, depth: int) -> Node:
        self.blank()
        start = self.at
        if depth > _DEEPEST:
            raise self.error("it is nested too deeply")
        if self.accept("{"):
            members: dict[str, Node] = {}
            while not self.closed("}", bool(members)):
                key = self.scalar()
                if not isinstance(key, str):
                    raise self.error("a key must be a string")
                self.blank()
                if not self.accept(":"):
                    raise self.error("`:` is missing")
                if key in members:
                    raise self.error("a key occurs twice")
                members[key] = self.value(depth + 1)
            return Node({key: node.value for key, node in members.items()}, start, self.at, members)
        if self.accept("["):
            items: list[Any] = []
            while not self.closed("]", bool(items)):
                items.append(self.value(depth + 1).value)
            return Node(items, start, self.at)
        return Node(self.scalar(), start, self.at)

    def closed(self, bracket: str, is_later: bool) -> bool:
        """Goes to the next element; True at the end of the list of them."""
        self.blank()
        if self.accept(bracket):
            return True
        if is_later:
            if not self.accept(","):
                raise self.error(f"`,` or `{bracket}` is missing")
            self.blank()
            if self.accept(bracket):
                return True
        return False

    def scalar(self) -> Any:
        match = _SCALAR.match(self.text, self.at)
        if match is None:
            raise self.error("a value is missing" if self.at < len(self.text) else "it ends too early")
        try:
            value = json.loads(match[0])
        except ValueError:
            raise self.error(f"`{match[0][:20]}` is not a value") from None
        self.at = match.end()
        return value

    def accept(self, character: str) -> bool:
        if self.text[self.at : self.at + 1] != character:
            return False
        self.at += 1
        return True

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def error(self, reason: str) -> NotJson:
        return NotJson(f"{reason} at line {self.text.count(chr(10), 0, self.at) + 1}")


@dataclass(slots=True)
class _Merge:
    text: str
    replaced: tuple[str, ...]
    unit: str
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    def into(self, node: Node, added: dict[str, Any], place: str) -> None:
        if node.members is None:
            raise NotJson(f"{place or 'the document'} is not an object")
        missing = {}
        for key, value in added.items():
            present = node.members.get(key)
            if present is None:
                missing[key] = value
            elif isinstance(value, dict):
                self.into(present, value, f"{place}.{key}".lstrip("."))
            elif key in self.replaced and present.value != value:
                self.edits.append((present.start, present.end, json.dumps(value, ensure_ascii=False)))
        if missing:
            self.insert(node, missing)

    def insert(self, node: Node, missing: dict[str, Any]) -> None:
        """New members behind those that are there, or as the only ones."""
        assert node.members is not None
        outer = self.indent_of(node.start)
        last = max(node.members.values(), key=lambda one: one.end, default=None)
        on_one_line = last is not None and "\n" not in self.text[node.start : node.end]
        inner = outer + self.unit if last is None or on_one_line else self.indent_of(last.start)
        if on_one_line:
            written = ", ".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in missing.items())
            assert last is not None
            self.edits.append((last.end, last.end, f", {written}"))
            return
        written = ",\n".join(f"{inner}{json.dumps(key)}: {self.shown(value, inner)}" for key, value in missing.items())
        if last is None:
            between = self.text[node.start + 1 : node.end - 1]
            at = node.start + 1 + len(between.rstrip())
            self.edits.append((at, node.end - 1, f"\n{written}\n{outer}"))
            return
        behind = _BLANK.match(self.text, last.end)
        assert behind is not None
        has_comma = self.text[behind.end() : behind.end() + 1] == ","
        if not has_comma:
            self.edits.append((last.end, last.end, ","))
        # A comment on the line of the last member stays with it.
        from_ = behind.end() + 1 if has_comma else last.end
        rest = _REST_OF_LINE.match(self.text, from_)
        at = rest.end() if rest is not None else from_
        self.edits.append((at, at, f"\n{written}" + ("," if has_comma else "") + ("" if rest is not None else f"\n{outer}")))

    def shown(self, value: Any, indent: str) -> str:
        return json.dumps(value, ensure_ascii=False, indent=self.unit).replace("\n", f"\n{indent}")

    def indent_of(self, offset: int) -> str:
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]


def merged(old: str, added: dict[str, Any], replaced: tuple[str, ...] = ()) -> str:
    """The document with the members of `added` that it lacks, at every depth; of scalars that differ, those named in
    `replaced` get the new value. Raises NotJson.
    """
    if not old.strip():
        return json.dumps(added, ensure_ascii=False, indent=2) + "\n"
    try:
        root = _Reader(old).document()
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    indent = re.search(r"^[{\[][^\n]*\n([ \t]+)", old)
    merge = _Merge(old, replaced, indent[1] if indent else "  ")
    merge.into(root, added, "")
    # Of two insertions at one place the one that was asked for first comes first.
    text = old
    for _, (start, end, new) in sorted(enumerate(merge.edits), key=lambda edit: (edit[1][0], edit[0]), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def parsed(text: str) -> Any:
    """The value of a document with comments. Raises NotJson."""
    try:
        return _Reader(text).document().value
    except RecursionError:
        raise NotJson("it is nested too deeply") from None

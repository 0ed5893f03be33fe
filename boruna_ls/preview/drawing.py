"""Values as plain data for the page: a view as nodes to draw, a state as an outline to unfold. Bounded in nodes, depth and text.

A record is a node: its field `tag`, or its first field if that is a String, says which. Scalar fields are properties; records
and lists of records are children. An enum value is a node named after its variant: `Ui::Button("x")` draws like a `button`.
"""

from __future__ import annotations

import math
from typing import Any, Final

from boruna_ls.framework.rendering import Renderer
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.values import (
    ERR_HEAD,
    NONE_HEAD,
    OK_HEAD,
    SOME_HEAD,
    Value,
    is_enum,
    is_list,
    is_record,
    items_of,
)

MOST_NODES: Final = 5_000
MOST_LINES: Final = 2_000
"""Lines of an outline."""
MOST_DEPTH: Final = 100
MOST_TEXT: Final = 20_000
"""Characters of one text."""
MOST_CHARACTERS: Final = 1_000_000
"""Characters of everything that is drawn."""
MOST_OPTIONS: Final = 1_000
_SHOWN: Final = 2_000
_WRAPPERS: Final = {SOME_HEAD: "Some", OK_HEAD: "Ok", ERR_HEAD: "Err"}
Drawn = dict[str, Any]
LEFT_OUT: Final = "left-out"


class Drawing:
    """Makes nodes and outlines of the values of one program."""

    def __init__(self, program: Program) -> None:
        self._renderer = Renderer(program)
        self._left = 0
        self._characters = 0

    def nodes(self, view: Value) -> Drawn:
        """Nodes of a view: `tag`, `props`, `children`; the rest of a larger one is a node `left-out`."""
        self._left, self._characters = MOST_NODES, MOST_CHARACTERS
        return self._node(view, 0)

    def outline(self, value: Value, name: str = "") -> Drawn:
        """A value by its parts: `name`, `text` in one line, `parts` to unfold."""
        self._left, self._characters = MOST_LINES, MOST_CHARACTERS
        return self._line(name, value, 0)

    # ---- views ------------------------------------------------------------------------------------------------------

    def _node(self, value: Value, depth: int) -> Drawn:
        self._left -= 1
        if depth >= MOST_DEPTH:
            return _left_out(f"deeper than {MOST_DEPTH} levels")
        if is_record(value):
            return self._record(value, depth)
        if is_list(value):
            return {"tag": "list", "props": {}, "children": self._children(value, depth)}
        if type(value) is tuple and value[0] == NONE_HEAD:
            return {"tag": "empty", "props": {}, "children": []}
        if type(value) is tuple and value[0] in _WRAPPERS:
            return self._node(value[1], depth + 1)
        if is_enum(value):
            return self._variant(value, depth)
        return {"tag": "text", "props": {"text": self._scalar(value)}, "children": []}

    def _children(self, value: Value, depth: int) -> list[Drawn]:
        children: list[Drawn] = []
        for at, item in enumerate(items_of(value)):
            if self._left <= 0 or self._characters <= 0:
                children.append(_left_out(f"{value[2] - at:,} more are not drawn: a preview draws {MOST_NODES:,} nodes"))
                break
            children.append(self._node(item, depth + 1))
        return children

    def _record(self, value: Value, depth: int) -> Drawn:
        names = self._renderer.names(value)
        at = names.index("tag") if "tag" in names else 0
        has_tag = at < len(value) - 1 and type(value[at + 1]) is str
        tag = self._text(value[at + 1]) if has_tag else "div"
        rest = [
            (name, field) for index, (name, field) in enumerate(zip(names, value[1:], strict=True)) if index != at or not has_tag
        ]
        return self._filled(tag, rest, depth)

    def _filled(self, tag: str, fields: list[tuple[str, Value]], depth: int) -> Drawn:
        drawn: Drawn = {"tag": tag, "props": {}, "children": []}
        for name, value in fields:
            if self._left <= 0 or self._characters <= 0:
                drawn["children"].append(_left_out("the rest is not drawn"))
                break
            if is_list(value) and any(map(_is_node, value[1][: min(value[2], MOST_OPTIONS)])):
                drawn["children"] += self._children(value, depth)
            elif is_list(value):
                drawn["props"][name] = [self._scalar(item) for item in items_of(value)[:MOST_OPTIONS]]
            elif _is_node(value):
                drawn["children"].append(self._node(value, depth + 1))
            else:
                drawn["props"][name] = self._scalar(value)
        return drawn

    def _variant(self, value: Value, depth: int) -> Drawn:
        tag, payload = self._renderer.variant_name(value[0]).rpartition("::")[2].lower(), value[1]
        if payload is None:
            return {"tag": tag, "props": {}, "children": []}
        if is_list(payload):
            return {"tag": tag, "props": {}, "children": self._children(payload, depth)}
        if is_record(payload):
            return self._filled(tag, list(zip(self._renderer.names(payload), payload[1:], strict=True)), depth)
        if _is_node(payload):
            return {"tag": tag, "props": {}, "children": [self._node(payload, depth + 1)]}
        return {"tag": tag, "props": {"text": self._scalar(payload)}, "children": []}

    # ---- outlines ---------------------------------------------------------------------------------------------------

    def _line(self, name: str, value: Value, depth: int) -> Drawn:
        self._left -= 1
        self._characters -= len(name)
        line: Drawn = {"name": name, "text": self._text(self._renderer.text(value, _SHOWN if depth else MOST_TEXT))}
        parts = self._parts(value) if depth < MOST_DEPTH else []
        if parts:
            line["parts"] = shown_parts = []
            for at, (title, part) in enumerate(parts):
                if self._left <= 0 or self._characters <= 0:
                    shown_parts.append({"name": "", "text": f"… {len(parts) - at:,} more"})
                    break
                shown_parts.append(self._line(title, part, depth + 1))
        return line

    def _parts(self, value: Value) -> list[tuple[str, Value]]:
        if is_record(value):
            return list(zip(self._renderer.names(value), value[1:], strict=True))
        if is_list(value):
            return [(f"[{at}]", item) for at, item in enumerate(items_of(value)[: MOST_LINES + 1])]
        if type(value) is Map:
            return value.sorted_items()[: MOST_LINES + 1]
        if is_enum(value) and _has_parts(value[1]):
            return self._parts(value[1])
        return []

    # ---- texts ------------------------------------------------------------------------------------------------------

    def _scalar(self, value: Value) -> Any:
        """A value that JSON has as it is; of any other its text."""
        if type(value) is str:
            return self._text(value)
        if value is None or type(value) in (bool, int) or (type(value) is float and math.isfinite(value)):
            self._characters -= 8
            return value
        return self._text(self._renderer.text(value, _SHOWN))

    def _text(self, text: str) -> str:
        shown = text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}… (cut)"
        self._characters -= len(shown)
        return shown


def _is_node(value: Value) -> bool:
    """True if a value in a field is drawn as a node of its own."""
    return is_record(value) or is_list(value) or (is_enum(value) and (value[0] not in _WRAPPERS or _is_node(value[1])))


def _has_parts(value: Value) -> bool:
    return is_record(value) or is_list(value) or type(value) is Map


def _left_out(why: str) -> Drawn:
    return {"tag": LEFT_OUT, "props": {"text": why}, "children": []}

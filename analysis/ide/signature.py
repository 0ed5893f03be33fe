"""Declarations as the author would write them on one line, and the comments above them."""

from __future__ import annotations

import re
from typing import Final

from analysis.syntax import tree as t

_WIDTH: Final = 100


def function_type(item: t.Function) -> str:
    """`(a: Int) -> Int !{random}`."""
    parameters = ", ".join(f"{parameter.name}: {t.type_text(parameter.type)}" for parameter in item.parameters)
    result = f" -> {t.type_text(item.result)}" if item.result else ""
    capabilities = f" !{{{', '.join(capability.name for capability in item.capabilities)}}}" if item.capabilities else ""
    return f"({parameters}){result}{capabilities}"


def signature(item: t.Item, text: str) -> str:
    """An item without its body; `text` is its chunk, from which contracts are taken as written."""
    export = "export " if item.exported else ""
    match item:
        case t.Function():
            clauses: list[tuple[str, t.Expr]] = []
            if item.intent:
                clauses.append(("intent", item.intent))
            clauses += [("requires", clause) for clause in item.requires]
            clauses += [("ensures", clause) for clause in item.ensures]
            lines = [f"    {word} {text[clause.start : clause.end]}" for word, clause in clauses]
            return "\n".join((f"{export}fn {item.name}{function_type(item)}", *lines))
        case t.Record(fields=fields):
            return _members(f"{export}type {item.name}", [f"{field.name}: {t.type_text(field.type)}" for field in fields])
        case t.Enum(variants=variants):
            return _members(f"{export}enum {item.name}", [variant_text(variant) for variant in variants])
    return text[item.start : item.end]


def variant_text(variant: t.Variant) -> str:
    """`Add(Int)`."""
    return f"{variant.name}({t.type_text(variant.payload)})" if variant.payload else variant.name


def _members(head: str, members: list[str]) -> str:
    one_line = f"{head} {{ {', '.join(members)} }}" if members else f"{head} {{}}"
    if len(one_line) <= _WIDTH:
        return one_line
    return f"{head} {{\n" + "".join(f"    {member},\n" for member in members) + "}"


def documentation(text: str, start: int) -> str:
    """The comment lines directly above an offset without their slashes; "" if there are none."""
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip():
        return ""
    lines = [re.sub(r"^\s*//+!?", "", written) for written in _comments_above(text, line)]
    if all(not written or written.startswith(" ") for written in lines):
        lines = [written[1:] for written in lines]
    return "\n".join(written.rstrip() for written in lines).strip("\n")


def _comments_above(text: str, end: int) -> list[str]:
    """The lines of comments that end at the beginning of a line, without their line ends."""
    comments: list[str] = []
    while end:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start : end - 1].removesuffix("\r")
        if not line.lstrip(" \t").startswith("//"):
            break
        comments.append(line)
        end = start
    return comments[::-1]

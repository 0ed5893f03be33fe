"""Result of a call of an MCP tool (`McpResult`), as the constant that handlers return, and its methods as opcodes.

An `McpResult` is a map: `is_error`, `texts`, `content_types`, `structured` (JSON text of the structured content, or None) and
`attachments` (JSON text of the parts that are not text: images, audio, resources; or None). A log shows it unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from analysis.bytecode.module import Constant
from boruna_ls.runtime.errors import type_error
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import (
    LIST_HEAD,
    NONE,
    AnonymousType,
    Value,
    err,
    items_of,
    make_list,
    ok,
    record,
    some,
    type_name,
)

_TOOL: Final = AnonymousType(("name", "description", "schema"))


def result_constant(
    texts: Sequence[str],
    is_error: bool = False,
    content_types: Sequence[str] | None = None,
    structured: str | None = None,
    attachments: str | None = None,
) -> Constant:
    """An `McpResult`; the types are those of the texts unless they are given."""
    types = ["text"] * len(texts) if content_types is None else content_types
    return (
        "Map",
        (
            ("attachments", _option(attachments)),
            ("content_types", _texts(types)),
            ("is_error", ("Bool", is_error)),
            ("structured", _option(structured)),
            ("texts", _texts(texts)),
        ),
    )


def failure_constant(message: str) -> Constant:
    """The `McpResult` of a call that did not come about."""
    return result_constant([message], is_error=True)


def _option(text: str | None) -> Constant:
    return ("None",) if text is None else ("Some", ("String", text))


def _texts(texts: Sequence[str]) -> Constant:
    return ("List", tuple([("String", text) for text in texts]))


# ---- methods --------------------------------------------------------------------------------------------------------


def _part(result: Value, key: str) -> Value:
    """A part of an `McpResult`. Raises VmError for what is none."""
    if type(result) is not Map or key not in result.entries():
        raise type_error("McpResult", type_name(result))
    return result.entries()[key]


def _all_texts(result: Value) -> list[str]:
    texts = _part(result, "texts")
    if type(texts) is not tuple or texts[0] != LIST_HEAD or not all(type(text) is str for text in items_of(texts)):
        raise type_error("McpResult", type_name(texts))
    return items_of(texts)


def text(result: Value) -> Value:
    """Some(first text), or None."""
    texts = _all_texts(result)
    return some(texts[0]) if texts else NONE


def all_text(result: Value) -> str:
    """All texts, a newline between them."""
    return "\n".join(_all_texts(result))


def json_of(result: Value) -> Value:
    """Ok(structured content), else Ok(first text) if that is JSON."""
    structured = _part(result, "structured")
    if structured != NONE:
        return ok(structured[1])
    texts = _all_texts(result)
    if not texts:
        return err("the answer has no text")
    try:
        json.loads(texts[0], parse_constant=_refuse)
    except (ValueError, RecursionError):
        return err("the text is not JSON")
    return ok(texts[0])


def _refuse(name: str) -> None:
    raise ValueError(name)


def structured(result: Value) -> Value:
    """Some(JSON): the structured content; with images and other parts an object of `content` and `structuredContent`."""
    held, attachments = _part(result, "structured"), _part(result, "attachments")
    if attachments == NONE:
        return held
    inner = "" if held == NONE else f',"structuredContent":{held[1]}'
    return some(f'{{"content":{attachments[1]}{inner}}}')


def is_error(result: Value) -> Value:
    """True if the tool failed, or could not be called."""
    return _part(result, "is_error")


def content_types(result: Value) -> Value:
    """The types of the parts."""
    return _part(result, "content_types")


def tools(value: Value) -> Value:
    """A list of `McpTool` of a list of maps."""
    if type(value) is not tuple or value[0] != LIST_HEAD:
        raise type_error("List", type_name(value))
    return make_list([record(_TOOL, [_part(entry, name) for name in _TOOL.names]) for entry in items_of(value)])


UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "McpText": text,
    "McpAllText": all_text,
    "McpJson": json_of,
    "McpStructured": structured,
    "McpIsError": is_error,
    "McpContentTypes": content_types,
    "McpTools": tools,
}

"""Makes an answer that is too long for a model fit, and says how to get what was left out."""

from __future__ import annotations

from typing import Any

from analysis.database import paced
from boruna_ls.answers.envelope import RawList, as_text


def shorten_list(answer: dict[str, Any], name: str, limit: int, offset: int) -> dict[str, Any]:
    """The answer with only as many elements of a list, from its beginning, as fit into `limit` bytes of text.

    `offset` is how many elements of the whole list stand before it.
    """
    elements = answer[name]
    left = limit - 1000 - len(as_text(answer | {name: []}).encode())
    shown = 0
    for element in paced(elements):
        left -= len((element if isinstance(elements, RawList) else as_text(element)).encode()) + 1
        if left < 0:
            break
        shown += 1
    rest = f"call again with `offset` {offset + shown}"
    omitted = {"field": name, "shown": shown, "left_out": len(elements) - shown, "rest": rest}
    shortened = RawList(elements[:shown]) if isinstance(elements, RawList) else elements[:shown]
    return answer | {name: shortened, "omitted": omitted}


def shorten_repair(answer: dict[str, Any], limit: int) -> dict[str, Any]:
    """The answer of a repair without its diff, or, if that is not enough, with the diff instead of the whole text."""
    omitted = {"field": "diff", "rest": "compare `repaired_source` with the source"}
    shorter = answer | {"diff": None, "omitted": omitted}
    if len(as_text(shorter).encode()) <= limit:
        return shorter
    omitted = {"field": "repaired_source", "rest": "apply `diff` to the source"}
    return answer | {"repaired_source": None, "omitted": omitted}

"""Trees compared by their shape: whether a text means the tree that a refactoring wanted to write.

Line breaks end nothing in this language, so a text that begins with `(` or `-` may glue itself to what stands before it. A
changed function is parsed again and must have the shape that was intended.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, Final

from analysis.ide.refactor.site import Site
from analysis.syntax import tree as t
from analysis.syntax.parser import parse
from analysis.text.edits import Edit

_PLACES: Final = frozenset(("start", "end", "at", "opening", "operator_at", "signature_end"))
_NAMES: Final[dict[type[t.Node], tuple[str, ...]]] = {}


def shape(node: t.Node, instead: Mapping[int, t.Node] | None = None, without: Collection[int] = ()) -> Any:
    """A node as nested tuples, places left out; `instead` replaces nodes and `without` drops statements, by their `id`."""
    instead = instead or {}

    def shape_of(value: Any) -> Any:
        if isinstance(value, t.Node):
            replaced = instead.get(id(value), value)
            if type(replaced) not in _NAMES:
                _NAMES[type(replaced)] = tuple(field.name for field in fields(replaced) if field.name not in _PLACES)
            return (type(replaced).__name__, *[shape_of(getattr(replaced, name)) for name in _NAMES[type(replaced)]])
        if isinstance(value, tuple):
            return tuple([shape_of(item) for item in value if id(item) not in without])
        return value

    return shape_of(node)


def means(site: Site, edits: list[Edit], expected: Any) -> bool:
    """True if the site's function has the shape `expected` after edits."""
    function = edited_function(site, edits)
    try:
        return function is not None and shape(function) == expected
    except RecursionError:
        return False


def edited_function(site: Site, edits: list[Edit]) -> t.Function | None:
    """The site's function after edits; None if it does not parse, or is not one function any more."""
    text = site.written
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        start, end = edit.span[0] - site.start, edit.span[1] - site.start
        text = text[:start] + edit.new_text + text[end:]
    tree = parse(text)
    if tree.errors or tree.tokens.errors:
        return None
    functions = [item for item in tree.items if isinstance(item, t.Function) and item.name == site.function.name]
    return functions[0] if len(functions) == 1 else None

"""Names in brackets that get the items of a list, of which some may be absent: `const [key, value = ""] = pair.split("=")`."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk


@dataclass(eq=False)
class Defaulted(n.Binding):
    """A name in a list's pattern with the value that it has where the list has no such item."""

    default: n.Expr | None = None


def settle_list_parts(items: list[n.Item]) -> None:
    """Writes a declaration of names that may be absent as one for each name; those that are always there stay as they are."""
    for item in items:
        for node in walk(item):
            if isinstance(node, n.Block):
                asked: set[str] | None = None
                if any(_is_list(each) for each in node.statements):
                    asked = _asked(node)
                    node.statements = [part for each in node.statements for part in _parted(each, asked)]


def _is_list(statement: n.Statement) -> bool:
    if not isinstance(statement, n.Let) or not isinstance(statement.pattern, n.ListPattern) or statement.otherwise is not None:
        return False
    pattern = statement.pattern
    plain = all(isinstance(each, (n.Binding, n.Wildcard)) for each in pattern.items)
    return plain and pattern.rest is None and not pattern.last and isinstance(statement.value, n.Expr)


def _asked(block: n.Block) -> set[str]:
    """The names of which a block asks whether they are there."""
    names: set[str] = set()
    for node in walk(block):
        if not isinstance(node, n.Binary) or not isinstance(node.left, n.Name):
            continue
        is_compared = node.operator in ("==", "!=") and isinstance(node.right, n.Literal) and node.right.kind == "none"
        is_text = isinstance(node.right, n.Literal) and node.right.kind in ("string", "int", "float")
        if node.operator == "??" or is_compared or (node.operator == "||" and is_text):
            names.add(node.left.name)
    return names


def _parted(statement: n.Statement, asked: set[str]) -> list[n.Statement]:
    if not _is_list(statement) or not isinstance(statement, n.Let) or not isinstance(statement.pattern, n.ListPattern):
        return [statement]
    parts = statement.pattern.items
    if not any(isinstance(each, Defaulted) or (isinstance(each, n.Binding) and each.name in asked) for each in parts):
        return [statement]
    assert statement.value is not None
    start, end = statement.start, statement.end
    whole = f"parts_{start}"
    statements: list[n.Statement] = [n.Let(n.Binding(whole), statement.type, statement.value, start=start, end=end)]
    for place, part in enumerate(parts):
        if not isinstance(part, n.Binding):
            continue
        number = n.Literal("int", str(place), start=end, end=end)
        held = n.Name(whole, start=end, end=end)
        value: n.Expr = n.Index(held, number, start=end, end=end)
        if isinstance(part, Defaulted) or part.name in asked:
            value = n.Call(n.Member(held, "getAt", start=end, end=end), [n.Argument(number)], start=end, end=end)
        if isinstance(part, Defaulted) and part.default is not None:
            value = n.Binary("??", value, part.default, start=end, end=end)
        statements.append(n.Let(n.Binding(part.name), None, value, statement.mutable, start=end, end=end))
    return statements

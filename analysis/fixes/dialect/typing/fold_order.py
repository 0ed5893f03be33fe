"""The order in which a closure of a fold takes the value so far and the item, by what its body does with them.

Only types decide: a parameter that is used as the item where the closure should take the value so far, and the other way
round. Where both have the same type, nothing is said.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import FLOAT, Type, head
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.program import GENERIC, Program, builtin_signatures
from analysis.suggestions.lexicon import KINDS, kinds_with, operations

_FOLDING: Final = ("@fold", "@fold_right")


def settle_fold(template: str, closure: n.Expr, parts: list[str], program: Program) -> None:
    """Puts the parameters of a fold's closure in the order that its types ask for; `parts` are the kinds that it gets."""
    if template not in _FOLDING or not isinstance(closure, n.Lambda) or len(closure.parameters) != 2 or len(parts) != 2:
        return
    if "" in parts or parts[0] == parts[1]:
        return
    names = {each.name for each in closure.parameters if isinstance(each, n.Binding)}
    uses = _uses(closure.body, names, program)
    kinds = [uses[each.name] if isinstance(each, n.Binding) else _kinds_of(each) for each in closure.parameters]
    if any(kinds) and kinds[0] <= {parts[1]} and kinds[1] <= {parts[0]}:
        closure.parameters.reverse()


def _kinds_of(pattern: n.Pattern) -> set[str]:
    """The kinds of values that a pattern fits."""
    match pattern:
        case n.TuplePattern():
            return {"Tuple"}
        case n.ListPattern():
            return {"List"}
        case n.RecordPattern():
            return {pattern.name}
    return set()


def _uses(body: n.Node, names: set[str], program: Program) -> dict[str, set[str]]:
    """The kinds of values that names are used as."""
    uses: dict[str, set[str]] = {name: set() for name in names}

    def note(value: n.Expr, kind: str) -> None:
        if isinstance(value, n.Name) and value.name in uses and kind and kind not in GENERIC:
            uses[value.name].add(kind)

    for node in walk(body):
        match node:
            case n.Member(object=n.Name(name=name)) if name in uses:
                uses[name] |= {record.name for record in program.records.values() if node.name in record.fields}
            case n.Call(function=n.Name(name=called)):
                signature = program.functions.get(called) or builtin_signatures().get(called)
                if signature is not None and len(signature.parameters) == len(node.arguments):
                    for each, kind in zip(node.arguments, signature.parameters, strict=True):
                        note(each.value, head(kind))
                prefix, _, word = called.partition("_")
                if len(node.arguments) == 1 and (KINDS.get(prefix, ""), word, 0) in operations():
                    note(node.arguments[0].value, KINDS[prefix])
            case n.Call(function=n.Member(object=n.Name() as owner, name=word)):
                kinds = set(kinds_with(word, len(node.arguments)))
                note(owner, kinds.pop() if len(kinds) == 1 else "")
            case n.Binary(operator="++", left=left, right=right) if isinstance(left, n.ListOf) or isinstance(right, n.ListOf):
                note(left, "List")
                note(right, "List")
            case n.RecordOf(base=n.Name() as base):
                note(base, node.name)
    return uses


def as_floats(template: str, operands: list[n.Expr], parts: list[Type], given: Type) -> list[Type] | None:
    """Writes the `0` that a fold over Floats begins with as a Float: what its closure takes then; None for any other fold."""
    if template not in ("@fold", "@fold_right") or head(given) != "Float" or not any(head(part) == "Int" for part in parts):
        return None
    start = next((each for each in operands if isinstance(each, n.Literal) and each.kind == "int"), None)
    if start is None:
        return None
    start.kind, start.text, start.ty = "float", f"{start.text}.0", FLOAT
    place = 0 if template == "@fold" else len(parts) - 1
    return [FLOAT if at == place else part for at, part in enumerate(parts)]

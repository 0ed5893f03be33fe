"""Records and enums of values of any type: a program that has one of them with one type only says what it holds."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, instantiated, written
from analysis.fixes.dialect.tree.walking import walk


def settle_generic_records(items: list[n.Item], generics: dict[str, list[str]]) -> None:
    """Writes the type that `Stack<Int>` names for the `T` of `type Stack<T>`; leaves a type that several ones are made of."""
    own = {item.name: generics[item.name] for item in items if isinstance(item, (n.Record, n.Enum)) and item.name in generics}
    for name, names in own.items():
        uses = _made_of(items, name, len(names))
        if len(uses) > 1:
            continue
        # What nothing says is found where the types of expressions are: one type for the whole program.
        kinds = next(iter(uses.values()), tuple(Type() for _ in names))
        given = dict(zip(names, kinds, strict=True))
        for item in items:
            _settle(item, name, given)


def _made_of(items: list[n.Item], name: str, count: int) -> dict[str, tuple[Type, ...]]:
    """The types that a type is made of anywhere, by their text."""
    by_text: dict[str, tuple[Type, ...]] = {}
    for item in items:
        variables = {each for node in walk(item) if isinstance(node, n.Function) for each in node.generics}
        for kind in (part for held in _types(item) for part in _parts(held)):
            is_whole = kind.name == name and len(kind.arguments) == count
            if is_whole and not any(part.name in variables or not part.name for each in kind.arguments for part in _parts(each)):
                by_text[", ".join(map(written, kind.arguments))] = kind.arguments
    own = [text for text, kinds in by_text.items() if all(len(kind.name) == 1 for kind in kinds)]
    for text in own:
        # `Stack<T>` in the methods of the type.
        del by_text[text]
    return by_text


def _settle(item: n.Item, name: str, given: dict[str, Type]) -> None:
    if isinstance(item, (n.Record, n.Enum)) and item.name == name:
        _replace(item, given)
    elif isinstance(item, n.Implementation) and item.owner == name:
        for function in item.functions:
            _replace(function, given)
    elif isinstance(item, n.Function) and item.result is not None and item.result.name == name and not item.result.arguments:
        # What makes one.
        _replace(item, given)
    elif isinstance(item, n.Function) and item.generics:
        # `fn top<A>(s: Stack<A>) -> A`: what the type holds.
        for kind in (part for held in _types(item) for part in _parts(held) if part.name == name):
            for variable, inner in zip(kind.arguments, given.values(), strict=False):
                if variable.name in item.generics:
                    item.generics.remove(variable.name)
                    _replace(item, {variable.name: inner})
                    _settle(item, name, given)
                    return


def _replace(node: n.Node, given: dict[str, Type]) -> None:
    for part in walk(node):
        match part:
            case n.Record():
                part.fields = {word: instantiated(kind, given) for word, kind in part.fields.items()}
            case n.Enum():
                for variant in part.variants:
                    variant.payload = [instantiated(kind, given) for kind in variant.payload]
            case n.Function():
                part.result = instantiated(part.result, given) if part.result is not None else None
            case n.Parameter() | n.Let() | n.Binding():
                part.type = instantiated(part.type, given) if part.type is not None else None
            case n.Cast():
                part.target = instantiated(part.target, given)


def _types(node: n.Node) -> Iterator[Type]:
    """The types that are written in an item."""
    for part in walk(node):
        match part:
            case n.Record():
                yield from part.fields.values()
            case n.Enum():
                for variant in part.variants:
                    yield from variant.payload
            case n.Cast():
                yield part.target
            case n.Alias() | n.Constant() | n.Parameter() | n.Let() | n.Binding() if part.type is not None:
                yield part.type
            case n.Function() if part.result is not None:
                yield part.result


def _parts(kind: Type) -> list[Type]:
    resolved = kind.resolved()
    return [resolved, *(each for part in resolved.arguments for each in _parts(part))]

"""Values of plain enums: `rawValue`, `name` and `ordinal` of a variant, `allCases` and `values()` of the enum."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, STRING, Type, head, option_of
from analysis.fixes.dialect.tree.walking import replace_below, walk

_ALL: Final = ("allCases", "values", "entries", "cases")
_OWN: Final = ("rawValue", "name", "ordinal", "index")
_BUILTIN: Final = ("Option", "Result")


def settle_enum_values(items: list[n.Item], raw_values: dict[int, n.Expr]) -> list[n.Item]:
    """The items with the functions that such members need; `raw_values` holds what variants are declared to be."""
    enums = {
        item.name: item
        for item in items
        if isinstance(item, n.Enum) and item.name not in _BUILTIN and not any(each.payload for each in item.variants)
    }
    if not enums:
        return items
    _settle_numbers(items, enums)
    fields = {name for item in items if isinstance(item, n.Record) for name in item.fields}
    methods = {each.name for item in items if isinstance(item, n.Implementation) for each in item.functions}
    wanted = [name for name in _OWN if name not in fields | methods]
    asked = {name for name in wanted if name in ("name", "ordinal")}
    called = {id(node.function) for item in items for node in walk(item) if isinstance(node, n.Call)}
    used: set[str] = set()

    def change(node: n.Node) -> n.Node:
        if isinstance(node, n.Call) and isinstance(node.function, n.ListOf) and not node.arguments:
            return node.function
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in enums:
            variant = _of_raw_value(node, enums[node.function.name], raw_values)
            return variant or node
        if (
            isinstance(node, n.Call)
            and isinstance(node.function, n.Member)
            and not node.arguments
            and node.function.name in asked
        ):
            # `p.name()` of Java.
            used.add(node.function.name)
            return node
        if not isinstance(node, n.Member):
            return node
        if isinstance(node.object, n.Name) and node.object.name in enums and node.name in _ALL:
            owner = enums[node.object.name]
            paths: list[n.Expr] = [n.Path(owner.name, each.name, start=node.start, end=node.end) for each in owner.variants]
            return n.ListOf(paths, start=node.start, end=node.end)
        if node.name in wanted and not node.optional and id(node) not in called:
            used.add(node.name)
            return n.Call(n.Member(node.object, node.name, start=node.start, end=node.end), [], start=node.start, end=node.end)
        return node

    mentioned = {node.name for item in items for node in walk(item) if isinstance(node, n.Member)}
    if not mentioned & {*_ALL, *_OWN} and not raw_values:
        return items
    for item in items:
        replace_below(item, change)
    settled: list[n.Item] = []
    for item in items:
        settled.append(item)
        if isinstance(item, n.Enum) and item.name in enums and used:
            functions = [_function(item, word, raw_values) for word in sorted(used)]
            settled.append(n.Implementation(item.name, functions, start=item.end, end=item.end))
    return settled


def _settle_numbers(items: list[n.Item], enums: dict[str, n.Enum]) -> None:
    """`toEnum n` of Haskell, where the result of a function or the type of a variable says of which enum."""
    if any(isinstance(item, n.Function) and item.name == "toEnum" for item in items):
        return
    for item in items:
        for node in walk(item):
            last = node.body.statements[-1] if isinstance(node, n.Function) and node.body.statements else None
            if isinstance(node, n.Function) and isinstance(last, n.Evaluate):
                last.value = _numbered(last.value, enums.get(head(node.result)))
            elif isinstance(node, n.Let) and node.value is not None:
                node.value = _numbered(node.value, enums.get(head(node.type)))


def _numbered(value: n.Expr, enum: n.Enum | None) -> n.Expr:
    """`toEnum n` as a choice between the variants; another number ends the run, as it does in Haskell."""
    is_it = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "toEnum"
    if enum is None or not is_it or not isinstance(value, n.Call) or len(value.arguments) != 1:
        return value
    start, end = value.start, value.end
    arms: list[n.Arm] = []
    for place, variant in enumerate(enum.variants):
        number = n.LiteralPattern(n.Literal("int", str(place), start=start, end=start), start=start, end=start)
        arms.append(n.Arm(number, None, n.Path(enum.name, variant.name, start=start, end=end), start=start, end=end))
    text = n.Literal("string", f'"no {enum.name} has this number"', start=start, end=end)
    fails = n.Call(n.Name("panic", start=start, end=start), [n.Argument(text)], start=start, end=end)
    arms.append(n.Arm(n.Wildcard(start=start, end=start), None, fails, start=start, end=end))
    return n.Match(value.arguments[0].value, arms, start=start, end=end)


def _raw(variant: n.Variant, number: int, raw_values: dict[int, n.Expr], is_text: bool) -> n.Expr:
    declared = raw_values.get(variant.start)
    if declared is not None:
        return declared
    if is_text:
        return n.Literal("string", f'"{variant.name}"', start=variant.start, end=variant.end)
    return n.Literal("int", str(number), start=variant.start, end=variant.end)


def _values(enum: n.Enum, raw_values: dict[int, n.Expr]) -> list[n.Expr]:
    """Value of each variant: the declared one, the previous one plus 1, or the variant's name."""
    declared = [raw_values.get(each.start) for each in enum.variants]
    is_number = any(isinstance(each, n.Literal) and each.kind == "int" for each in declared)
    values: list[n.Expr] = []
    number = -1
    for variant, value in zip(enum.variants, declared, strict=True):
        number = int(value.text) if isinstance(value, n.Literal) and value.kind == "int" else number + 1
        values.append(_raw(variant, number, raw_values, not is_number))
    return values


def _function(enum: n.Enum, word: str, raw_values: dict[int, n.Expr]) -> n.Function:
    start = enum.end
    if word == "rawValue":
        values = _values(enum, raw_values)
    elif word == "name":
        values = [n.Literal("string", f'"{each.name}"', start=start, end=start) for each in enum.variants]
    else:
        values = [n.Literal("int", str(place), start=start, end=start) for place, _ in enumerate(enum.variants)]
    arms = [
        n.Arm(n.VariantPattern(enum.name, each.name, start=start, end=start), None, value, start=start, end=start)
        for each, value in zip(enum.variants, values, strict=True)
    ]
    match = n.Match(n.Name("self", start=start, end=start), arms, start=start, end=start)
    body = n.Block([n.Evaluate(match, start=start, end=start)], start=start, end=start)
    is_number = all(isinstance(each, n.Literal) and each.kind == "int" for each in values)
    own = n.Parameter("self", Type(enum.name), start=start, end=start)
    return n.Function(word, [own], INT if is_number else STRING, body, start=start, end=start)


def _some(enum: n.Enum, variant: n.Variant, call: n.Call) -> n.Expr:
    path = n.Path(enum.name, variant.name, start=call.start, end=call.end)
    return n.Call(n.Name("Some", start=call.start, end=call.start), [n.Argument(path)], start=call.start, end=call.end)


def _of_raw_value(call: n.Call, enum: n.Enum, raw_values: dict[int, n.Expr]) -> n.Expr | None:
    """`Color(rawValue: "red")`: the variant that stands for a value, if there is one."""
    if len(call.arguments) != 1 or call.arguments[0].name != "rawValue":
        return None
    start, end = call.start, call.end
    arms = [
        n.Arm(n.LiteralPattern(value, start=start, end=start), None, _some(enum, each, call), start=start, end=end)
        for each, value in zip(enum.variants, _values(enum, raw_values), strict=True)
    ]
    none = n.Literal("none", "None", start=end, end=end, ty=option_of(Type(enum.name)))
    arms.append(n.Arm(n.Wildcard(start=start, end=start), None, none, start=end, end=end))
    return n.Match(call.arguments[0].value, arms, start=start, end=end)

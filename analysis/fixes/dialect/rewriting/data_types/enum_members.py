"""Enums whose variants have values and methods of their own: plain enums, and functions that match on them."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.rewriting.data_types.own_names import settle_own_names
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import ClassDeclaration
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import replace_below

_BUILT_IN: Final = frozenset(("name", "ordinal", "rawValue"))
_ALL: Final = ("values", "entries", "allCases")


def enum_items(own: ClassDeclaration, constants: dict[tuple[str, str], str]) -> list[n.Item]:
    """The enum and the functions of its members."""
    names = {case.name for case in own.cases}
    fields = [part.name for part in own.header] or _fields_of_constructor(own)
    variants = [case.variant or n.Variant(case.name, [], start=case.start, end=case.end) for case in own.cases]
    enum = n.Enum(own.name, variants, start=own.start, end=own.end)
    functions = [_field_function(own, place, name) for place, name in enumerate(fields)]
    functions += _methods(own)
    held = frozenset(fields) | _BUILT_IN | {each.name for each in functions if len(each.parameters) == 1}
    methods = frozenset(each.name for each in functions if each.parameters and each.parameters[0].name == "self")
    called = {each.name: own.name for each in functions if each.name not in methods}
    others: dict[str, n.Expr] = {
        each.name: n.Name(constants[own.name, each.name], start=own.start, end=own.start) for each in own.constants
    }
    for function in functions:
        settle_own_names(function, held, methods, others, called)
        _settle_variants(function, own, names)
    items: list[n.Item] = [enum]
    if functions:
        items.append(n.Implementation(own.name, functions, start=own.end, end=own.end))
    for each in own.constants:
        holder = n.Block([n.Evaluate(each.value)], start=own.start, end=own.start)
        _settle_variants(n.Function("", [], None, holder), own, names)
        last = holder.statements[0]
        assert isinstance(last, n.Evaluate)
        items.append(n.Constant(constants[own.name, each.name], each.type, last.value, start=own.end, end=own.end))
    return items


def _fields_of_constructor(own: ClassDeclaration) -> list[str]:
    """The fields that the constructor of an enum of Java sets, in the order of its parameters."""
    if own.constructor is None or own.header:
        return []
    names: list[str] = []
    sets: dict[str, str] = {}
    for statement in own.constructor.body.statements:
        target = statement.target if isinstance(statement, n.Assign) else None
        value = statement.value if isinstance(statement, n.Assign) else None
        field = target.name if isinstance(target, (n.Member, n.Name)) else ""
        if not isinstance(value, n.Name) or not field:
            raise Untranslatable("an enum whose constructor sets its fields only", own.start)
        sets[value.name] = field
    names += [sets.get(part.name, part.name) for part in own.constructor.parameters]
    own.header = [
        n.Parameter(name, part.type, part.default) for name, part in zip(names, own.constructor.parameters, strict=True)
    ]
    return names


def _pattern(own: ClassDeclaration, name: str, start: int) -> n.VariantPattern:
    return n.VariantPattern(own.name, name, start=start, end=start)


def _self(own: ClassDeclaration) -> n.Parameter:
    return n.Parameter("self", Type(own.name), start=own.start, end=own.start)


def _function(
    own: ClassDeclaration, name: str, parameters: list[n.Parameter], result: Type | None, arms: list[n.Arm]
) -> n.Function:
    match = n.Match(n.Name("self", start=own.start, end=own.start), arms, start=own.start, end=own.end)
    body = n.Block([n.Evaluate(match, start=own.start, end=own.end)], start=own.start, end=own.end)
    return n.Function(name, parameters, result, body, start=own.start, end=own.end)


def _field_function(own: ClassDeclaration, place: int, name: str) -> n.Function:
    """A field of the variants as a function that gives what each was declared with."""
    part = own.header[place]
    arms: list[n.Arm] = []
    for case in own.cases:
        named = next((each.value for each in case.arguments if each.name == part.name), None)
        plain = [each.value for each in case.arguments if not each.name]
        value = named or (plain[place] if place < len(plain) else part.default)
        if value is None:
            raise Untranslatable("a value for each field of a variant", case.start)
        arms.append(n.Arm(_pattern(own, case.name, case.start), None, deepcopy(value), start=case.start, end=case.end))
    return _function(own, name, [_self(own)], part.type, arms)


def _methods(own: ClassDeclaration) -> list[n.Function]:
    """The methods of an enum; one that variants have for themselves chooses between theirs."""
    functions = [each for each in own.functions if not any(_of(case.functions, each.name) for case in own.cases)]
    names = dict.fromkeys(each.name for case in own.cases for each in case.functions)
    for name in names:
        default = _of(own.functions, name)
        arms: list[n.Arm] = []
        first = default
        for case in own.cases:
            special = _of(case.functions, name)
            first = first or special
            if special is not None:
                arms.append(n.Arm(_pattern(own, case.name, case.start), None, special.body, start=case.start, end=case.end))
        assert first is not None
        if len(arms) < len(own.cases):
            if default is None:
                raise Untranslatable("a method that every variant has", own.start)
            arms.append(n.Arm(n.Wildcard(start=own.start, end=own.start), None, default.body, start=own.start, end=own.end))
        own_parts = [part for part in first.parameters if part.name != "self"]
        functions.append(_function(own, name, [_self(own), *own_parts], first.result, arms))
    return functions


def _of(functions: list[n.Function], name: str) -> n.Function | None:
    return next((each for each in functions if each.name == name), None)


def _settle_variants(function: n.Function, own: ClassDeclaration, names: set[str]) -> None:
    """Variants and lists of them that are named alone inside of their enum."""

    def change(node: n.Node) -> n.Node:
        if (
            isinstance(node, n.Call)
            and isinstance(node.function, n.Name)
            and node.function.name == "values"
            and not node.arguments
        ):
            return _all_variants(own, node)
        if isinstance(node, n.Name) and node.name in ("entries", "allCases"):
            return _all_variants(own, node)
        if isinstance(node, n.Name) and node.name in names and node.name[0].isupper():
            return n.Path(own.name, node.name, start=node.start, end=node.end)
        if isinstance(node, n.Name) and node.name == "Self":
            return n.Name(own.name, start=node.start, end=node.end)
        return node

    replace_below(function, change)


def _all_variants(own: ClassDeclaration, node: n.Node) -> n.Expr:
    items: list[n.Expr] = [n.Path(own.name, case.name, start=node.start, end=node.end) for case in own.cases]
    return n.ListOf(items, start=node.start, end=node.end)

"""Classes that hold values of their own kind, such as expressions: as an enum, where no object changes."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from analysis.fixes.dialect.rewriting.data_types.constructors import making, plain_values
from analysis.fixes.dialect.rewriting.data_types.families import Families, Member
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import ClassDeclaration
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import replace_below, root_of, walk

if TYPE_CHECKING:
    from analysis.fixes.dialect.rewriting.data_types.class_trees import Tree


def is_recursive(tree: Tree, items: list[n.Item]) -> bool:
    """True if objects of a tree hold others of it: by the type of a field, or by what a constructor is given."""
    names = set(tree.by_name)
    if any(kind.resolved().name in names for own in tree.classes for kind in own.fields.values()):
        return True
    if any(part.type is not None and part.type.name in names for own in tree.classes for part in _given(own)):
        return True
    return any(
        _makes(node, names) and any(_makes(each.value, names) for each in node.arguments)
        for item in items
        for node in walk(item)
        if isinstance(node, n.Call)
    )


def _given(own: ClassDeclaration) -> list[n.Parameter]:
    return [*own.header, *(own.constructor.parameters if own.constructor is not None else [])]


def _makes(node: n.Node, names: set[str]) -> bool:
    return isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in names


def add_family(tree: Tree, families: Families, replaced: dict[int, list[n.Item]], items: list[n.Item]) -> None:
    """Notes a tree as an interface with the classes that implement it; refuses one whose objects change."""
    root, *others = tree.classes
    fields = {name for own in tree.classes for name in own.fields}
    for item in items:
        for node in walk(item):
            is_set = isinstance(node, n.Assign) and isinstance(node.target, n.Member) and node.target.name in fields
            if is_set and isinstance(node, n.Assign) and (root_of(node.target) != "self" or not _is_constructor(node, tree)):
                raise Untranslatable("objects that hold others of their kind and change", node.start)
    if root.fields or any(tree.chain(each)[0] is not each and tree.chain(each)[:-1] != [root] for each in others):
        raise Untranslatable("classes that hold others of their kind, below one without fields", root.start)
    defaults = [function for function in root.functions if not _fails_only(function)]
    alias = n.Alias("", Type(), start=root.start, end=root.end)
    replaced[id(root)] = [alias]
    families.bases[root.name], families.items[root.name] = defaults, alias
    for own in others:
        place = n.Alias("", Type(), start=own.start, end=own.end)
        replaced[id(own)] = [place]
        families.members.append(Member(own.name, root.name, _fields(tree, own), own.functions, place))
    for item in items:
        _settle_questions(item, set(tree.by_name))


def _is_constructor(node: n.Node, tree: Tree) -> bool:
    bodies = [own.constructor.body for own in tree.classes if own.constructor is not None]
    return any(part is node for body in bodies for part in walk(body)) or any(
        part is node for own in tree.classes for step in own.steps for part in walk(step)
    )


def _fields(tree: Tree, own: ClassDeclaration) -> dict[str, Type]:
    """The fields in the order of what the constructor is given, which it may only store."""
    parameters, steps = making(tree.chain(own))
    values = plain_values(_one_by_one(steps))
    given = [part.name for part in parameters]
    by_parameter = {value.name: name for name, value in (values or {}).items() if isinstance(value, n.Name)}
    if values is None or set(by_parameter) != set(given) or len(values) != len(given):
        raise Untranslatable("a constructor that sets fields in their order", own.start)
    kinds = {part.name: part.type for part in parameters}
    return {by_parameter[name]: kinds[name] or own.fields.get(by_parameter[name]) or Type() for name in given}


def _one_by_one(steps: list[n.Statement]) -> list[n.Statement]:
    """`self.l, self.r = l, r` as two steps."""
    single: list[n.Statement] = []
    for step in steps:
        if (
            isinstance(step, n.Assign)
            and isinstance(step.target, n.TupleOf)
            and isinstance(step.value, n.TupleOf)
            and len(step.target.items) == len(step.value.items)
        ):
            pairs = zip(step.target.items, step.value.items, strict=True)
            single += [n.Assign(left, "", right, start=step.start, end=step.end) for left, right in pairs]
        else:
            single.append(step)
    return single


def _fails_only(function: n.Function) -> bool:
    """A method that does nothing but fail, or nothing at all: every class has its own."""
    body = function.body.statements
    last = body[0] if len(body) == 1 else None
    return not body or (isinstance(last, n.Evaluate) and isinstance(last.value, n.Jump) and last.value.kind == "throw")


def _settle_questions(item: n.Item, names: set[str]) -> None:
    """`isinstance(x, Num)` as a test of the variant."""

    def change(node: n.Node) -> n.Node:
        match node:
            case n.Call(function=n.Name(name="isinstance"), arguments=[value, n.Argument(value=n.Name(name=name))]) if (
                name in names
            ):
                pattern = n.VariantPattern("", name, start=node.start, end=node.end)
                return n.LetCondition(pattern, deepcopy(value.value), start=node.start, end=node.end)
        return node

    replace_below(item, change)

"""Doubts about objects of classes that have two names: elsewhere a change through one is seen through the other, here it is not.

A variable has an object for itself if it was made there and is not put anywhere before it is used again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.tree.walking import bound_names, children, root_of, walk
from analysis.fixes.dialect.typing.program import Program

_CLASS: Final = re.compile(
    r"\bclass[ \t]{1,9}([A-Z]\w{0,60})|^[ \t]*([A-Z]\w{0,60})[ \t]*=[ \t]*(?:Struct\.new|Data\.define)\b", re.MULTILINE
)
_WITH_MARKS: Final = re.compile(r"(?:(\bdata|\bcase|@dataclass(?:\([^\n)]{0,60}\))?)\s{1,9})?\bclass[ \t]{1,9}([A-Z]\w{0,60})")
"""Classes, with what stands before those whose objects are equal if their fields are."""
_GO: Final = re.compile(r":= |\bfunc\b")
_POINTER: Final = re.compile(r"(?:[\]) ]\*|&)([A-Z]\w{0,60})")
_OBJECT: Final = re.compile(r"\b(?:interface|type)[ \t]{1,9}([A-Z]\w{0,60})")
"""Types of Go that have pointers; types of TypeScript, whose values are all objects."""
_OF_VALUES: Final = re.compile(r"#include|\bstd::")
"""Marks of C++, where a class is a value."""


def shared_classes(program: Program) -> frozenset[str]:
    """The classes of a program whose objects change."""
    if _OF_VALUES.search(program.source) is not None:
        return frozenset()
    declared = [name for names in _CLASS.findall(program.source) for name in names]
    if _GO.search(program.source) is not None:
        declared += _POINTER.findall(program.source)
    if program.habit == "javascript":
        declared += _OBJECT.findall(program.source)
    names = {name for name in declared if name in program.records}
    if not names:
        return frozenset()
    changed = {
        _class_of(node.target.object.ty)
        for function in program.definitions.values()
        for node in walk(function.body)
        if isinstance(node, n.Assign) and isinstance(node.target, n.Member)
    }
    for (owner, _), written in program.methods.items():
        if written in program.changing or written in program.references:
            changed.add(owner)
    return frozenset(names & changed)


def compared_by_identity(program: Program, node: n.Binary) -> bool:
    """True if `==` of two values asks in the program's language whether they are one object: there equal ones may differ."""
    kind = head(node.left.ty)
    is_strict = "==" in program.source[node.left.end : node.right.start].replace("==", "=", 1)
    if kind == "List" or kind in program.objects:
        return program.habit == "javascript" and is_strict
    if kind not in program.records or _OF_VALUES.search(program.source) is not None:
        return False
    return kind in _plain_classes(program.source)


@lru_cache(maxsize=4)
def _plain_classes(source: str) -> frozenset[str]:
    """The classes of a text whose objects are equal only to themselves."""
    return frozenset(name for marks, name in _WITH_MARKS.findall(source) if not marks)


def doubts_of_sharing(item: n.Item, classes: frozenset[str], program: Program) -> Iterator[tuple[str, str]]:
    """A word and a doubt for a function that changes an object which something else may hold."""
    functions = [item] if isinstance(item, n.Function) else item.functions if isinstance(item, n.Implementation) else []
    for function in functions if classes else []:
        name = _Sharing(function, classes, program).shared()
        if name:
            yield name, f"`{name}` may be an object that something else holds, too: there a change would be seen"


def _class_of(kind: Type | None) -> str:
    """The name of a type, of an Option what is inside."""
    return head(argument(kind)) if head(kind) == "Option" else head(kind)


class _Sharing:
    """One function; `kinds` are the classes of its variables."""

    def __init__(self, function: n.Function, classes: frozenset[str], program: Program) -> None:
        self.classes, self.program = classes, program
        self.parents: dict[int, n.Node] = {}
        self.nodes = list(walk(function.body))
        for node in [function.body, *self.nodes]:
            for child in children(node):
                self.parents.setdefault(id(child), node)
        self.uses: dict[str, list[n.Name]] = {}
        for node in self.nodes:
            # A name of no width was written by a rewriting that hands a changed object back.
            if isinstance(node, n.Name) and _class_of(node.ty) in classes and node.start < node.end:
                self.uses.setdefault(node.name, []).append(node)

    def shared(self) -> str:
        """A variable whose object may have another name, and that is changed or used after it got it; "" for none."""
        aliased = {name for node in self.nodes for name in self._aliases(node)}
        changed = {name for node in self.nodes for name in self._changes(node)}
        handed = {name for node in self.nodes if (name := self._handed(node))}
        for name in (*self.uses, *sorted(handed)):
            if name in (aliased | handed) & changed:
                return name
        if item := self._put_elsewhere():
            return item
        for name, uses in self.uses.items():
            places = [use.start for use in uses if self._escapes(use)]
            if places and any(use.start > min(places) for use in uses):
                return name
        return ""

    def _put_elsewhere(self) -> str:
        """The list or map of which an item is put into another one, before objects are changed; "" for none."""
        last = max((node.start for node in self.nodes for name in self._changes(node) if name), default=-1)
        for node in self.nodes:
            if isinstance(node, n.Index) and node.start < last and _class_of(node.ty) in self.classes:
                parent = self.parents.get(id(node))
                if isinstance(parent, (n.ListOf, n.MapOf, n.RecordOf, n.TupleOf)):
                    return root_of(node)
        return ""

    def _aliases(self, node: n.Node) -> Iterator[str]:
        """The variables that a node gives an object which was not made there."""
        match node:
            case n.Let(pattern=n.TuplePattern(items=parts), value=n.TupleOf(items=values)):
                for part, value in zip(parts, values, strict=False):
                    yield from () if self._is_made(value) else bound_names(part)
            case n.Let(pattern=pattern, value=value) | n.LetCondition(pattern=pattern, value=value):
                yield from () if value is None or self._is_made(value) else bound_names(pattern)
            case n.Assign(target=n.Name(name=name), value=value) if not node.operator and not self._is_made(value):
                yield name
            case n.For(pattern=pattern):
                yield from bound_names(pattern)

    def _handed(self, node: n.Node) -> str:
        """The variable for a list or a map that a method gives, which may be one of its object's fields; "" for none."""
        if not isinstance(node, n.Let) or not isinstance(node.pattern, n.Binding) or not isinstance(node.value, n.Call):
            return ""
        function = node.value.function
        owner = head(function.object.ty) if isinstance(function, n.Member) else ""
        name = function.name if isinstance(function, (n.Member, n.Name)) else ""
        is_method = (owner, name) in self.program.methods or name in self.program.methods.values()
        return node.pattern.name if is_method and head(node.value.ty) in ("List", "Map") else ""

    def _is_made(self, value: n.Expr) -> bool:
        """True for the call of a constructor, and of a function that is given no object."""
        if isinstance(value, (n.RecordOf, n.Literal)):
            return True
        if not isinstance(value, n.Call) or not isinstance(value.function, n.Name):
            return False
        word = value.function.name
        makes = word in self.program.records or word in {f for (_, name), f in self.program.methods.items() if name == "new"}
        return makes or not any(self._holds_object(each.value.ty) for each in value.arguments)

    def _holds_object(self, kind: Type | None) -> bool:
        waiting = [kind] if kind is not None else []
        while waiting:
            current = waiting.pop().resolved()
            if current.name in self.program.records:
                return True
            waiting += current.arguments
        return False

    def _changes(self, node: n.Node) -> Iterator[str]:
        if isinstance(node, n.Assign) and isinstance(node.target, (n.Member, n.Index)):
            yield root_of(node.target)
        if not isinstance(node, n.Call):
            return
        if node.operation is not None and node.operation.mutates and node.operands:
            yield root_of(node.operands[0])
        if isinstance(node.function, n.Member):
            method = self.program.methods.get((_class_of(node.function.object.ty), node.function.name), "")
            if method in self.program.changing or method in self.program.references:
                yield root_of(node.function.object)
        elif isinstance(node.function, n.Name):
            given = self.program.references.get(node.function.name)
            places = given.places if given is not None else (0,) if node.function.name in self.program.changing else ()
            for place in places:
                if place < len(node.arguments):
                    yield root_of(node.arguments[place].value)

    def _escapes(self, use: n.Name) -> bool:
        """True if a use puts an object into another one, a collection or a variable."""
        parent = self.parents.get(id(use))
        if isinstance(parent, n.Argument):
            call = self.parents.get(id(parent))
            if not isinstance(call, n.Call):
                return False
            if isinstance(call.function, n.Name):
                return call.function.name in self.program.records or self._keeps(call.function.name, call, parent)
            return isinstance(call.function, n.Member) and self._is_put(call)
        if isinstance(parent, n.Assign):
            return parent.value is use and not (isinstance(parent.target, n.Name) and parent.target.name == use.name)
        return isinstance(parent, (n.Let, n.ListOf, n.MapOf, n.RecordOf, n.TupleOf))

    def _keeps(self, name: str, call: n.Call, argument: n.Argument) -> bool:
        """True if a constructor or a method of the program is given an object besides what it is called on."""
        is_method = name in self.program.methods.values()
        return is_method and call.arguments[:1] != [argument]

    def _is_put(self, call: n.Call) -> bool:
        if call.operation is not None:
            return call.operation.mutates
        return isinstance(call.function, n.Member) and (head(call.function.object.ty), call.function.name) in self.program.methods


__all__ = ["compared_by_identity", "doubts_of_sharing", "shared_classes"]

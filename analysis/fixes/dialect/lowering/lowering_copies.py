"""Copies of the program's own functions for the closures and types that they are called with.

A closure that uses variables around it cannot be passed on in `.ax`: the function that takes it is written anew with the closure
in it. So is a function for values of any type that has no form here for all of them.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.lowering.lowering import Lowering
from analysis.fixes.dialect.lowering.writer import Code
from analysis.fixes.dialect.reading.scanner import Comment
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, instantiated, is_known, unify, written
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, rewritten, walk
from analysis.fixes.dialect.typing.inference import Inference
from analysis.fixes.dialect.typing.program import Program, declare

_MOST_COPIES: Final = 40
_DEEPEST: Final = 8


class Copies(Lowering):
    """`templates` are the functions that are written for each call only."""

    def __init__(self, program: Program, comments: list[Comment]) -> None:
        super().__init__(program, comments)
        self.templates: set[str] = set()
        self._copies: dict[tuple[object, ...], str] = {}
        self._depth = 0

    def copied(self) -> set[object]:
        """Names of the functions that were written for a call at least once."""
        return {key[0] for key in self._copies}

    def can_write(self, function: n.Function) -> bool:
        """True if a function can be written for values of any type; leaves nothing behind."""
        kept = dict(self._renamed), dict(self._captured), dict(self._locals), dict(self._copies), dict(self.added.records)
        functions, guesses, helpers = len(self.added.functions), len(self.added.guesses), dict(self.helpers)
        try:
            self.function_text(deepcopy(function))
        except Untranslatable:
            return False
        finally:
            self.helpers = helpers
            self._renamed, self._captured, self._locals, self._copies, self.added.records = kept
            del self.added.functions[functions:], self.added.guesses[guesses:]
        return True

    def call(self, node: n.Call, expected: Type | None) -> Code:
        """A call of the program's own function, or of a copy of it that is made for the call."""
        if isinstance(node.function, n.Name) and node.operation is None:
            definition = self.program.pristine.get(node.function.name)
            if definition is not None and len(node.arguments) == len(definition.parameters):
                places = [place for place, each in enumerate(node.arguments) if self._is_closure(each.value)]
                is_template = node.function.name in self.templates
                if is_template or any(self._needs_copy(node.arguments[place].value) for place in places):
                    return super().call(self._specialised(node, definition, places), expected)
        return super().call(node, expected)

    def _is_closure(self, value: n.Expr) -> bool:
        if isinstance(value, (n.Lambda, n.OperatorFunction)):
            return True
        return (
            isinstance(value, n.Member) and isinstance(value.object, n.Name) and value.object.name[:1].isupper() and not value.ty
        )

    def _needs_copy(self, function: n.Expr) -> bool:
        if not isinstance(function, n.Lambda):
            return True
        return bool(self._outer_of(function)) or not is_known(function.ty)

    def _outer_of(self, function: n.Lambda) -> list[str]:
        names = {each for part in function.parameters for each in bound_names(part)}
        body = function.body if isinstance(function.body, n.Block) else n.Block([n.Evaluate(function.body)])
        return self._outer_names(n.Function("", [], None, body), names)

    def _specialised(self, node: n.Call, definition: n.Function, places: list[int]) -> n.Call:
        functions = [node.arguments[place].value for place in places]
        outer: list[str] = []
        for function in functions:
            if isinstance(function, n.Lambda):
                outer += [name for name in self._outer_of(function) if name not in outer]
        kinds = tuple(written(each.value.ty) for place, each in enumerate(node.arguments) if place not in places)
        key = (definition.name, tuple(places), kinds, tuple(outer), "".join(map(_fingerprint, functions)))
        name = self._copies.get(key)
        if name is None:
            if len(self._copies) >= _MOST_COPIES or self._depth >= _DEEPEST:
                raise Untranslatable("functions that take ever new closures", node.start)
            name = self._copies[key] = self._free_function(f"{definition.name}_with")
            self._depth += 1
            self._write_copy(name, node, definition, places, outer)
            self._depth -= 1
        rest = [each for at, each in enumerate(node.arguments) if at not in places]
        rest += [n.Argument(n.Name(each, ty=self._locals.get(each))) for each in outer]
        return n.Call(n.Name(name), rest, start=node.start, end=node.end, ty=node.ty)

    def _write_copy(self, name: str, node: n.Call, definition: n.Function, places: list[int], outer: list[str]) -> None:
        copied = deepcopy(definition)
        _with_types(copied, [each.value.ty for each in node.arguments], node.ty)
        bound = {each for part in walk(copied.body) if isinstance(part, n.Pattern) for each in bound_names(part)}
        if any(copied.parameters[place].name in bound for place in places):
            raise Untranslatable("a closure whose name is given anew", node.start)
        own = bound | {each.name for each in copied.parameters}
        _rename(copied, {each: _free(each, own | set(outer)) for each in own & set(outer)})
        given = {copied.parameters[place].name: node.arguments[place].value for place in places}

        def in_place(part: n.Node) -> n.Node:
            return deepcopy(given[part.name]) if isinstance(part, n.Name) and part.name in given else part

        body = rewritten(copied.body, in_place)
        assert isinstance(body, n.Block)
        copied.body = body
        copied.parameters = [each for at, each in enumerate(copied.parameters) if at not in places]
        copied.parameters += [n.Parameter(each, self._locals.get(each)) for each in outer]
        copied.name = name
        declare(self.program, copied)
        inference = Inference(self.program)
        for guesses in (False, True):
            inference.guesses = guesses
            inference.function(copied)
        self.added.functions.append(self.function_text(copied, name))


def _with_types(function: n.Function, kinds: list[Type | None], result: Type | None) -> None:
    """Gives a function for values of any type the types of a call."""
    fresh = {name: Type() for name in function.generics}
    function.generics = []
    for part, kind in zip(function.parameters, kinds, strict=True):
        part.type = instantiated(part.type, fresh) if part.type is not None else Type()
        if head(kind) and head(kind) != "Fn":
            unify(part.type, kind)
    if function.result is not None:
        function.result = instantiated(function.result, fresh)
        unify(function.result, result)
    for node in walk(function.body):
        if isinstance(node, (n.Let, n.Binding)) and node.type is not None:
            node.type = instantiated(node.type, fresh)


def _rename(function: n.Function, names: dict[str, str]) -> None:
    for node in [function, *walk(function.body), *function.parameters]:
        if isinstance(node, (n.Name, n.Binding, n.Parameter)) and node.name in names:
            node.name = names[node.name]


def _free(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def _fingerprint(function: n.Expr) -> str:
    """Text that is equal for closures that differ only in their positions."""
    parts = []
    for node in walk(function):
        words = (getattr(node, word, "") for word in ("name", "text", "operator", "kind", "owner"))
        parts.append(f"{type(node).__name__}({','.join(map(str, words))})")
    return "".join(parts)

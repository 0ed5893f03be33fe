"""Calls of functions that give back what was passed to them by reference."""

from __future__ import annotations

from analysis.fixes.dialect.lowering.lowering_for import ForLoops
from analysis.fixes.dialect.lowering.writer import Code
from analysis.fixes.dialect.rewriting.functions.reference_parameters import is_read_besides
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable


class References(ForLoops):
    """A call gives the changed values to the places that were passed, before the statement at hand."""

    def _chained(self, node: n.Call, code: Code) -> Code:
        """A method that gives the object that it has changed: so is the variable that holds it, also behind other such calls."""
        target = node.arguments[0].value if node.arguments else None
        while isinstance(target, n.Call) and target.arguments and isinstance(target.function, n.Name):
            given = self.program.references.get(target.function.name)
            if given is None or not given.is_value or target.operation is not None:
                break
            target = target.arguments[0].value
        if not isinstance(target, (n.Name, n.Member, n.Index)):
            return code
        self.check_parameter(target)
        whole = self.fresh("given")
        self.before.append(f"let {whole} = {code.text}")
        self.before += self.assigned(target, whole)
        return Code(whole)

    def _place_behind(self, target: n.Expr) -> n.Expr:
        """`accounts.get("a")` as the entry; any other value as it is."""
        is_asked = isinstance(target, n.Call) and target.operation is not None
        entry = self.place_of(target) if is_asked else target
        return entry if isinstance(entry, (n.Name, n.Member, n.Index)) else target

    def call(self, node: n.Call, expected: Type | None) -> Code:
        code = super().call(node, expected)
        given = self.program.references.get(node.function.name) if isinstance(node.function, n.Name) else None
        if given is None or node.operation is not None:
            return code
        if self.function is not None and is_read_besides(node, self.function, self.program.references):
            raise Untranslatable("a value that a call changes is read in the same expression", node.start)
        if given.is_value:
            return self._chained(node, code)
        count = given.has_result + len(given.places)
        whole = self.fresh("given")
        self.before.append(f"let {whole} = {code.text}")
        for number, place in enumerate(given.places, given.has_result):
            target = self._place_behind(node.arguments[place].value) if place < len(node.arguments) else None
            if not isinstance(target, (n.Name, n.Member, n.Index)):
                # A value without a place: nobody sees it changed, unless something else holds it.
                if isinstance(target, n.Call) and target.operation is not None:
                    self.guess(whole, "what is changed may be an item of something that keeps the old one")
                continue
            self.check_parameter(target)
            self.before += self.assigned(target, whole if count == 1 else f"{whole}.{self.tuple_field(number)}")
        return Code(f"{whole}.{self.tuple_field(0)}" if given.has_result else "{}")

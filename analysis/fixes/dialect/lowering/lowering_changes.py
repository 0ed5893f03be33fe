"""Methods that change what an Option holds: `accounts["a"]?.deposit(5)`, `accounts["a"]!.deposit(5)` as statements."""

from __future__ import annotations

from analysis.fixes.dialect.lowering.lowering_enum_keys import EnumKeys
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable


class Changes(EnumKeys):
    """Write-back of a changed value to the variable or the map entry that holds it."""

    def _evaluate(self, node: n.Expr, expected: Type | None) -> list[str]:
        if isinstance(node, n.Call) and id(node) in self._unused:
            self._take_entry(node)
            if (body := self._changing(node)) is not None:
                return self._changed_inside(node, body)
        return super()._evaluate(node, expected)

    def _take_entry(self, node: n.Call) -> None:
        """`accounts["a"]!.deposit(5)`: the entry is the place that changes."""
        name = node.function.name if isinstance(node.function, n.Name) else ""
        target = node.arguments[0].value if node.arguments else None
        if node.operation is not None or name not in self.program.changing or not isinstance(target, n.Call):
            return
        is_taken = target.operation is not None and target.operation.template == "option_unwrap({0})"
        held = target.operands[0] if is_taken else None
        if isinstance(held, n.Index) and head(held.object.ty) == "Map":
            kind = argument(held.object.ty, 1)
            node.arguments[0].value = n.Index(held.object, held.index, start=held.start, end=held.end, ty=kind)

    def _changing(self, node: n.Call) -> n.Call | None:
        """The call inside of `value?.method(…)` that changes what is there; None for every other one."""
        if node.operation is None or node.operation.kind != "Option" or node.operation.name != "map":
            return None
        closure = node.operands[-1]
        body = closure.body if isinstance(closure, n.Lambda) else None
        if not isinstance(body, n.Call) or not isinstance(closure, n.Lambda) or len(closure.parameters) != 1:
            return None
        changes = isinstance(body.function, n.Name) and body.function.name in self.program.changing
        return body if changes or (body.operation is not None and body.operation.mutates) else None

    def _changed_inside(self, node: n.Call, body: n.Call) -> list[str]:
        closure, place = node.operands[-1], node.operands[0]
        held = closure.parameters[0] if isinstance(closure, n.Lambda) else None
        is_plain = body.operation is None or "{0}" in body.operation.template
        if not isinstance(held, n.Binding) or not is_plain:
            raise Untranslatable("a value that is changed in place", node.start)
        if isinstance(place, n.Name):
            return self.assigned(place, self.value(node))
        if not isinstance(place, n.Index) or head(place.object.ty) != "Map":
            raise Untranslatable("a value that is changed in place", node.start)
        self.check_parameter(place)
        entry = n.Index(place.object, place.index, start=place.start, end=place.end, ty=argument(place.object.ty, 1))
        with self.captured() as before:
            value = self.value(body)
            lines = [*before, *self.assigned(entry, value)]
        key = self.key(place.index)
        lookup = f"__builtin_map_get({self.value(place.object)}, {key})"
        return [f"match {lookup} {{ Some({held.name}) => {{ {chr(10).join(lines)} }}, None => {{}} }}"]

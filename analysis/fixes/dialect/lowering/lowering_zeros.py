"""Zeros: what entries of maps that are absent, variables without a value and fields that are left out hold in some languages."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.lowering.lowering_references import References
from analysis.fixes.dialect.lowering.writer import ANY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.suggestions.lexicon import operations

_ZEROS: Final = {"Int": "0", "Float": "0.0", "String": '""', "Bool": "false", "List": "[]", "Map": "map_new()", "Option": "None"}
_GROWING: Final = ("+", "-", "++")
_MOST_NESTED: Final = 8


class Zeros(References):
    """Reads of absent entries, and changes of them."""

    def zero(self, kind: Type | None, depth: int = 0) -> str:
        """The zero of a type; of a record one of zeros."""
        name = head(kind)
        if name in _ZEROS:
            return _ZEROS[name]
        record = self.program.records.get(name)
        if record is None or depth > _MOST_NESTED:
            raise Untranslatable(
                f"a value of type {name or 'unknown'} that is absent", self.function.start if self.function else 0
            )
        parts = [
            f"{field}: {self.value(record.defaults[field], part) if field in record.defaults else self.zero(part, depth + 1)}"
            for field, part in record.fields.items()
        ]
        return f"{name} {{ {', '.join(parts)} }}"

    def any_value(self, kind: Type | None, depth: int = 0) -> str:
        """Some value of a type, for a place that is never reached; "" where none can be told."""
        name = head(kind)
        if name == "Result":
            good = self.any_value(argument(kind), depth + 1)
            bad = "" if good else self.any_value(argument(kind, 1), depth + 1)
            return f"Ok({good})" if good else f"Err({bad})" if bad else ""
        enum = self.program.enums.get(name)
        if enum is not None and depth <= _MOST_NESTED:
            for variant in sorted(enum.variants, key=lambda each: len(each.payload)):
                parts = [self.any_value(part, depth + 1) for part in variant.payload[:1]]
                if len(variant.payload) < 2 and all(parts):
                    return f"{name}::{variant.name}" + (f"({parts[0]})" if parts else "")
            return ""
        try:
            return self.zero(kind, depth)
        except Untranslatable:
            return ""

    def write_panic(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        is_text = isinstance(operands[0], n.Interpolated) or (isinstance(operands[0], n.Literal) and operands[0].kind == "string")
        label = self.value(operands[0]) if is_text else '"stopped"'
        return Code(f"__builtin_guard({self.any_value(expected) or '{}'}, false, {label})")

    def write_zero(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return Code(self.zero(node.ty))

    def write_map_or_zero(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        owner, key = self.value(operands[0]), self.key(operands[1])
        zero = self.zero(argument(operands[0].ty, 1))
        return Code(f"match __builtin_map_get({owner}, {key}) {{ Some({name}) => {name}, None => {zero} }}", ANY)

    def _index(self, node: n.Index) -> Code:
        if head(node.object.ty) == "Map" and self.program.has_zeros and not node.may_be_absent:
            return self.write_map_or_zero([node.object, node.index], node, None)
        return super()._index(node)

    def _assign(self, statement: n.Assign) -> list[str]:
        target = statement.target
        if not isinstance(target, n.Index) or head(target.object.ty) != "Map" or statement.operator not in _GROWING:
            return super()._assign(statement)
        if head(argument(target.object.ty, 1)) not in ("Int", "Float", "String", "List"):
            return super()._assign(statement)
        # `m[k] += 1` is written where an entry that is absent counts as nothing: elsewhere it would fail.
        before = n.Call(n.Member(target.object, "value_or_zero"), [], start=target.start, end=target.end, ty=target.ty)
        before.operation = operations()["Map", "value_or_zero", 1]
        before.operands = [target.object, target.index]
        value = n.Binary(statement.operator, before, statement.value, start=statement.start, end=statement.end, ty=target.ty)
        return self.assigned(target, self.value(value, target.ty))

    def _record(self, node: n.RecordOf, expected: Type | None) -> Code:
        record = self.program.records.get(node.name or head(expected))
        if record is not None and _is_default(node.base):
            node.base, fills = None, True
        else:
            fills = self.program.has_zeros
        if record is not None and fills and node.base is None:
            for field, kind in record.fields.items():
                if field not in node.fields and field not in record.defaults:
                    node.fields[field] = n.Name(self.zero(kind), start=node.end, end=node.end, ty=kind)
        return super()._record(node, expected)

    def _declared(self, pattern: n.Pattern, kind: Type | None) -> list[str]:
        held = kind or (pattern.type if isinstance(pattern, n.Binding) else None)
        if isinstance(pattern, n.Binding) and head(held) in self.program.records:
            self.used.add(pattern.name)
            return [f"let mut {self.spelled(pattern.name)} = {self.zero(held)}"]
        return super()._declared(pattern, kind)


def _is_default(node: n.Expr | None) -> bool:
    """`..Default::default()`."""
    function = node.function if isinstance(node, n.Call) else None
    return isinstance(function, n.Path) and function.owner == "Default" and function.name == "default"

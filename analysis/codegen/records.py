"""Records, fields and variants (chapter 07 section 9), fields by name (chapter 26 S8)."""

from __future__ import annotations

from analysis.codegen import tool_calls
from analysis.codegen.index import TypePlace
from analysis.codegen.output import MOST, UNIT, Output
from analysis.codegen.want import Want
from analysis.syntax import tree as t


def field_access(out: Output, node: t.FieldAccess, _: Want) -> None:
    """`object.name`: the instruction carries a position where all records that have the field agree on it."""
    out.value(node.object)
    positions = out.meanings.fields.get(node.name, ())
    if len(positions) > 1:
        out.emit(("GetNamed", out.constant(("String", node.name))), node)
    else:
        _get_field(out, positions[0] if positions else 0, node.name, node)


def _get_field(out: Output, position: int, name: str, node: t.Node) -> None:
    index = out.emit(("GetField", position % 256), node)
    out.field_names.append((index, name))


def record_literal(out: Output, node: t.RecordLiteral, _: Want) -> None:
    """`T { … }`: fields in source order, stored in declared order."""
    place = out.meanings.types.get(node.name)
    is_record = place is not None and not place.fact.is_enum
    names = [name for name, _ in place.fact.members] if place is not None and is_record else []
    count = len(names) if node.spread is not None else len(node.fields)
    if node.spread is None:
        _check_count(out, count, node)
    if place is None or not is_record:
        _anonymous(out, node)
    elif node.spread is not None:
        _spread(out, node, place, names)
    elif [written.name for written in node.fields] == names:
        for written in node.fields:
            out.value(written.value)
        out.emit(("MakeRecord", place.number, count), node)
    else:
        _check_count(out, len(names), node)
        slots = _evaluated(out, node)
        for name in names:
            _load(out, slots.get(name), node)
        out.emit(("MakeRecord", place.number, len(names)), node)


def _check_count(out: Output, count: int, node: t.Node) -> None:
    if count > MOST:
        out.refuse(f"record literal has {count} fields; max {MOST}", node)


def _evaluated(out: Output, node: t.RecordLiteral) -> dict[str, int]:
    """Evaluates all written fields in order; returns the slots of their values, for a repeated name the last one."""
    slots: dict[str, int] = {}
    for written in node.fields:
        out.value(written.value)
        slot = slots[written.name] = out.slot()
        out.emit(("StoreLocal", slot), written)
    return slots


def _load(out: Output, slot: int | None, node: t.Node) -> None:
    if slot is None:
        out.push(UNIT, node)
    else:
        out.emit(("LoadLocal", slot), node)


def _anonymous(out: Output, node: t.RecordLiteral) -> None:
    """A literal of no known record type: a record that knows its field names itself."""
    if node.spread is not None:
        out.effect(node.spread)
        _check_count(out, len(node.fields), node)
    slots = _evaluated(out, node)
    for slot in slots.values():
        out.emit(("LoadLocal", slot), node)
    out.emit(("MakeAnonymous", out.constant(("String", ",".join(slots))), len(slots)), node)


def _spread(out: Output, node: t.RecordLiteral, place: TypePlace, names: list[str]) -> None:
    assert node.spread is not None
    out.value(node.spread)
    base = out.slot()
    out.emit(("StoreLocal", base), node.spread)
    _check_count(out, len(names), node)
    written = [field.name for field in node.fields]
    if written == [name for name in names if name in written]:
        # In declared order, each once, all known: evaluated where they are stored.
        values = {field.name: field.value for field in node.fields}
        for position, name in enumerate(names):
            if name in values:
                out.value(values[name])
            else:
                _from_base(out, base, position, name, node)
    else:
        slots = _evaluated(out, node)
        for position, name in enumerate(names):
            if name in slots:
                _load(out, slots[name], node)
            else:
                _from_base(out, base, position, name, node)
    out.emit(("MakeRecord", place.number, len(names)), node)


def _from_base(out: Output, base: int, position: int, name: str, node: t.RecordLiteral) -> None:
    assert node.spread is not None
    out.emit(("LoadLocal", base), node.spread)
    _get_field(out, position, name, node.spread)


def variant_literal(out: Output, node: t.VariantLiteral, _: Want) -> None:
    """`E::V` and `E::V(payload)`."""
    if tool_calls.variant(out, node):
        return
    place = out.meanings.types.get(node.enum)
    position = _position(out, node, place)
    if node.payload is None:
        out.push(UNIT, node)
    else:
        out.value(node.payload)
    if place is not None:
        out.emit(("MakeEnum", place.number, position), node)


def _position(out: Output, node: t.VariantLiteral, place: TypePlace | None) -> int:
    """The variant's number within its enum."""
    if place is None:
        out.refuse(f"unknown enum: {node.enum}", node)
        return 0
    if not place.fact.is_enum:
        out.refuse(f"'{node.enum}' is not an enum", node)
        return 0
    variants = [name for name, _ in place.fact.members]
    if node.variant not in variants:
        out.refuse(f"enum '{node.enum}' has no variant '{node.variant}'", node)
        return 0
    position = variants.index(node.variant)
    if position > MOST:
        out.refuse(f"enum has {position} variants; max {MOST}", node)
    return position

"""Writes operations that give a value and do nothing else: arithmetic, comparisons, texts, lists, records.

Where the kinds of the operands are known, in Python's own operators; else by the functions of `builtins`, or after a test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.bytecode.module import Op
from boruna_ls.runtime import builtins
from boruna_ls.runtime.translator import transfer
from boruna_ls.runtime.translator.block import is_atom, joined_text
from boruna_ls.runtime.translator.effects import Effects
from boruna_ls.runtime.translator.facts import BOOL, FLOAT, INT, LIST, MAP, RECORD, TEXT, Fact
from boruna_ls.runtime.translator.graph import CALLS, effect
from boruna_ls.runtime.translator.lines import Site
from boruna_ls.runtime.translator.transfer import COMPARISONS, is_int
from boruna_ls.runtime.translator.walk import Entry
from boruna_ls.runtime.values import INT_MAX, INT_MIN, LIST_HEAD, enum_head

HAPPENINGS: Final = CALLS | {
    "CapCall", "EmitUi", "SendMsg", "SpawnActor", "StoreGlobal", "Debug", "DebugMsg", "Assert", "GuardSeal", "ReceiveMsg"
}  # fmt: skip
"""Operations that may not be executed twice."""
_SIGNS: Final = {"Add": "+", "Sub": "-", "Mul": "*", "Lt": "<", "Lte": "<=", "Gt": ">", "Gte": ">=", "Eq": "==", "Neq": "!="}
_SCALARS: Final = (INT, BOOL, FLOAT, TEXT)
_SAFE: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(("StringLen", "StringToUpper", "StringToLower", "StringTrim", "IntParse", "FloatParse"), (TEXT,)),
    **dict.fromkeys(("ParseInt", "TryParseInt"), (TEXT,)),
    **dict.fromkeys(("StrContains", "StringContains", "StrStartsWith", "StringStartsWith", "StringEndsWith"), (TEXT, TEXT)),
    **dict.fromkeys(("ListHead", "ListTail", "ListReverse"), (LIST,)),
    **dict.fromkeys(("MapKeys", "MapValues", "MapLen"), (MAP,)),
    "FloatToString": (FLOAT,),
    "MapGet": (MAP, TEXT),
    "MapContainsKey": (MAP, TEXT),
}
"""Operations that cannot fail with operands of these kinds and depend on nothing else: they stay expressions."""


class BlockWriter(Effects):
    """Writes one block."""

    def operation(self, op: Op) -> None:
        """Any operation on the values of the stack."""
        name = op[0]
        pops, _ = effect(op)
        # What is put together later is done again from its beginning if it fails, so nothing may happen in between.
        first = 0 if name in HAPPENINGS else len(self.stack) if name == "Concat" else len(self.stack) - pops
        for entry in self.stack[first:]:
            self.settle(entry)
        site = self.site()
        args = self.pop_many(pops)
        writer = _WRITERS.get(name)
        if writer is not None:
            writer(self, op, args, site)
            return
        entry = self.pushed(self.index, op, args)
        needed = _SAFE.get(name)
        call = f"b_{name}({', '.join(arg.text for arg in args)})"
        safe = needed is not None and all(arg.fact.kinds == kind for arg, kind in zip(args, needed, strict=True))
        if safe and name in builtins.UNARY:
            self.result(entry, call)
        else:
            self.result(entry, call, site, at_once=True)

    # -- arithmetic --

    def arithmetic(self, op: Op, args: list[Entry], site: Site) -> None:
        """`+`, `-`, `*`."""
        name = op[0]
        left, right = args
        entry = self.pushed(self.index, op, args)
        text = f"{left.text} {_SIGNS[name]} {right.text}"
        if FLOAT in (left.fact.kinds, right.fact.kinds) and {left.fact.kinds, right.fact.kinds} <= {INT, FLOAT}:
            self.result(entry, f"({text})")
        elif is_int(left.fact) and is_int(right.fact):
            self.result_within(entry, text, _RANGES[name](left.fact, right.fact), site)
        else:
            self._unsure(op, entry, args, site)

    def _unsure(self, op: Op, entry: Entry, args: list[Entry], site: Site) -> None:
        """Operands that need not be Ints: look at run time."""
        tests = [f"type({self.keep(arg, site)}) is int" for arg in args if not is_int(arg.fact)]
        texts = ", ".join(arg.text for arg in args)
        if not all(arg.fact.kinds & INT for arg in args):
            self.result(entry, f"b_{op[0]}({texts})", site, at_once=True)
            return
        name = self.lines.temporary()
        self.lines.open(f"if {' and '.join(tests)}:")
        self.add(f"{name} = {args[0].text} {_SIGNS[op[0]]} {args[1].text}", site)
        self.fail_unless(f"{INT_MIN} <= {name} <= {INT_MAX}", site)
        self.lines.close()
        self.add(f"else: {name} = b_{op[0]}({texts})", site)
        self.result(entry, name)

    def result_within(self, entry: Entry, text: str, bounds: tuple[int, int], site: Site) -> None:
        """An Int that is tested at run time only where it can leave 64 bits."""
        low, high = bounds
        if low >= INT_MIN and high <= INT_MAX:
            self.result(entry, f"({text})", site)
            return
        name = self.lines.temporary()
        self.add(f"{name} = {text}", site)
        if low >= INT_MIN:
            self.fail_if(f"{name} > {INT_MAX}", site)
        elif high <= INT_MAX:
            self.fail_if(f"{name} < {INT_MIN}", site)
        else:
            self.fail_unless(f"{INT_MIN} <= {name} <= {INT_MAX}", site)
        self.result(entry, name)

    def division(self, op: Op, args: list[Entry], site: Site) -> None:
        """`/` and `%`."""
        left, right = args
        entry = self.pushed(self.index, op, args)
        if not (is_int(left.fact) and is_int(right.fact)):
            self.result(entry, f"b_{op[0]}({left.text}, {right.text})", site, at_once=True)
            return
        if right.fact.low <= 0 <= right.fact.high:
            self.fail_if(f"{self.keep(right)} == 0", site)
        if left.fact.low == INT_MIN and right.fact.low <= -1 <= right.fact.high:
            self.fail_if(f"{self.keep(right)} == -1 and {self.keep(left)} == {INT_MIN}", site)
        if left.fact.low >= 0 and right.fact.low >= 0:
            self.result(entry, f"({left.text} {'//' if op[0] == 'Div' else '%'} {right.text})")
        elif op[0] == "Mod" and right.fact.low >= 0:
            a, b = self.keep(left), self.keep(right)
            self.result(entry, f"({a} % {b} if {a} >= 0 else -(-{a} % {b}))")
        else:
            self.result(entry, f"{'truncated' if op[0] == 'Div' else 'remainder'}({left.text}, {right.text})")

    def negation(self, op: Op, args: list[Entry], site: Site) -> None:
        """Unary `-`."""
        (value,) = args
        entry = self.pushed(self.index, op, args)
        if is_int(value.fact):
            self.result_within(entry, f"-{value.text}", (-value.fact.high, -value.fact.low), site)
        elif value.fact.kinds == FLOAT:
            self.result(entry, f"(-{value.text})")
        else:
            self.result(entry, f"b_Neg({value.text})", site, at_once=True)

    # -- comparisons and logic --

    def comparison(self, op: Op, args: list[Entry], site: Site) -> None:
        """`==` and the orders."""
        name = op[0]
        left, right = args
        entry = self.pushed(self.index, op, args)
        kinds = left.fact.kinds
        if kinds == right.fact.kinds and kinds in _SCALARS and not (kinds == BOOL and name not in ("Eq", "Neq")):
            if kinds == FLOAT and name in ("Lte", "Gte"):
                # With NaN, these hold.
                self.result(entry, f"(not {left.text} {'>' if name == 'Lte' else '<'} {right.text})")
            else:
                self.result(entry, f"({left.text} {_SIGNS[name]} {right.text})")
        elif name in ("Eq", "Neq"):
            if kinds and right.fact.kinds and not kinds & right.fact.kinds:
                self.result(entry, str(name == "Neq"))
            else:
                self.result(entry, f"{'not ' if name == 'Neq' else ''}equal({left.text}, {right.text})", site, at_once=True)
        elif kinds & INT and right.fact.kinds & INT:
            tests = [f"type({self.keep(arg, site)}) is int" for arg in args if not is_int(arg.fact)]
            quick = f"{left.text} {_SIGNS[name]} {right.text}"
            text = f"({quick}) if {' and '.join(tests)} else b_{name}({left.text}, {right.text})"
            self.result(entry, text, site, at_once=True)
        else:
            self.result(entry, f"b_{name}({left.text}, {right.text})", site, at_once=True)

    def logic(self, op: Op, args: list[Entry], site: Site) -> None:
        """`!`, `&&`, `||` of values that are there already."""
        entry = self.pushed(self.index, op, args)
        if op[0] == "Not":
            self.result(entry, f"(not {self.condition(args[0])})")
        else:
            sign = "and" if op[0] == "And" else "or"
            self.result(entry, f"({self.truth(args[0])} {sign} {self.truth(args[1])})")

    # -- strings and lists --

    def concat(self, op: Op, args: list[Entry], site: Site) -> None:
        """`++`: pieces are collected and put together at the end."""
        left, right = args
        entry = self.pushed(self.index, op, args)
        if not (left.fact.kinds == TEXT and right.fact.kinds == TEXT):
            self.result(entry, f"b_Concat({left.text}, {right.text})", site, at_once=True)
            return
        begun = left.begun if left.parts else site
        if right.parts:
            self.settle(right)
        parts = [*(left.parts or [left.text]), right.text]
        self.result(entry, joined_text(parts))
        if is_atom(entry.text):
            return
        entry.parts, entry.begun = parts, begun
        if len(parts) > 8:
            self.settle(entry)

    def int_to_string(self, op: Op, args: list[Entry], site: Site) -> None:
        """`__builtin_int_to_string`."""
        entry = self.pushed(self.index, op, args)
        if is_int(args[0].fact):
            self.result(entry, f"str({args[0].text})")
        else:
            self.result(entry, f"b_IntToString({args[0].text})", site, at_once=True)

    def list_len(self, op: Op, args: list[Entry], site: Site) -> None:
        """Length of a list; a test for an empty one."""
        entry = self.pushed(self.index, op, args)
        if args[0].fact.kinds != LIST:
            self.result(entry, f"b_{op[0]}({args[0].text})", site, at_once=True)
        elif op[0] == "ListIsEmpty":
            self.result(entry, f"({self.keep(args[0])}[2] == 0)")
        else:
            self.result(entry, f"{self.keep(args[0])}[2]")

    def list_get(self, op: Op, args: list[Entry], site: Site) -> None:
        """`list_get`."""
        xs, index = args
        entry = self.pushed(self.index, op, args)
        if xs.fact.kinds != LIST or not is_int(index.fact):
            self.result(entry, f"b_ListGet({xs.text}, {index.text})", site, at_once=True)
            return
        bound = (self._cell(index, "local"), self._cell(xs, "local"))
        in_bounds = bound in self.bounds
        items = self.keep(xs)
        if index.fact.low < 0:
            test = f"0 <= {self.keep(index)}" if in_bounds else f"0 <= {self.keep(index)} < {items}[2]"
            self.fail_unless(test, site)
        elif not in_bounds:
            self.fail_if(f"{self.keep(index)} >= {items}[2]", site)
        self.result(entry, f"{items}[1][{index.text}]")

    def list_push(self, op: Op, args: list[Entry], site: Site) -> None:
        """`list_push`."""
        entry = self.pushed(self.index, op, args)
        call = "pushed" if args[0].fact.kinds == LIST else f"b_{op[0]}"
        self.result(entry, f"{call}({args[0].text}, {args[1].text})", site, at_once=True)

    # -- records, enums --

    def make(self, op: Op, args: list[Entry], site: Site) -> None:
        """Records, enums and lists."""
        entry = self.pushed(self.index, op, args)
        texts = ", ".join(arg.text for arg in args)
        match op[0]:
            case "MakeRecord":
                self.result(entry, f"({op[1]}, {texts})" if texts else f"({op[1]},)", site)
            case "MakeAnonymous":
                self.result(entry, f"(A{self.unit.anonymous(op[1])}, {texts})", site)
            case "MakeEnum":
                self.result(entry, f"({enum_head(op[1], op[2])}, {texts})", site)
            case _:
                self.result(entry, f"({LIST_HEAD}, [{texts}], {len(args)})", site, at_once=True)

    def get_field(self, op: Op, args: list[Entry], site: Site) -> None:
        """Access to a field."""
        (record,) = args
        entry = self.pushed(self.index, op, args)
        position = self._position(op, record.fact)
        if position is not None:
            self.result(entry, f"{self.keep(record)}[{position + 1}]")
            return
        if op[0] == "GetNamed":
            name = self.world.program.constants[op[1]]
        else:
            name = self.world.program.field_names[self.number].get(self.index)
        call = f"field({record.text}, {op[1]})" if name is None else f"named_field({record.text}, {name!r})"
        self.result(entry, call, site, at_once=True)

    def _position(self, op: Op, record: Fact) -> int | None:
        """Index of the field, if it is the same in every record that this can be; else None."""
        if record.kinds != RECORD or not record.heads:
            return None
        positions = {transfer.field_position(self.world.program, self.number, self.index, op, head) for head in record.heads}
        position = positions.pop()
        if positions or position is None:
            return None
        return position if all(self.world.has_field(head, position) for head in record.heads) else None


_RANGES: Final = {"Add": transfer.sum_range, "Sub": transfer.difference_range, "Mul": transfer.product_range}
_Writer = Callable[[BlockWriter, Op, list[Entry], Site], None]
_WRITERS: Final[dict[str, _Writer]] = {
    **dict.fromkeys(("Add", "Sub", "Mul"), BlockWriter.arithmetic),
    **dict.fromkeys(("Div", "Mod"), BlockWriter.division),
    "Neg": BlockWriter.negation,
    **dict.fromkeys(COMPARISONS, BlockWriter.comparison),
    **dict.fromkeys(("Not", "And", "Or"), BlockWriter.logic),
    "Concat": BlockWriter.concat,
    "IntToString": BlockWriter.int_to_string,
    **dict.fromkeys(("ListLen", "ListLenBuiltin", "ListIsEmpty"), BlockWriter.list_len),
    "ListGet": BlockWriter.list_get,
    **dict.fromkeys(("ListPush", "ListAppend"), BlockWriter.list_push),
    **dict.fromkeys(("MakeRecord", "MakeAnonymous", "MakeEnum", "MakeList"), BlockWriter.make),
    **dict.fromkeys(("GetField", "GetNamed"), BlockWriter.get_field),
    "Call": BlockWriter.call,
    "CallIndirect": BlockWriter.call_indirect,
    **dict.fromkeys(("EmitUi", "SendMsg", "SpawnActor", "ReceiveMsg", "LoadGlobal", "StoreGlobal"), BlockWriter.effect_call),
    **dict.fromkeys(("Debug", "DebugMsg"), BlockWriter.effect_call),
    "Assert": BlockWriter.assertion,
    "GuardSeal": BlockWriter.seal,
    "CapCall": BlockWriter.capability,
}

"""Arithmetic of numbers with a width by the types that a program writes (`wrapping_mul` of Rust); characters as numbers."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.habits import has_marks, is_marked
from analysis.fixes.dialect.libraries.lua_calls import begins_empty
from analysis.fixes.dialect.libraries.number_limits import BOUNDS
from analysis.fixes.dialect.lowering.lowering_shown import ShownTexts
from analysis.fixes.dialect.lowering.writer import ADD, ANY, MULTIPLY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, Type, head, is_char
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import root_of

_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*"}
_UNSIGNED: Final = ("usize", "u64", "u128")
_GREATEST: Final = "9223372036854775807"
_LEAST: Final = f"(-{_GREATEST} - 1)"


class Widths(ShownTexts):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    def _cast(self, node: n.Cast) -> Code:
        is_unsigned = node.target.resolved().trait.startswith("u") and isinstance(node.value, n.Unary)
        if is_unsigned and head(node.value.ty) == "Int":
            raise Untranslatable("a negative number as one without a sign", node.start)
        kinds = head(node.value.ty), head(node.target)
        if node.is_prefix and kinds == ("String", "Int") and is_char(node.value.ty) and has_marks(self.program.source, "php"):
            # In C and Java it is the number of the character, in PHP what its digit says.
            digit = f"parse_int({self.value(node.value)})"
            if not is_marked(self.program.source, "php"):
                self.guess(digit, "the digit of a character is taken, and its number may be meant")
            return Code(digit)
        return super()._cast(node)

    def assigned(self, target: n.Expr, value: str) -> list[str]:
        """Also a place behind the last item of a table that began empty, as in Lua, where it grows by it."""
        is_item = isinstance(target, n.Index) and self.program.habit == "lua" and head(target.object.ty) == "List"
        if not is_item or not isinstance(target, n.Index) or not begins_empty(self.program.source, root_of(target)):
            return super().assigned(target, value)
        owner = self.value(target.object)
        place = self.named(Code(self._place(target.index, owner, "List")), "place")
        changed = f"{self.library('list_set')}({owner}, {place}, {value})"
        whole = f"if {place} == list_len({owner}) {{ list_push({owner}, {value}) }} else {{ {changed} }}"
        return super().assigned(target.object, whole)

    def _width(self, node: n.Expr) -> str:
        """The type of a number as the program writes it; "" where nothing says it."""
        trait = node.ty.resolved().trait if node.ty is not None else ""
        if trait:
            return trait
        match node:
            case n.Cast():
                return node.target.resolved().trait
            case n.Binary():
                return self._width(node.left) or self._width(node.right)
            case n.Call() if node.operation is not None and node.operation.kind == "Int" and node.operands:
                return self._width(node.operands[0])
        return ""

    def _parts(self, operands: list[n.Expr], node: n.Expr) -> tuple[str, str, str, str]:
        """The sign of an operation, both of its values, and their width; notes a width that nothing says."""
        assert isinstance(node, n.Call)
        assert node.operation is not None
        sign = _SIGNS[node.operation.name.rpartition("_")[2]]
        width = self._width(operands[0]) or self._width(operands[1])
        left, right = self.named(self.lower(operands[0], INT), "left"), self.named(self.lower(operands[1], INT), "right")
        if not width or (width in _UNSIGNED and not (sign == "-" or node.operation.name.startswith("checked"))):
            self.guess(left, f"`{node.operation.name}` is read as that of an Int of 64 bits, and of counts where it subtracts")
        return sign, left, right, width

    def write_wrapping(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        sign, left, right, width = self._parts(operands, node)
        result = Code(f"{left} {sign} {right}", MULTIPLY if sign == "*" else ADD)
        if width not in BOUNDS:
            if width:
                self.guess(left, f"`{left} {sign} {right}` is read as one that keeps within 64 bits")
            return result
        low, high = BOUNDS[width]
        size = high - low + 1
        mod = self.library("int_mod")
        if sign == "*" and width == "u32":
            # The product itself may not fit into 64 bits.
            return Code(f"{mod}({mod}({left} * ({right} / 65536), {size}) * 65536 + {left} * ({right} % 65536), {size})")
        if low == 0:
            return Code(f"{mod}({result.text}, {size})")
        return Code(f"{mod}({result.text} + {-low}, {size}) - {-low}", ADD)

    def _overflows(self, sign: str, left: str, right: str, width: str) -> tuple[str, str, str]:
        """The condition under which a result has no place, and the bounds of the width."""
        low, high = (str(bound) for bound in BOUNDS[width]) if width in BOUNDS else (_LEAST, _GREATEST)
        if width in _UNSIGNED or not width:
            low = "0" if sign == "-" else low
        if sign == "-" and low == "0":
            return f"{left} < {right}", low, high
        if width in BOUNDS and not (sign == "*" and width == "u32"):
            return f"{left} {sign} {right} > {high} || {left} {sign} {right} < {low}", low, high
        if sign == "*":
            whole = self.library("int_abs")
            divisor = f"{self.library('int_max')}({whole}({right}), 1)"
            return f"{whole}({left}) > {high} / {divisor}", low, high
        more = right if sign == "+" else f"-{right}"
        beyond = self.fresh("is_beyond")
        up, down = f"{left} > {high} - ({more})", f"{left} < {low} - ({more})"
        self.before.append(f"let {beyond} = if {more} >= 0 {{ {up} }} else {{ {down} }}")
        return beyond, low, high

    def write_checked(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        sign, left, right, width = self._parts(operands, node)
        condition, _, _ = self._overflows(sign, left, right, width)
        return Code(f"if {condition} {{ None }} else {{ Some({left} {sign} {right}) }}", ANY)

    def write_saturating(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        sign, left, right, width = self._parts(operands, node)
        if sign == "-" and (width in _UNSIGNED or not width or BOUNDS.get(width, (1, 1))[0] == 0):
            return Code(f"{self.library('int_max')}({left} - {right}, 0)")
        if width in BOUNDS:
            return Code(f"{self.library('int_clamp')}({left} {sign} {right}, {BOUNDS[width][0]}, {BOUNDS[width][1]})")
        condition, low, high = self._overflows(sign, left, right, width)
        is_up = {"+": f"{right} > 0", "-": f"{right} < 0", "*": f"({left} > 0) == ({right} > 0)"}[sign]
        return Code(f"if {condition} {{ if {is_up} {{ {high} }} else {{ {low} }} }} else {{ {left} {sign} {right} }}", ANY)

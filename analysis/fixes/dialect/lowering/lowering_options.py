"""Operations on Option and Result as matches."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.lowering.lowering_calls import Calls
from analysis.fixes.dialect.lowering.writer import ANY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_DEFAULTS: Final = {"Int": "0", "Float": "0.0", "String": '""', "Bool": "false", "List": "[]", "Map": "map_new()"}


class Options(Calls):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    def _branches(self, operands: list[n.Expr], arms: str) -> Code:
        return Code(f"match {self.value(operands[0])} {{ {arms} }}", ANY)

    def write_is_some(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._branches(operands, "Some(_) => true, None => false")

    def write_is_none(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._branches(operands, "Some(_) => false, None => true")

    def write_is_ok(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._branches(operands, "Ok(_) => true, Err(_) => false")

    def write_is_error(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._branches(operands, "Ok(_) => false, Err(_) => true")

    def write_option_or(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Some({name}) => {name}, None => {self._inner(operands[1], argument(operands[0].ty))}")

    def write_result_or(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Ok({name}) => {name}, Err(_) => {self._inner(operands[1], argument(operands[0].ty))}")

    def _inner(self, node: n.Expr, expected: Type | None) -> str:
        """A value inside of a branch, with what has to run before it."""
        with self.captured() as before:
            text = self.value(node, expected)
        return "{ " + "\n".join([*before, text]) + " }" if before else text

    def write_option_or_default(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        default = _DEFAULTS.get(head(argument(operands[0].ty)))
        if default is None:
            raise Untranslatable("a default whose type cannot be told", node.start)
        name = self.fresh("value")
        return self._branches(operands, f"Some({name}) => {name}, None => {default}")

    def write_option_or_else(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Some({name}) => {name}, None => {self.branch(operands[1], [], [])}")

    def write_result_or_else(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name, error = self.fresh("value"), self.fresh("error")
        other = self.branch(operands[1], [error], [argument(operands[0].ty, 1)])
        return self._branches(operands, f"Ok({name}) => {name}, Err({error}) => {other}")

    def _wrapped(self, operands: list[n.Expr], some: str, none: str, wrap: str) -> Code:
        name = self.parameter_name(operands[1], "value")
        inner = self.branch(operands[1], [name], [argument(operands[0].ty, 1 if some == "Err" else 0)])
        return self._branches(operands, f"{some}({name}) => {wrap.format(inner)}, {none}")

    def write_option_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._wrapped(operands, "Some", "None => None", "Some({})")

    def write_option_and_then(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._wrapped(operands, "Some", "None => None", "{}")

    def write_option_map_or(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.parameter_name(operands[2], "value")
        inner = self.branch(operands[2], [name], [argument(operands[0].ty)])
        return self._branches(operands, f"Some({name}) => {inner}, None => {self._inner(operands[1], None)}")

    def write_result_map(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._wrapped(operands, "Ok", "Err(error) => Err(error)", "Ok({})")

    def write_result_and_then(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._wrapped(operands, "Ok", "Err(error) => Err(error)", "{}")

    def write_result_map_error(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._wrapped(operands, "Err", "Ok(value) => Ok(value)", "Err({})")

    def write_result_ok(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Ok({name}) => Some({name}), Err(_) => None")

    def write_ok_or(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.fresh("value")
        return self._branches(operands, f"Some({name}) => Ok({name}), None => Err({self._inner(operands[1], None)})")

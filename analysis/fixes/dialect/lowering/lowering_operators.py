"""Operators of other dialects in `.ax`: short circuits, `in`, `??`, `::`, joined and repeated texts, equality of Options."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.lowering.lowering_expressions import Expressions
from analysis.fixes.dialect.lowering.writer import ADD, AND, ANY, COMPARE, CONCAT, EQUAL, MULTIPLY, OR, UNARY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, FLOAT, INT, STRING, Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import OtherMeaning, Untranslatable
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.character_lists import is_text_and_list
from analysis.fixes.dialect.typing.own_operators import OwnOperator, own_operator
from analysis.fixes.dialect.typing.shared_objects import compared_by_identity

_LEVELS: Final = {
    "||": OR, "&&": AND, "==": EQUAL, "!=": EQUAL, "<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "++": CONCAT,
    "+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY, "%": MULTIPLY,
}  # fmt: skip

_KOTLIN: Final = re.compile(r"\bfun \w|\bval \w")
_FAILING: Final = frozenset(("list_get", "option_unwrap", "result_unwrap", "@list_get", "@list_pop", "@reduce", "@option_unwrap"))


class Operators(Expressions):
    """Binary operators."""

    def bounds(self, node: n.Range) -> tuple[str, str]:
        """The first number of a range and the one behind its last."""
        low = self.value(node.low, INT) if node.low is not None else "0"
        if node.high is None:
            raise Untranslatable("a range without an end", node.start)
        if not node.inclusive:
            return low, self.value(node.high, INT, COMPARE + 1)
        if isinstance(node.high, n.Literal) and node.high.text.isdigit():
            return low, str(int(node.high.text) + 1)
        return low, f"{self.value(node.high, INT, ADD)} + 1"

    def _binary(self, node: n.Binary, expected: Type | None) -> Code:
        sign = node.operator
        if (own := own_operator(self.program, node)) is not None:
            return self._own_operator(node, own)
        if sign in ("&&", "||") and self._joins_bits(node):
            joined = self.library("int_and" if sign == "&&" else "int_or")
            return Code(f"{joined}({self.value(node.left)}, {self.value(node.right)})")
        if sign == "||" and head(node.ty) not in ("", "Bool"):
            return self._first_true(node)
        if sign == "&&" and head(node.ty) not in ("", "Bool"):
            return self._last_true(node)
        if sign in ("&&", "||"):
            return self._short_circuit(node)
        if sign == "::":
            return self._cons(node)
        if sign == "@":
            if {head(node.left.ty), head(node.right.ty)} - {"List", ""}:
                raise Untranslatable("`@` joins lists only", node.start)
            return Code(f"__builtin_list_concat({self.value(node.left)}, {self.value(node.right)})")
        if sign == "<>":
            self._guess_unknown(node, "++", "`<>` is read as a joint of texts")
            return self._concatenated(node)
        if sign == "in":
            return self._contained(node)
        if sign == "??":
            return self._or_else(node)
        if sign == "<=>":
            return self._ordered(node)
        if sign == "without":
            return self.lower(node.right)
        if sign == "**":
            return self._power(node)
        left, right = head(node.left.ty), head(node.right.ty)
        if is_text_and_list(node.left.ty, node.right.ty, self.program.is_like_haskell) and sign in ("++", "==", "!="):
            level = CONCAT if sign == "++" else EQUAL
            sides = self.value(node.left, STRING, level), self.value(node.right, STRING, level + 1)
            return Code(f" {sign} ".join(sides), level)
        if (collection := self._joined_collection(node, left, right)) is not None:
            return collection
        if sign == "^" and "String" not in (left, right):
            raise Untranslatable("`^` is a power in some languages and means bits in others", node.start)
        if sign == "+" and "Int" in (left, right) and not self.program.quotes_texts:
            text = node.left if left == "String" else node.right
            if isinstance(text, n.Literal) and text.kind == "string" and self.program.is_character(text):
                self.guess("++", "a number after a character in single quotes is joined to it")
        if sign in ("+", "++", "^") and "String" in (left, right):
            return self._concatenated(node)
        if sign == "+":
            self._guess_unknown(node, "+", "`+` is read as a sum")
        if sign == "*" and {left, right} & {"String", "List"}:
            return self._repeated(node, left, right)
        if sign in ("==", "!=") and "Option" in (left, right):
            return self._equal_option(node)
        if sign in ("==", "!=") and left == right and compared_by_identity(self.program, node):
            self.guess(sign, "objects are compared by what they hold, not by whether they are the same one")
        return self._arithmetic(node, left, right, expected)

    def _joined_collection(self, node: n.Binary, left: str, right: str) -> Code | None:
        """A list or a map with something added or taken away; None if the operands are none."""
        sign = node.operator
        if sign in ("+", "++") and left == "List" and right == head(argument(node.left.ty)) != "List" and right:
            return Code(f"list_push({self.value(node.left)}, {self.value(node.right, argument(node.left.ty))})")
        if left == "Map" and sign == "-" and right != "Map":
            return Code(f"__builtin_map_remove({self.value(node.left)}, {self.key(node.right)})")
        if left == "Map" and right == "Tuple" and sign == "+" and isinstance(node.right, n.TupleOf):
            return self._with_entry(node.left, *node.right.items)
        if left == right == "Map" and sign in ("+", "++"):
            return Code(f"{self.library('map_merge')}({self.value(node.left)}, {self.value(node.right)})")
        if sign in ("+", "++") and "List" in (left, right):
            return Code(f"__builtin_list_concat({self.value(node.left)}, {self.value(node.right)})")
        return None

    def _power(self, node: n.Binary) -> Code:
        self._guess_unknown(node, "int_pow", "`**` is read as that of an Int")
        if head(node.right.ty) == "Float":
            return self._root(node)
        name = self.library("float_pow" if head(node.left.ty) == "Float" else "int_pow")
        return Code(f"{name}({self.value(node.left)}, {self.value(node.right, INT)})")

    def _own_operator(self, node: n.Binary, own: OwnOperator) -> Code:
        """The call of the function that the program defines for an operator."""
        parameter = self.program.functions[own.function].parameters[1]
        call = f"{own.function}({self.value(node.left)}, {self.value(node.right, parameter)})"
        if own.comparison:
            return Code(f"{call} {own.comparison} 0", COMPARE)
        return Code(f"!{call}", UNARY) if own.is_denied else Code(call)

    def _arithmetic(self, node: n.Binary, left: str, right: str, expected: Type | None) -> Code:
        sign = node.operator
        if sign not in _LEVELS:
            raise Untranslatable(f"there is no operator `{sign}`", node.start)
        level = _LEVELS[sign]
        wanted_left = wanted_right = None
        if "Float" in (left, right):
            wanted_left = wanted_right = FLOAT
        elif left == right == "Option":
            wanted_left, wanted_right = argument(node.left.ty), argument(node.right.ty)
        elif left == "Option":
            wanted_left = node.right.ty
        elif right == "Option":
            wanted_right = node.left.ty
        texts = self.value(node.left, wanted_left, level), self.value(node.right, wanted_right, level + 1)
        if sign == "-" and texts[1].startswith("-"):
            texts = texts[0], f"({texts[1]})"
        return Code(f"{texts[0]} {sign} {texts[1]}", level)

    def _ordered(self, node: n.Binary) -> Code:
        """`a <=> b`: -1, 0 or 1."""
        if "String" in (head(node.left.ty), head(node.right.ty)):
            return Code(f"{self.library('string_compare')}({self.value(node.left)}, {self.value(node.right)})")
        if not {head(node.left.ty), head(node.right.ty)} <= {"Int", "Float"}:
            raise Untranslatable("`<=>` of values that have no order", node.start)
        left, right = self.named(self.lower(node.left), "left"), self.named(self.lower(node.right), "right")
        return Code(f"if {left} < {right} {{ -1 }} else {{ if {left} > {right} {{ 1 }} else {{ 0 }} }}", ANY)

    def _short_circuit(self, node: n.Binary) -> Code:
        """`&&` and `||` evaluate both sides here: where the right one can fail, an `if` decides."""
        inner_left = node.left
        if isinstance(inner_left, n.Binary) and inner_left.operator == node.operator:
            # Grouped to the right the conditions nest in their order.
            rest = n.Binary(node.operator, inner_left.right, node.right, start=node.start, end=node.end, ty=BOOL)
            if self.protects and self.can_fail(rest):
                return self._short_circuit(
                    n.Binary(node.operator, inner_left.left, rest, start=node.start, end=node.end, ty=BOOL)
                )
        left = self.lower(node.left, BOOL)
        with self.captured() as before:
            right = self.lower(node.right, BOOL)
        level = _LEVELS[node.operator]
        if not before and not (self.protects and self.can_fail(node.right)):
            return Code(f"{left.at(level)} {node.operator} {right.at(level + 1)}", level)
        inner = "\n".join([*before, right.text])
        if node.operator == "&&":
            return Code(f"if {left.text} {{ {inner} }} else {{ false }}", ANY)
        return Code(f"if {left.text} {{ true }} else {{ {inner} }}", ANY)

    def _root(self, node: n.Binary) -> Code:
        """`x ** 0.5`; there are no other powers with a fraction."""
        if not isinstance(node.right, n.Literal) or node.right.text != "0.5":
            raise Untranslatable("a power with a fraction", node.start)
        return Code(f"{self.library('float_sqrt')}({self.value(node.left, FLOAT)})")

    def _joins_bits(self, node: n.Binary) -> bool:
        """True for `a and b` of two Ints in Kotlin, where no number is a truth."""
        kinds = head(node.left.ty), head(node.right.ty)
        if "Int" not in kinds or _KOTLIN.search(self.program.source) is None:
            return False
        if kinds != ("Int", "Int"):
            raise OtherMeaning("`and` or `or` between a number and another value", node.start)
        return True

    def _last_true(self, node: n.Binary) -> Code:
        """`a && b` between values: `a` where it is empty or zero, else `b`."""
        if head(node.left.ty) != head(node.ty):
            raise OtherMeaning("`&&` between a truth and a value", node.start)
        name = self.named(self.lower(node.left), "value")
        with self.captured() as before:
            right = self.value(node.right, node.ty)
        inner = "\n".join([*before, right])
        return Code(f"if {self.value(n.Name(name, ty=node.left.ty), BOOL)} {{ {inner} }} else {{ {name} }}", ANY)

    def _first_true(self, node: n.Binary) -> Code:
        """`a || b` between values: `b` where `a` is empty or zero; `c && a || b` is a choice by `c`."""
        chosen = node.left
        if isinstance(chosen, n.Binary) and chosen.operator == "&&" and head(chosen.right.ty) == head(node.ty):
            condition = self.value(chosen.left, BOOL)
            with self.captured() as first:
                then = self.value(chosen.right, node.ty)
            with self.captured() as second:
                other = self.value(node.right, node.ty)
            branches = "\n".join([*first, then]), "\n".join([*second, other])
            return Code(f"if {condition} {{ {branches[0]} }} else {{ {branches[1]} }}", ANY)
        name = self.named(self.lower(node.left), "value")
        left = n.Name(name, ty=node.left.ty)
        with self.captured() as before:
            right = self.value(node.right, node.ty)
        inner = "\n".join([*before, right])
        return Code(f"if {self.value(left, BOOL)} {{ {name} }} else {{ {inner} }}", ANY)

    def can_fail(self, node: n.Node, around: tuple[str, ...] = ()) -> bool:
        """True if evaluating an expression can end the run."""
        methods: set[int] = set()
        for part in walk(node):
            if isinstance(part, n.Call):
                methods.add(id(part.function))
            if isinstance(part, n.Index) and not part.may_be_absent:
                return True
            if isinstance(part, n.Member) and id(part) not in methods and self._takes_field_out(part):
                return True
            if isinstance(part, n.Binary) and _takes_out(part):
                return True
            if isinstance(part, n.Binary) and part.operator in ("/", "%") and not isinstance(part.right, n.Literal):
                return True
            if isinstance(part, (n.Call, n.Member)) and part.operation is not None:
                if part.operation.template.split("(")[0] in _FAILING:
                    return True
            elif isinstance(part, n.Call) and isinstance(part.function, n.Name):
                name = part.function.name
                if name in _FAILING or name in around:
                    return True
                definition = self.program.definitions.get(name)
                if definition is not None and len(around) < 4 and self.can_fail(definition.body, (*around, name)):
                    return True
        return False

    def _takes_field_out(self, node: n.Member) -> bool:
        """True if a field is read of what an Option holds."""
        return node.operation is None and not node.optional and head(node.object.ty) == "Option"

    def _cons(self, node: n.Binary) -> Code:
        if head(node.right.ty) == "String":
            return Code(f"{self.value(node.left, STRING, CONCAT)} ++ {self.value(node.right, STRING, CONCAT + 1)}", CONCAT)
        rest = self.value(node.right)
        first = self.value(node.left, argument(node.ty))
        return Code(f"[{first}]") if rest == "[]" else Code(f"__builtin_list_concat([{first}], {rest})")

    def _contained(self, node: n.Binary) -> Code:
        right = head(node.right.ty)
        if isinstance(node.right, n.Range):
            name = self.named(self.lower(node.left), "value")
            low, high = self.bounds(node.right)
            return Code(f"{name} >= {low} && {name} < {high}", AND)
        if right == "Map":
            key = self.key(node.left)
            return Code(f"__builtin_map_contains_key({self.value(node.right)}, {key})")
        left, text = self.value(node.left), self.value(node.right)
        if right == "String":
            return Code(f"__builtin_string_contains({text}, {left})")
        if right != "List":
            self.guess("list_contains", "`in` is read as that of a List")
        return Code(f"{self.library('list_contains')}({text}, {left})")

    def _with_entry(self, owner: n.Expr, key: n.Expr, value: n.Expr) -> Code:
        """`m + (k to v)` of Kotlin."""
        held = self.value(value, argument(owner.ty, 1))
        return Code(f"__builtin_map_set({self.value(owner)}, {self.key(key)}, {held})")

    def _guess_unknown(self, node: n.Binary, word: str, meaning: str) -> None:
        """An operator between values of which both have an unknown type."""
        if head(node.left.ty) == head(node.right.ty) == "":
            self.guess(word, meaning)

    def _or_else(self, node: n.Binary) -> Code:
        name = self.fresh("value")
        left = self.value(node.left)
        with self.captured() as before:
            right = self.value(node.right, node.ty)
        other = "{ " + "\n".join([*before, right]) + " }" if before else right
        is_chosen = head(node.ty) == "Option" and head(argument(node.left.ty)) not in ("", "Option")
        held = f"Some({name})" if is_chosen else name
        return Code(f"match {left} {{ Some({name}) => {held}, None => {other} }}", ANY)

    def _concatenated(self, node: n.Binary) -> Code:
        return Code(f"{self.as_text(node.left).at(CONCAT)} ++ {self.as_text(node.right).at(CONCAT + 1)}", CONCAT)

    def _repeated(self, node: n.Binary, left: str, right: str) -> Code:
        whole, times = (node.left, node.right) if left in ("String", "List") else (node.right, node.left)
        if head(whole.ty) == "String":
            return Code(f"{self.library('string_repeat')}({self.value(whole)}, {self.value(times)})")
        if isinstance(whole, n.ListOf) and len(whole.items) == 1:
            return Code(f"{self.library('list_repeat')}({self.value(whole.items[0])}, {self.value(times)})")
        raise Untranslatable("a list that is repeated", node.start)

    def _equal_option(self, node: n.Binary) -> Code:
        """`o == None`, `o == 5`: compared by value, a plain value as `Some`."""
        for option, literal in ((node.left, node.right), (node.right, node.left)):
            if isinstance(literal, n.Literal) and literal.kind == "none" and head(option.ty) == "Option":
                answers = ("false", "true") if node.operator == "==" else ("true", "false")
                return Code(f"match {self.value(option)} {{ Some(_) => {answers[0]}, None => {answers[1]} }}", ANY)
            is_none = isinstance(literal, n.Literal) and literal.kind == "none"
            if is_none and self.program.has_zeros and head(option.ty) == "List":
                asked = f"__builtin_list_is_empty({self.value(option)})"
                return Code(asked) if node.operator == "==" else Code(f"!{asked}", UNARY)
            if is_none and head(option.ty):
                # What is compared is always there, as far as its type says.
                self.guess("None", f"a value of type {head(option.ty)} is compared with `None`")
        kind = node.left.ty if head(node.left.ty) == "Option" else node.right.ty
        left, right = self.value(node.left, kind, EQUAL), self.value(node.right, kind, EQUAL + 1)
        return Code(f"{left} {node.operator} {right}", EQUAL)


def _takes_out(node: n.Binary) -> bool:
    """True if an operator takes a value out of an Option, which fails for `None`."""
    kinds = {head(node.left.ty), head(node.right.ty)}
    return "Option" in kinds and node.operator not in ("==", "!=", "??", "in") and kinds != {"Option"}

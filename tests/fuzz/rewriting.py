"""A right program of `.ax` with some of its parts in the forms of another language that certainly mean the same.

Each place is written in one of the forms of `languages`, by chance. What has no certain form raises `Unwritable` in a whole
function of the other language, and stays as it is elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from analysis.semantics.infer.result import Inference
from analysis.syntax import tree as t
from analysis.syntax.tree import type_text
from tests.fuzz.languages import LANGUAGES
from tests.fuzz.tree_parts import Unwritable, add_parts, adds_one, argument_names, called, pattern_text, shared_names

_PLAIN: Final = ("Int", "String", "Bool")
_SHARE: Final = 0.6
_LEVELS: Final = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "++": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
}  # fmt: skip
_INDENT: Final = "    "
_OPERATOR: Final = re.compile(r"\} \S+ \{|^not |=== 0$|== 0$|^\*")
"""What makes a form bind less than a call."""


class Rewriting:
    """Writes the items of one program. `used` are the forms that were chosen; with `allowed` no others are."""

    def __init__(self, name: str, inference: Inference, chosen: Random, allowed: frozenset[str] | None = None) -> None:
        self.name, self.language = name, LANGUAGES[name]
        self.inference, self.chosen, self.allowed = inference, chosen, allowed
        self.used: set[str] = set()
        self.is_whole = False
        self.shared: set[str] = set()

    def takes(self, form: str) -> bool:
        """True if a form is chosen for this place. A choice costs one random number, whatever is allowed."""
        is_chosen = self.chosen.random() < _SHARE and (self.allowed is None or form in self.allowed)
        if is_chosen:
            self.used.add(form)
        return is_chosen

    def kind(self, node: t.Expr) -> str:
        return self.inference.of(node).head

    # ---- items ----

    def item(self, node: t.Item, text: str) -> str:
        """The text of an item; a function with contracts or capabilities stays as it is."""
        if isinstance(node, t.Import):
            return ""
        if not isinstance(node, t.Function) or node.capabilities or node.requires or node.ensures or node.intent:
            return text
        names = [each.name for each in t.walk(node) if isinstance(each, (t.Let, t.For))] + [each.name for each in node.parameters]
        if len(names) > len(set(names)) and self.name != "rust":
            # In most languages it is one variable, or refused.
            return text
        self.shared = set(shared_names(node))
        self.is_whole = bool(self.language.whole) and self.takes("function")
        if self.is_whole:
            try:
                return self._whole(node)
            except Unwritable:
                self.is_whole = False
        try:
            parameters = ", ".join(f"{each.name}: {type_text(each.type)}" for each in node.parameters)
            result = f" -> {type_text(node.result)}" if node.result else ""
            return f"fn {node.name}({parameters}){result} {{\n{self.body(node.body, 1)}}}"
        except Unwritable:
            return text

    def _whole(self, node: t.Function) -> str:
        language = self.language
        parameters = ", ".join(language.parameter.format(each.name, self.type(each.type)) for each in node.parameters)
        if node.result is None:
            raise Unwritable
        header = language.whole.format(node.name, parameters, self.type(node.result))
        body = self.body(node.body, 1)
        return f"{header}\n{body}" if self.name == "python" else f"{header}\n{body}}}"

    def type(self, node: t.TypeExpr) -> str:
        if any(each.name in ("Option", "Result", "Map", "Fn", "Unit") for each in t.walk(node) if isinstance(each, t.TypeExpr)):
            raise Unwritable
        text = type_text(node)
        for own, foreign in self.language.types:
            text = text.replace(own, foreign)
        return text

    # ---- statements ----

    def body(self, block: t.Block, depth: int) -> str:
        """The statements of a function; the last expression is its value."""
        return "".join(self._lines(block, depth, gives=True))

    def _lines(self, block: t.Block, depth: int, gives: bool = False) -> Iterator[str]:
        indent, statements = _INDENT * depth, block.statements
        place = 0
        while place < len(statements):
            node, is_last = statements[place], place == len(statements) - 1
            if not is_last and (made := self._loop_of_two(statements, place, depth)) is not None:
                yield made
                place += 2
                continue
            place += 1
            yield self.statement(node, depth, gives and is_last) if gives and is_last else self.statement(node, depth)
        if not statements and self.name == "python" and self.is_whole:
            yield f"{indent}pass\n"

    def statement(self, node: t.Statement | t.Expr, depth: int, gives: bool = False) -> str:
        indent = _INDENT * depth
        match node:
            case t.Let():
                return self._let(node, indent)
            case t.Assign():
                return f"{indent}{self.assigned(node)}{self.end}\n"
            case t.Return():
                return f"{indent}return {self.value(node.value)}{self.end}\n" if node.value else f"{indent}return{self.end}\n"
            case t.While():
                return self._headed(f"while {self.condition(node.condition)}", node.body, depth)
            case t.For():
                header = self.language.for_each if self._foreign("for each") else "for {0} in {1}"
                return self._headed(header.format(node.name, self.value(node.iterable, 9)), node.body, depth)
            case t.If() if not gives or self._is_long(node):
                return self._if(node, depth, gives)
        assert isinstance(node, t.Expr)
        text = self.value(node)
        if text.startswith(("(", "[", "-")) and not self.end:
            raise Unwritable
        returns = gives and (self.is_whole or self.takes("return"))
        return f"{indent}return {text}{self.end}\n" if returns else f"{indent}{text}{'' if gives else self.end}\n"

    @property
    def end(self) -> str:
        return self.language.end if self.is_whole or (self.language.end and self.takes("semicolon")) else ""

    def _foreign(self, form: str) -> bool:
        """True if a statement is written as the other language does: always in its functions."""
        return self.is_whole or self.takes(form)

    def _let(self, node: t.Let, indent: str) -> str:
        if self._foreign("declaration"):
            form = self.language.declare_mutable if node.mutable else self.language.declare
            return f"{indent}{form.format(node.name, self.value(node.value))}{self.end}\n"
        kind = f": {type_text(node.type)}" if node.type else ""
        return f"{indent}let {'mut ' if node.mutable else ''}{node.name}{kind} = {self.value(node.value)}\n"

    def assigned(self, node: t.Assign) -> str:
        """An assignment; one that adds to the variable itself often in a shorter form."""
        name, value = node.name, node.value
        if isinstance(value, t.Binary) and isinstance(value.left, t.Name) and value.left.name == name:
            right = self.value(value.right)
            if value.operator == "+" and right == "1" and self.takes("step"):
                return self.chosen.choice(self.language.steps).format(name)
            if value.operator in ("+", "-", "*") and self.takes(f"{value.operator}="):
                return f"{name} {value.operator}= {right}"
            if value.operator == "++" and self.language.joins and self.takes("text +="):
                return f"{name} += {right}"
        if called(value) == "list_push" and argument_names(value)[0] == name and self.language.push:
            may_change = self.language.values or name not in self.shared
            if may_change and self.takes("push"):
                assert isinstance(value, t.Call)
                return self.chosen.choice(self.language.push).format(name, self.value(value.arguments[1]))
        return f"{name} = {self.value(value)}"

    def _headed(self, header: str, block: t.Block, depth: int) -> str:
        if self.name == "python" and self.is_whole:
            return f"{_INDENT * depth}{header}:\n{''.join(self._lines(block, depth + 1))}"
        return f"{_INDENT * depth}{header} {{\n{''.join(self._lines(block, depth + 1))}{_INDENT * depth}}}\n"

    def _if(self, node: t.If, depth: int, gives: bool) -> str:
        indent, is_python = _INDENT * depth, self.name == "python" and self.is_whole
        if gives and node.else_block is None:
            raise Unwritable
        opening, closing = (":", indent) if is_python else (" {", f"{indent}}} ")
        text = f"{indent}if {self.condition(node.condition)}{opening}\n{''.join(self._lines(node.then_block, depth + 1, gives))}"
        while (block := node.else_block) is not None:
            only = block.statements[0] if len(block.statements) == 1 else None
            if isinstance(only, t.If) and self._foreign("else if"):
                node = only
                text += f"{closing}{self.language.otherwise} {self.condition(node.condition)}{opening}\n"
                text += "".join(self._lines(node.then_block, depth + 1, gives))
                continue
            text += f"{closing}else{opening}\n{''.join(self._lines(block, depth + 1, gives))}"
            break
        return text if is_python else f"{text}{indent}}}\n"

    def _is_long(self, node: t.If) -> bool:
        return self.is_whole or len(node.then_block.statements) != 1 or self.takes("branches")

    def condition(self, node: t.Expr) -> str:
        text = self.value(node)
        return self.language.condition.format(text) if self.is_whole or self.takes("condition") else text

    def _loop_of_two(self, statements: tuple[t.Statement | t.Expr, ...], place: int, depth: int) -> str | None:
        """Two statements as one: a counted loop, a list made from another one."""
        first, second = statements[place : place + 2]
        if not isinstance(first, t.Let) or not first.mutable:
            return None
        if isinstance(second, t.While) and (made := self._counted(first, second, statements[place + 2 :], depth)) is not None:
            return made
        return self._made(first, second, depth) if isinstance(second, t.For) else None

    def _counted(self, let: t.Let, loop: t.While, rest: tuple[t.Statement | t.Expr, ...], depth: int) -> str | None:
        """`let mut i = a; while i < n { …; i = i + 1 }` as a loop that counts."""
        condition, last = loop.condition, loop.body.statements[-1] if loop.body.statements else None
        if not isinstance(condition, t.Binary) or condition.operator != "<" or not isinstance(last, t.Assign):
            return None
        inner = [node for node in t.walk(loop.body) if isinstance(node, t.Assign) and node.name == let.name]
        changed = {node.name for node in t.walk(loop.body) if isinstance(node, (t.Assign, t.Let))}
        bound = {node.name for node in t.walk(condition.right) if isinstance(node, t.Name)}
        is_used = any(isinstance(node, t.Name) and node.name == let.name for each in rest for node in t.walk(each))
        if inner != [last] or not adds_one(last.value) or bound & changed or is_used:
            return None
        if not isinstance(condition.left, t.Name) or condition.left.name != let.name or not self.takes("counted loop"):
            return None
        low, high = self.value(let.value, 9), self.value(condition.right, 9)
        header = self.chosen.choice(self.language.counted).format(let.name, low, high)
        body = t.Block(loop.body.start, loop.body.end, loop.body.statements[:-1])
        return self._headed(header, body, depth)

    def _made(self, let: t.Let, loop: t.For, depth: int) -> str | None:
        """`let mut ys = []; for x in xs { ys = list_push(ys, v) }` as the list of what each item comes to."""
        if not isinstance(let.value, t.ListLiteral) or let.value.items or len(loop.body.statements) != 1:
            return None
        only: t.Statement | t.Expr = loop.body.statements[0]
        condition: t.Expr | None = None
        if isinstance(only, t.If) and only.else_block is None and len(only.then_block.statements) == 1:
            condition = only.condition
            only = only.then_block.statements[0]
        if not isinstance(only, t.Assign) or only.name != let.name or called(only.value) != "list_push":
            return None
        pushed = only.value.arguments[1] if isinstance(only.value, t.Call) else only.value
        is_named = [node.name for node in t.walk(loop.body) if isinstance(node, t.Name)].count(let.name) != 1
        if is_named or argument_names(only.value)[0] != let.name:
            return None
        is_kept = condition is not None and isinstance(pushed, t.Name) and pushed.name == loop.name
        forms = self.language.kept if is_kept else self.language.mapped
        if (condition is not None and not is_kept) or not forms or not self.takes("kept" if is_kept else "mapped"):
            return None
        value = self.value(condition if is_kept and condition is not None else pushed)
        made = self.chosen.choice(forms).format(self.value(loop.iterable, 9), loop.name, value)
        form = self.language.declare_mutable if self.is_whole else "let mut {0} = {1}"
        return f"{_INDENT * depth}{form.format(let.name, made)}{self.end}\n"

    # ---- expressions ----

    def value(self, node: t.Expr, level: int = 0) -> str:
        """An expression, in parentheses if it binds less than `level`."""
        match node:
            case t.IntLiteral() | t.FloatLiteral():
                return node.text
            case t.StringLiteral():
                return f'"{node.raw}"'
            case t.BoolLiteral():
                return self._truth(node.value)
            case t.Name():
                return node.name
            case t.Unary():
                sign = dict(self.language.words).get("!", "!") if node.operator == "!" and self._foreign("not") else node.operator
                text = f"{sign}{self.value(node.operand, 9)}"
                return f"({text})" if level else text
            case t.Binary():
                return self._binary(node, level)
            case t.Call():
                return self._call(node, level)
            case t.FieldAccess():
                return f"{self.value(node.object, 9)}.{node.name}"
            case t.ListLiteral():
                return f"[{', '.join(map(self.value, node.items))}]" if self.name != "rust" else self._vector(node)
            case t.If():
                return self._choice(node)
        if self.is_whole:
            raise Unwritable
        return self._own(node)

    def _truth(self, value: bool) -> str:
        words = ("True", "False") if self.name == "python" and self._foreign("truth") else ("true", "false")
        return words[not value]

    def _vector(self, node: t.ListLiteral) -> str:
        return f"{'vec!' if self._foreign('vec!') else ''}[{', '.join(map(self.value, node.items))}]"

    def _binary(self, node: t.Binary, level: int) -> str:
        sign, own = node.operator, _LEVELS[node.operator]
        kinds = {self.kind(node.left), self.kind(node.right)}
        if sign == "++":
            return self._joined(node, level)
        if sign in ("/", "%") and not self.is_whole and self.name in ("python", "ruby") and kinds != {"Float"}:
            # It may be that of the language or that of `.ax`, which differ where a number is negative.
            raise Unwritable
        if sign in ("/", "%") and kinds != {"Float"} and self.is_whole:
            form = self.language.quotient if sign == "/" else self.language.remainder
            if not form or kinds != {"Int"}:
                raise Unwritable
            if form != "{0} " + sign + " {1}":
                self.used.add("quotient")
                return form.format(self.value(node.left, 9), self.value(node.right, 9))
        if sign in ("==", "!="):
            if len(kinds) > 1 or not kinds <= {*_PLAIN, "Float"}:
                raise Unwritable
            sign = (self.language.equals if sign == "==" else self.language.differs) if self._foreign("equality") else sign
        if sign in ("&&", "||"):
            sign = dict(self.language.words).get(sign, sign) if self._foreign("words") else sign
        if sign in ("and", "&&") and (chained := self._chained(node)) is not None:
            return f"({chained})" if level else chained
        left = self.value(node.left, own if own not in (3, 4) else 5)
        text = f"{left} {sign} {self.value(node.right, own + 1)}"
        return f"({text})" if own < level else text

    def _chained(self, node: t.Binary) -> str | None:
        """`a < b && b < c` as `a < b < c`."""
        left, right = node.left, node.right
        if self.name != "python" or not isinstance(left, t.Binary) or not isinstance(right, t.Binary):
            return None
        if not isinstance(left.right, t.Name) or not isinstance(right.left, t.Name) or left.right.name != right.left.name:
            return None
        if {left.operator, right.operator} - {"<", "<="} or not self.takes("chained comparison"):
            return None
        return f"{self.value(left.left, 5)} {left.operator} {left.right.name} {right.operator} {self.value(right.right, 5)}"

    def _joined(self, node: t.Binary, level: int) -> str:
        parts: list[t.Expr] = []
        add_parts(node, parts)
        if any(self.kind(part) != "String" for part in parts):
            raise Unwritable
        opening, hole, closing = self.language.text
        literals = [part.raw for part in parts if isinstance(part, t.StringLiteral)]
        is_plain = opening and literals and not any(sign in raw for raw in literals for sign in "{}%$\\`#\"'")
        if is_plain and self.takes("text with holes"):
            shown = [self._hole(part) for part in parts if not isinstance(part, t.StringLiteral)]
            # Python of old takes no quotes of the text's own kind in a hole.
            if not any('"' in each or "`" in each or "{" in each or "}" in each for each in shown):
                holes = iter(shown)
                if self.name == "rust":
                    text = "".join(part.raw if isinstance(part, t.StringLiteral) else "{}" for part in parts)
                    return f"format!({', '.join([chr(34) + text + chr(34), *shown])})"
                text = "".join(part.raw if isinstance(part, t.StringLiteral) else hole.format(next(holes)) for part in parts)
                return f"{opening}{text}{closing}"
        sign = self.language.joins if self.language.joins and self._foreign("joint") else "++"
        if self.is_whole and sign == "++":
            raise Unwritable
        text = f" {sign} ".join(self.value(part, 7) for part in parts)
        return f"({text})" if level > 5 else text

    def _hole(self, part: t.Expr) -> str:
        if called(part) == "__builtin_int_to_string" and isinstance(part, t.Call):
            return self.value(part.arguments[0])
        return self.value(part)

    def _choice(self, node: t.If) -> str:
        then, otherwise = node.then_block, node.else_block
        only = [block.statements[0] for block in (then, otherwise) if block is not None and len(block.statements) == 1]
        values = [each for each in only if isinstance(each, t.Expr)]
        if len(values) == 2 and self.language.ternary and self._foreign("ternary"):
            return self.language.ternary.format(self.value(node.condition), *map(self.value, values))
        if len(values) < 2 or self.is_whole:
            raise Unwritable
        return f"if {self.value(node.condition)} {{ {self.value(values[0])} }} else {{ {self.value(values[1])} }}"

    def _call(self, node: t.Call, level: int) -> str:
        name = called(node)
        if name == "list_get" and len(node.arguments) == 2 and self._foreign("index"):
            return self.language.item.format(self.value(node.arguments[0], 9), self.value(node.arguments[1]))
        forms = self.language.calls.get(name, ())
        # In a function of `.ax` these signs are its own operators.
        is_own = forms in (("{0} % {1}",), ("{0} / {1}",)) and not self.is_whole
        if forms and not is_own and self._foreign(name):
            form = self.chosen.choice(forms)
            text = form.format(*(self.value(argument, 9) for argument in node.arguments))
            return f"({text})" if level and _OPERATOR.search(form) else text
        is_builtin = name.startswith(("__builtin_", "list_", "string_", "int_", "float_", "map_", "option_", "parse_", "try_"))
        if not name or (self.is_whole and is_builtin):
            raise Unwritable
        return f"{name}({', '.join(map(self.value, node.arguments))})"

    def _own(self, node: t.Expr) -> str:
        """What only `.ax` has, with its parts in the forms of the other language."""
        match node:
            case t.NoneLiteral():
                return "None"
            case t.Wrap():
                return f"{node.kind}({self.value(node.operand)})"
            case t.VariantLiteral():
                return f"{node.enum}::{node.variant}" + (f"({self.value(node.payload)})" if node.payload else "")
            case t.RecordLiteral():
                spread = [f"..{self.value(node.spread)}"] if node.spread else []
                fields = [f"{each.name}: {self.value(each.value)}" for each in node.fields]
                return f"{node.name} {{ {', '.join([*spread, *fields])} }}"
            case t.Match():
                arms = "".join(f"{_INDENT}{pattern_text(arm.pattern)} => {self._arm(arm.body)},\n" for arm in node.arms)
                return f"match {self.value(node.value)} {{\n{arms}}}"
        raise Unwritable

    def _arm(self, body: t.Expr) -> str:
        if isinstance(body, t.Block):
            return f"{{\n{''.join(self._lines(body, 2, gives=False))}{_INDENT}}}" if body.statements else "{}"
        return self.value(body)

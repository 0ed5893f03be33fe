"""Random programs that compile and end, full of what the reference gets wrong: branches without values, shadowed names, nested
patterns, fields out of order, returns in the middle, several definitions of a name.

Mostly well typed, so that they get far; loops are bounded and functions call only those that stand before them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

TYPES = """\
type P { x: Int, y: String }
type Q { y: Int, z: Int, x: Bool }
type R { w: List<Int> }
enum E { A(Int), B(Option<Int>), C }
enum F { C(String), A(E), D }
"""
FIELDS = {"P": {"x": "int", "y": "str"}, "Q": {"y": "int", "z": "int", "x": "bool"}, "R": {"w": "list"}}
VARIANTS = {"E": {"A": "int", "B": "option", "C": ""}, "F": {"C": "str", "A": "E", "D": ""}}
KINDS = ("int", "int", "int", "bool", "str", "list", "option", "result", "P", "Q", "R", "E", "F", "unit", "float", "map", "actor")
NAMES = ("a", "b", "c", "d", "v", "n", "f1", "list_len")


class Writer:
    """Writes one program."""

    def __init__(self, chosen: Random) -> None:
        self.chosen = chosen
        self.functions: list[tuple[str, list[str], str]] = []
        self.loops = 0
        self.in_loop = 0
        self.result = "int"

    def program(self) -> str:
        parts = [TYPES]
        names = [self.chosen.choice(["f0", "list_len", "a"]), "f1", "f2", "f3"]
        parts += [self.function(name) for name in names[: self.chosen.randrange(1, 5)]]
        parts.append(self.function("main", []))
        if self.chosen.random() < 0.1:
            parts.insert(1, "fn main() -> Int { 0 }\n")
        return "\n".join(parts)

    def function(self, name: str, kinds: list[str] | None = None) -> str:
        if kinds is None:
            kinds = [self.chosen.choice(KINDS) for _ in range(self.chosen.randrange(3))]
        self.result = self.chosen.choice(KINDS)
        scope = {NAMES[number]: kind for number, kind in enumerate(kinds)}
        parameters = ", ".join(f"{parameter}: T" for parameter in scope)
        clauses = ""
        # A broken promise of main ends everything.
        share = 0.2 if name == "main" else 1.0
        if self.chosen.random() < 0.2 * share:
            clauses += f" requires {self.expression('bool', dict(scope), 1)}"
        if self.chosen.random() < 0.3 * share:
            clauses += f" ensures {self.expression('bool', dict(scope) | {'result': self.result}, 1)}"
        body = self.block(self.result, dict(scope), 3, outermost=True)
        self.functions.append((name, kinds, self.result))
        return f"fn {name}({parameters}) -> T{clauses} {body}\n"

    # ---- statements ---------------------------------------------------------------------------------------------

    def block(self, kind: str, scope: dict[str, str], depth: int, outermost: bool = False) -> str:
        """A block that is meant to give a kind; sometimes it gives nothing."""
        scope = dict(scope)
        lines = [self.statement(scope, depth) for _ in range(self.chosen.randrange(4 if outermost or depth > 1 else 2))]
        if self.chosen.random() < (0.9 if outermost else 0.75):
            lines.append(self.expression(kind, scope, depth))
        elif self.chosen.random() < 0.3:
            lines.append(f"return {self.expression(self.result, scope, 1)}")
        # Line breaks separate nothing: a parenthesis would call the statement before.
        separated = [f"{{ {line} }}" if line.startswith("(") else line for line in lines]
        return "{ " + "\n ".join(separated) + " }"

    def statement(self, scope: dict[str, str], depth: int) -> str:
        """A statement; a variable that it declares joins the scope."""
        chance = self.chosen.random()
        if chance < 0.35 or depth <= 0:
            kind = self.chosen.choice(KINDS)
            value = self.expression(kind, scope, depth - 1)
            name = self.chosen.choice(NAMES)
            scope[name] = kind
            return f"let mut {name} = {value}"
        if chance < 0.5 and scope:
            name = self.chosen.choice(list(scope))
            return f"{name} = {self.expression(scope[name], scope, depth - 1)}"
        if chance < 0.6 and self.in_loop < 2:
            self.in_loop += 1
            name = self.chosen.choice(NAMES)
            body = self.block("int", scope | {name: "int"}, depth - 1)
            self.in_loop -= 1
            return f"for {name} in {self.expression('list', scope, 1)} {body}"
        if chance < 0.66 and self.in_loop < 2:
            self.loops += 1
            self.in_loop += 1
            counter = f"i{self.loops}"
            body = self.block("int", scope, depth - 1)
            self.in_loop -= 1
            return f"let mut {counter} = 0\n while {counter} < 3 {{ {counter} = {counter} + 1\n {body} }}"
        if chance < 0.68:
            return f"send {self.operand('actor', scope)} {self.operand(self.chosen.choice(KINDS), scope)}"
        if chance < 0.72:
            return f"if {self.expression('bool', scope, 1)} {{ return {self.expression(self.result, scope, 1)} }}"
        return self.expression(self.chosen.choice(KINDS), scope, depth - 1, statement=True)

    # ---- expressions --------------------------------------------------------------------------------------------

    def expression(self, kind: str, scope: dict[str, str], depth: int, statement: bool = False) -> str:
        chance = self.chosen.random()
        if chance < 0.01:
            kind = self.chosen.choice(KINDS)
        if depth > 0 and (statement or chance < 0.3):
            return self.branching(kind, scope, depth)
        fitting = [name for name, known in scope.items() if known == kind]
        if fitting and chance < 0.6:
            return self.chosen.choice(fitting)
        if chance < 0.7 and depth > 0:
            called = self.call(kind, scope, depth)
            if called:
                return called
        if 0.7 < chance < 0.73:
            return f"(emit ({self.leaf(kind, scope, depth)}))"
        if chance < 0.78:
            found = [
                f"{name}.{member}"
                for name, known in scope.items()
                for member, inner in FIELDS.get(known, {}).items()
                if inner == kind
            ]
            if found:
                return self.chosen.choice(found)
        return self.leaf(kind, scope, depth)

    def operand(self, kind: str, scope: dict[str, str]) -> str:
        """A primary expression, as `send` wants two of them."""
        return f"({self.expression(kind, scope, 1)})"

    def call(self, kind: str, scope: dict[str, str], depth: int) -> str:
        # A variable may hide the function that is meant.
        fitting = [row for row in self.functions if row[2] == kind and (row[0] not in scope or self.chosen.random() < 0.1)]
        if not fitting:
            return ""
        name, kinds, _ = self.chosen.choice(fitting)
        arguments = ", ".join(self.expression(wanted, scope, depth - 1) for wanted in kinds)
        if self.chosen.random() < 0.3:
            return f"{{ let g = {name}\n g({arguments}) }}" if name in [row[0] for row in self.functions] else ""
        return f"{name}({arguments})"

    def branching(self, kind: str, scope: dict[str, str], depth: int) -> str:
        chance = self.chosen.random()
        if chance < 0.2:
            return self.block(kind, scope, depth - 1)
        if chance < 0.6:
            text = f"if {self.expression('bool', scope, depth - 1)} {self.block(kind, scope, depth - 1)}"
            return f"{text} else {self.block(kind, scope, depth - 1)}" if self.chosen.random() < 0.7 else text
        matched = self.chosen.choice(["int", "bool", "str", "option", "result", "E", "F", "list"])
        value = self.expression(matched, scope, depth - 1)
        arms = []
        for _ in range(self.chosen.randrange(1, 4)):
            inner = dict(scope)
            pattern = self.pattern(matched, inner, 3)
            arms.append(f"{pattern} => {self.body(kind, inner, depth)}")
        if self.chosen.random() < 0.8:
            arms.append(f"_ => {self.body(kind, scope, depth)}")
        return f"match {value} {{ {', '.join(arms)} }}"

    def body(self, kind: str, scope: dict[str, str], depth: int) -> str:
        if self.chosen.random() < 0.4:
            return self.block(kind, scope, depth - 1)
        return self.expression(kind, scope, depth - 1)

    def pattern(self, kind: str, scope: dict[str, str], depth: int) -> str:
        """A pattern for values of a kind, now and then for others; names that it binds join the scope."""
        chance = self.chosen.random()
        if chance < 0.06:
            kind = self.chosen.choice(KINDS)
        if depth <= 0 or chance > 0.8:
            if self.chosen.random() < 0.4:
                return "_"
            name = self.chosen.choice(NAMES)
            scope[name] = kind
            return name

        def inner(wanted: str) -> str:
            return self.pattern(wanted, scope, depth - 1)

        match kind:
            case "int":
                return str(self.chosen.randrange(4))
            case "bool":
                return self.chosen.choice(["true", "false"])
            case "str":
                return self.chosen.choice(['"a"', '"b"', '"\\n"'])
            case "option":
                return "None" if self.chosen.random() < 0.5 else f"Some({inner('int')})"
            case "result":
                return f"Ok({inner('int')})" if self.chosen.random() < 0.5 else f"Err({inner('str')})"
            case "E" | "F":
                name, payload = self.chosen.choice(list(VARIANTS[kind].items()))
                return f"{name}({inner(payload)})" if payload else name
        return "_"

    def leaf(self, kind: str, scope: dict[str, str], depth: int) -> str:
        """An expression of a type without branches; not parted since its makers share one scope."""

        def inner(wanted: str) -> str:
            return self.expression(wanted, scope, depth - 1) if depth > 0 else self.plain(wanted)

        makers: dict[str, Callable[[], str]] = {
            "int": lambda: self.chosen.choice(
                [
                    self.plain("int"),
                    f"({inner('int')} {self.chosen.choice('+-*/%')} {inner('int')})",
                    f"(-{self.plain('int')})",
                    f"list_get(list_push({inner('list')}, 7), {self.chosen.choice(('0', '0', inner('int')))})",
                    f"__builtin_string_len({inner('str')})",
                    f"__builtin_map_len({inner('map')})",
                    f"parse_int({inner('str')})",
                    f'__builtin_guard({inner("int")}, {self.chosen.choice(("true", "Some(0)", inner("bool")))}, "g")',
                ]
            ),
            "bool": lambda: self.chosen.choice(
                [
                    self.plain("bool"),
                    f"({inner('int')} {self.chosen.choice(['<', '<=', '>', '>='])} {inner('int')})",
                    f"({inner('option')} {self.chosen.choice(['==', '!='])} {inner('option')})",
                    f"({inner('bool')} {self.chosen.choice(['&&', '||'])} {inner('int')})",
                    f"(!{inner(self.chosen.choice(('list', 'float', 'map', 'result', 'unit')))})",
                    f"({inner('float')} {self.chosen.choice(['<', '<=', '>', '>=', '=='])} {inner('float')})",
                    f"({inner('str')} {self.chosen.choice(['<', '>='])} {inner('str')})",
                    self.comparison(inner),
                    f"__builtin_map_contains_key({inner('map')}, {inner('str')})",
                ]
            ),
            "str": lambda: self.chosen.choice(
                [
                    self.plain("str"),
                    f"({inner('str')} ++ {inner('str')})",
                    f"__builtin_int_to_string({inner('int')})",
                    f"__builtin_string_slice({inner('str')}, {inner('int')}, {inner('int')})",
                    f"__builtin_string_replace({inner('str')}, {inner('str')}, {inner('str')})",
                    f"__builtin_string_join(__builtin_string_split({inner('str')}, {inner('str')}), {inner('str')})",
                    f"step_input({inner('str')})",
                ]
            ),
            "list": lambda: self.chosen.choice(
                [
                    f"[{inner('int')}, {inner('int')}]",
                    "[]",
                    f"list_push({inner('list')}, {inner('int')})",
                    f"__builtin_list_concat({inner('list')}, {inner('list')})",
                    f"__builtin_list_{self.chosen.choice(('tail', 'reverse'))}({inner('list')})",
                    f"__builtin_map_values({inner('map')})",
                ]
            ),
            "option": lambda: self.chosen.choice(
                [
                    "None",
                    f"Some({inner('int')})",
                    f"__builtin_list_head({inner('list')})",
                    f"__builtin_map_get({inner('map')}, {inner('str')})",
                ]
            ),
            "result": lambda: self.chosen.choice(
                [f"Ok({inner('int')})", f"Err({inner('str')})", f"try_parse_int({inner('str')})"]
            ),
            "unit": lambda: self.chosen.choice(["{ }", "{ let u = 1 }", "(receive)"]),
            "float": lambda: self.chosen.choice(
                [
                    self.plain("float"),
                    f"({inner('float')} {self.chosen.choice('+-*/')} {inner(self.chosen.choice(('float', 'int')))})",
                    f"({inner('int')} {self.chosen.choice('+-*/')} {inner('float')})",
                    f"(-{inner('float')})",
                ]
            ),
            "map": lambda: self.chosen.choice(
                [
                    "map_new()",
                    f"__builtin_map_set({inner('map')}, {inner('str')}, {inner('int')})",
                    f"__builtin_map_remove({inner('map')}, {inner('str')})",
                ]
            ),
            "actor": lambda: "(spawn main)",
        }
        if kind in FIELDS:
            return self.record(kind, inner)
        if kind in VARIANTS:
            name, payload = self.chosen.choice(list(VARIANTS[kind].items()))
            return f"{kind}::{name}({inner(payload)})" if payload else f"{kind}::{name}"
        return makers[kind]()

    def comparison(self, inner: Callable[[str], str]) -> str:
        """Two values of a kind, equal or not."""
        kind = self.chosen.choice(KINDS)
        return f"({inner(kind)} {self.chosen.choice(['==', '!='])} {inner(kind)})"

    def record(self, kind: str, inner: Callable[[str], str]) -> str:
        fields = list(FIELDS[kind].items())
        chance = self.chosen.random()
        if chance < 0.4:
            self.chosen.shuffle(fields)
        if chance < 0.1:
            fields.pop()
        if 0.1 < chance < 0.2:
            fields.append(self.chosen.choice([("x", "int"), ("extra", "int"), fields[0]]))
        name = "Unknown" if chance > 0.97 else kind
        spread = f"..{self.record(kind, self.plain)}, " if 0.4 < chance < 0.5 else ""
        if spread:
            fields = fields[: self.chosen.randrange(len(fields) + 1)]
        written = ", ".join(f"{member}: {inner(wanted)}" for member, wanted in fields)
        return f"({name} {{ {spread}{written} }})"

    def plain(self, kind: str) -> str:
        """A literal."""
        match kind:
            case "int":
                return str(self.chosen.randrange(4))
            case "bool":
                return self.chosen.choice(["true", "false"])
            case "str":
                return self.chosen.choice(['"a"', '"b"', '"\\n"', '""', '"é1"', '"12"'])
            case "float":
                return self.chosen.choice(["0.0", "1.5", "0.1", "100000000000000000000000.0", "0.0000001", "3.0"])
            case "map":
                return "map_new()"
            case "actor":
                return "(spawn main)"
            case "list":
                return f"[{self.chosen.randrange(4)}, 2]"
            case "option":
                return self.chosen.choice(["None", "Some(1)"])
            case "result":
                return self.chosen.choice(["Ok(1)", 'Err("a")'])
            case "E":
                return self.chosen.choice(["E::A(1)", "E::B(Some(2))", "E::C"])
            case "F":
                return self.chosen.choice(['F::C("a")', "F::A(E::C)", "F::D"])
            case "P":
                return '(P { x: 1, y: "a" })'
            case "Q":
                return "(Q { y: 1, z: 2, x: true })"
            case "R":
                return "(R { w: [1] })"
        return "{ }"


def program(chosen: Random) -> str:
    """A random program."""
    return Writer(chosen).program()

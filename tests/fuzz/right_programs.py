"""Random programs that are right: well typed by construction, they end, and nothing in them fails.

    python -m tests.fuzz.right_programs --count 10000

checks and runs so many: no warning may be told of any, all must run, and every value must be of the type that inference is
certain of. A failing program is printed with its seed.
"""

from __future__ import annotations

import argparse
import sys
from random import Random
from typing import Final

from tests.support.checked import Checker
from tests.support.typed_run import typed_run

PLAIN: Final = ("Int", "Float", "String", "Bool", "P", "E", "List<Int>", "List<String>", "Option<Int>", "Result<Int, String>")
DECLARED: Final = """\
type P { x: Int, name: String, tags: List<String> }
enum E { One(Int), Many(List<Int>), Nothing }
"""


class Writer:
    """Writes one program."""

    def __init__(self, chosen: Random) -> None:
        self.chosen = chosen
        self.functions: list[tuple[str, list[str], str]] = []
        self.count = 0

    def program(self) -> str:
        made = [DECLARED]
        made += [self.function(f"f{number}") for number in range(self.chosen.randrange(1, 5))]
        made.append(self.function("main"))
        return "\n".join(made)

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def function(self, name: str) -> str:
        kinds = [] if name == "main" else [self.chosen.choice(PLAIN) for _ in range(self.chosen.randrange(3))]
        result = self.chosen.choice(PLAIN)
        scope = {self.fresh(): kind for kind in kinds}
        parameters = ", ".join(f"{parameter}: {kind}" for parameter, kind in scope.items())
        body = self.block(result, scope, 3)
        self.functions.append((name, kinds, result))
        return f"fn {name}({parameters}) -> {result} {body}\n"

    def block(self, result: str, scope: dict[str, str], depth: int) -> str:
        scope = dict(scope)
        lines = [self.statement(scope, depth) for _ in range(self.chosen.randrange(3))]
        if depth and self.chosen.random() < 0.2:
            early = f"if {self.value('Bool', scope, 1)} {{ return {self.value(result, scope, 1)} }}"
            lines.append(early if depth == 3 else "let _unused = 0")
        value = self.value(result, scope, depth)
        if value.startswith(("(", "[")):
            # It would continue the line before it.
            name = self.fresh()
            lines.append(f"let {name} = {value}")
            value = name
        lines.append(value)
        return "{\n" + "\n".join(lines) + "\n}"

    def statement(self, scope: dict[str, str], depth: int) -> str:
        kind = self.chosen.choice(PLAIN)
        name = self.fresh()
        match self.chosen.randrange(5):
            case 0:
                value = self.value(kind, scope, depth - 1)
                scope[name] = kind
                return f"let {name}: {kind} = {value}"
            case 1 if depth:
                start = f"let mut {name} = []"
                step = self.value("Int", scope, 1)
                scope[name] = "List<Int>"
                return f"{start}\nfor i{name} in [1, 2] {{ {name} = list_push({name}, {step} + i{name}) }}"
            case 2 if depth:
                value, other = self.value(kind, scope, depth - 1), self.value(kind, scope, depth - 1)
                scope[name] = kind
                return f"let mut {name} = {value}\nif {self.value('Bool', scope, 1)} {{ {name} = {other} }}"
            case 3 if depth:
                scope[name] = "Int"
                step = self.value("Int", scope, 1)
                return f"let mut {name} = 0\nwhile {name} < 3 {{ {name} = {name} + 1\nlet _kept = {step} }}"
        value = self.value(kind, scope, depth - 1)
        scope[name] = kind
        return f"let {name} = {value}"

    def value(self, kind: str, scope: dict[str, str], depth: int) -> str:
        """An expression of a type."""
        known = [name for name, held in scope.items() if held == kind]
        if known and self.chosen.random() < 0.4:
            return self.chosen.choice(known)
        if depth > 0 and self.chosen.random() < 0.6:
            return self.deep(kind, scope, depth - 1)
        return self.literal(kind)

    def deep(self, kind: str, scope: dict[str, str], depth: int) -> str:
        callable_ = [made for made in self.functions if made[2] == kind]
        match self.chosen.randrange(5):
            case 0 if callable_:
                name, kinds, _ = self.chosen.choice(callable_)
                return f"{name}({', '.join(self.value(each, scope, depth) for each in kinds)})"
            case 1:
                condition = self.value("Bool", scope, depth)
                return f"if {condition} {self.block(kind, scope, min(depth, 2))} else {self.block(kind, scope, min(depth, 2))}"
            case 2:
                return self.matched(kind, scope, depth)
            case 3:
                return self.field(kind, scope, depth)
        return self.computed(kind, scope, depth)

    def field(self, kind: str, scope: dict[str, str], depth: int) -> str:
        name = {"Int": "x", "String": "name", "List<String>": "tags"}.get(kind)
        records = [local for local, held in scope.items() if held == "P"]
        return f"{self.chosen.choice(records)}.{name}" if name and records else self.computed(kind, scope, depth)

    def matched(self, kind: str, scope: dict[str, str], depth: int) -> str:
        name = self.fresh()
        value = self.chosen.choice(("Option<Int>", "Result<Int, String>", "E", "Bool"))
        inner = {**scope, name: "Int"}
        arms = {
            "Option<Int>": [f"Some({name}) => {self.value(kind, inner, depth)}", f"None => {self.value(kind, scope, depth)}"],
            "Result<Int, String>": [
                f"Ok({name}) => {self.value(kind, inner, depth)}",
                f"Err({name}) => {self.value(kind, {**scope, name: 'String'}, depth)}",
            ],
            "E": [
                f"One({name}) => {self.value(kind, inner, depth)}",
                f"Many({name}) => {self.value(kind, {**scope, name: 'List<Int>'}, depth)}",
                f"Nothing => {self.value(kind, scope, depth)}",
            ],
            "Bool": [f"true => {self.value(kind, scope, depth)}", f"_ => {self.value(kind, scope, depth)}"],
        }[value]
        return f"match {self.value(value, scope, 0)} {{ {', '.join(arms)} }}"

    def computed(self, kind: str, scope: dict[str, str], depth: int) -> str:
        def of(other: str) -> str:
            return self.value(other, scope, depth)

        choices = {
            "Int": [
                f"({of('Int')} % 7 + {of('Int')} % 5)",
                f"list_len({of('List<Int>')})",
                f"__builtin_string_len({of('String')})",
            ],
            "Float": [f"({of('Float')} / 2.0 + {of('Int')})", f"({of('Int')} * 0.5)"],
            "String": [f"({of('String')} ++ {of('String')})", f"__builtin_int_to_string({of('Int')})"],
            "Bool": [f"({of('Int')} < {of('Int')})", f"({of('String')} == {of('String')})", f"!({of('Bool')})"],
            "List<Int>": [f"list_push({of('List<Int>')}, {of('Int')})", f"[{of('Int')}, {of('Int')}]"],
            "List<String>": [f'__builtin_string_split({of("String")}, ",")', f"__builtin_list_concat({of('List<String>')}, [])"],
            "Option<Int>": [f"Some({of('Int')})", f"__builtin_list_head({of('List<Int>')})"],
            "Result<Int, String>": [f"Ok({of('Int')})", f"try_parse_int({of('String')})", f"Err({of('String')})"],
            "P": [
                f"P {{ x: {of('Int')}, name: {of('String')}, tags: {of('List<String>')} }}",
                f"P {{ ..{self.literal('P')}, x: 2 }}",
            ],
            "E": [f"E::One({of('Int')})", f"E::Many({of('List<Int>')})"],
        }[kind]
        return self.chosen.choice(choices)

    def literal(self, kind: str) -> str:
        number = self.chosen.randrange(9)
        return {
            "Int": str(number), "Float": f"{number}.5", "String": f'"t{number}"', "Bool": "true" if number % 2 else "false",
            "List<Int>": f"[{number}]" if number % 3 else "[]", "List<String>": f'["s{number}"]',
            "Option<Int>": f"Some({number})" if number % 2 else "None",
            "Result<Int, String>": f"Ok({number})" if number % 2 else f'Err("e{number}")',
            "P": f'P {{ x: {number}, name: "n", tags: [] }}', "E": "E::Nothing" if number % 2 else f"E::One({number})",
        }[kind]  # fmt: skip


def program(chosen: Random) -> str:
    """A program that is right."""
    return Writer(chosen).program()


def examine(text: str, checker: Checker) -> str:
    """Fault in the judgement of a correct program; "" if there is none."""
    told = [str(one) for one in checker.check(text) if one.severity in ("warning", "error")]
    if told:
        return f"told: {told}"
    made = typed_run(text)
    if made is None:
        return "it does not compile, or a declared type is not kept to"
    if made.outcome.error is not None and made.outcome.error.kind == "runtime_error":
        return f"it fails: {made.outcome.error.message}"
    return f"inferred otherwise: {made.wrong[:3]}" if made.wrong else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    checker = Checker()
    for number in range(chosen.count):
        text = program(Random(f"{chosen.seed}/{number}"))
        problem = examine(text, checker)
        if problem:
            print(f"program {number} of seed {chosen.seed}: {problem}\n{text}")
            return 1
    print(f"{chosen.count} programs: no warning, no failure, every value of its type")
    return 0


if __name__ == "__main__":
    sys.exit(main())

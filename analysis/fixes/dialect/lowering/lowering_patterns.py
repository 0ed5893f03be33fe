"""Operations with regular expressions: the steps of each become a function of the program, `pattern_helpers` runs them."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.lowering.lowering_scripts import Scripts
from analysis.fixes.dialect.lowering.pattern_helpers import RECORD, STEP
from analysis.fixes.dialect.lowering.regular_expressions import Pattern, Unknown, anchored, pattern_of
from analysis.fixes.dialect.lowering.writer import Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import STRING, Type, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_FLAGS: Final = re.compile(r"\(\?([A-Za-z]*)\)(.*)", re.DOTALL)
_LANGUAGES: Final = {"P": "python", "R": "ruby", "H": "php"}
_ESCAPE: Final = re.compile(r'\\(["\\ntr])')
_UNESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPED: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Patterns(Scripts):
    """Each `write_pattern_NAME` is the operation `@pattern_NAME` of the lexicon."""

    def _pattern(self, node: n.Expr) -> tuple[str, Pattern]:
        """A call of the function that gives the steps of a pattern, which is added, and the pattern."""
        text = node.text[1:-1] if isinstance(node, n.Literal) and node.kind == "string" else ""
        parts = _FLAGS.fullmatch(_ESCAPE.sub(lambda match: _UNESCAPED.get(match[1], match[1]), text))
        if parts is None:
            raise Untranslatable("a regular expression that is not written where it is used", node.start)
        flags = "".join(sign for sign in parts[1] if sign.islower())
        language = next((_LANGUAGES[sign] for sign in parts[1] if sign in _LANGUAGES), "")
        try:
            pattern = pattern_of(parts[2], flags, language)
        except Unknown as unknown:
            raise Untranslatable(f"{unknown} in a regular expression", node.start) from None
        if "A" in parts[1] or "F" in parts[1]:
            pattern = anchored(pattern, "F" in parts[1])
        if STEP in self.program.records or STEP in self.program.enums:
            raise Untranslatable("a regular expression", node.start)
        self.added.records.setdefault(STEP, (STEP, RECORD))
        return f"{self._steps(parts[2], pattern)}()", pattern

    def _steps(self, source: str, pattern: Pattern) -> str:
        steps = [
            f'{STEP} {{ kind: "{step.kind}", signs: "{_escaped(step.signs)}", least: {step.least}, most: {step.most} }}'
            for step in pattern.steps
        ]
        body = "[" + ", ".join(steps) + "]"
        key = f"pattern {body}"
        if key not in self.helpers:
            name, number = "pattern", 1
            while re.search(rf"\b{name}\b", self.program.source) or name in self.helpers.values():
                number += 1
                name = f"pattern_{number}"
            self.helpers[key] = name
            remark = "" if "\n" in source else f"// `{source}`\n"
            self.added.functions.append(f"{remark}fn {name}() -> List<{STEP}> {{ {body} }}")
        return self.helpers[key]

    def _run(self, name: str, operands: list[n.Expr], node: n.Expr, *more: str) -> Code:
        steps, _ = self._pattern(operands[1])
        texts = [steps, *more[:1], self.value(operands[0], STRING), *more[1:]]
        return Code(f"{self.helper(name, [], node)}({', '.join(text for text in texts if text)})")

    def write_pattern_test(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._run("pattern_is_in", operands, node)

    def write_pattern_texts(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._run("pattern_texts", operands, node)

    def write_pattern_first(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._run("pattern_first", operands, node, str(self._pattern(operands[1])[1].groups))

    def write_pattern_all(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._run("pattern_all", operands, node, str(self._pattern(operands[1])[1].groups))

    def write_pattern_scan(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """The groups of every place without the whole, as Ruby gives them."""
        whole = self.write_pattern_all(operands, node, expected)
        groups, item = self.fresh("found"), self.fresh("place")
        self.before.append(f"let mut {groups}: List<List<String>> = []")
        self.before.append(f"for {item} in {whole.text} {{ {groups} = list_push({groups}, __builtin_list_tail({item})) }}")
        return Code(groups)

    def write_pattern_groups(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """The first group of every place."""
        whole = self.write_pattern_all(operands, node, expected)
        groups, item = self.fresh("found"), self.fresh("groups")
        self.before.append(f"let mut {groups}: List<String> = []")
        self.before.append(f"for {item} in {whole.text} {{ {groups} = list_push({groups}, list_get({item}, 1)) }}")
        return Code(groups)

    def write_pattern_split(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        _, pattern = self._pattern(operands[1])
        if pattern.may_be_empty or pattern.groups:
            raise Untranslatable("a text that is split where nothing stands, or with its separators", node.start)
        return self._run("pattern_split", operands, node)

    def write_pattern_replace(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._run("pattern_replace", operands, node, "", self.value(operands[2], STRING))

    def write_pattern_replace_first(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._run("pattern_replace_first", operands, node, "", self.value(operands[2], STRING))

    def write_pattern_replace_with(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._replaced(operands, node, by_groups=True)

    def write_pattern_replace_by(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self._replaced(operands, node, by_groups=False)

    def _replaced(self, operands: list[n.Expr], node: n.Expr, by_groups: bool) -> Code:
        """Every place where a pattern fits replaced by what a closure makes of it."""
        _, pattern = self._pattern(operands[1])
        parts = self._run("pattern_parts", operands, node, str(pattern.groups))
        result, part, groups = self.fresh("made"), self.fresh("part"), self.fresh("groups")
        first = f"__builtin_list_tail({part})" if by_groups else f"list_get({part}, 1)"
        with self.captured() as body:
            value = self.applied(operands[2], [groups], [list_of(STRING) if by_groups else STRING])
        inner = "\n".join([f"let {groups} = {first}", *body, f"{result} = {result} ++ {value}"])
        self.before.append(f'let mut {result} = ""')
        self.before.append(
            f"for {part} in {parts.text} {{ {result} = {result} ++ list_get({part}, 0)\nif list_len({part}) > 1 {{ {inner} }} }}"
        )
        return Code(result)


def _escaped(signs: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in signs)

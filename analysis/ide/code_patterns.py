"""Code for a description, from patterns that the types in scope fill in: never a placeholder; None where no pattern fits.

A pattern reads from the description what it needs (names, types, fields, examples) and writes a whole function or type. What it
gives has still to be checked in its context.
"""

# ruff: noqa: E501 - texts of programs

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from analysis.data_classes import dataclass
from analysis.ide.code_conditions import Condition, condition_in, is_understood, restricts
from analysis.semantics.declarations import FunctionFact, TypeFact

_FIELD: Final = re.compile(r"\b([a-z_][A-Za-z0-9_]*+)\s*+:\s*+([A-Z][A-Za-z0-9_<>]*+)")
_CALLED: Final = re.compile(r"\b(?:(?:called|named)\s+[`'\"]?|function\s+(?=[`'\"]|[a-z0-9]+_)[`'\"]?)([A-Za-z_][A-Za-z0-9_]*+)")
_TYPE: Final = re.compile(r"\b([A-Z][A-Za-z0-9_]*+)\b")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_EXAMPLE: Final = re.compile(
    r"(?<![A-Za-z0-9_])([a-z_][A-Za-z0-9_]*+\([^()\n]{0,200}\))"
    r"\s*+(?:==|is|equals|gives|returns)\s*+(-?[0-9][0-9.]*+|\"[^\"\n]*+\"|true|false)"
)
_PLAIN: Final = ("Int", "Float", "String", "Bool")
_ELEMENTS: Final = {
    "ints": "Int", "integers": "Int", "numbers": "Int", "int": "Int", "floats": "Float", "float": "Float", "strings": "String",
    "texts": "String", "words": "String", "bools": "Bool",
}  # fmt: skip


class Proposal(NamedTuple):
    """Code, what it does, and the name of the pattern."""

    code: str
    explanation: str
    pattern: str
    has_condition: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A description with what its words mean in the context."""

    text: str
    functions: Mapping[str, FunctionFact]
    types: Mapping[str, TypeFact]

    @property
    def words(self) -> list[str]:
        return [word.lower() for word in _WORD.findall(self.text)]

    def has(self, *words: str) -> bool:
        """True if the description contains one of these words."""
        return any(word in self.words for word in words)

    def name(self, otherwise: str) -> str:
        """The requested name, else `otherwise`, with a number if that is taken."""
        match = _CALLED.search(self.text)
        if match is not None:
            return match[1]
        name, number = otherwise, 2
        while name in self.functions:
            name, number = f"{otherwise}_{number}", number + 1
        return name

    def record(self) -> TypeFact | None:
        """The record that the description names, in the singular or plural."""
        for word in _WORD.findall(self.text):
            for name in (word, word.removesuffix("s"), word.capitalize(), word.capitalize().removesuffix("s")):
                fact = self.types.get(name)
                if fact is not None and not fact.is_enum and not fact.broken:
                    return fact
        return None

    def element(self) -> str:
        """The item type of the list that the description names."""
        named = next((_ELEMENTS[word] for word in self.words if word in _ELEMENTS), "")
        record = self.record()
        return record.name if record is not None else named

    def known_names(self) -> frozenset[str]:
        """The names of the context in lower case, singular and plural, and the name that the description gives."""
        match = _CALLED.search(self.text)
        members = [member for fact in self.types.values() for member, _ in fact.members]
        names = {name.lower() for name in (*self.functions, *self.types, *members, *((match[1],) if match is not None else ()))}
        return frozenset((*names, *(f"{name}s" for name in names)))

    def condition(self) -> Condition | None:
        """The condition on the named record."""
        fact = self.record()
        return condition_in(self.text, fact) if fact is not None else None

    def function(self, result: str | None = None) -> FunctionFact | None:
        """The named function, if it has one parameter."""
        for word in _WORD.findall(self.text):
            fact = self.functions.get(word)
            if fact is not None and len(fact.parameters) == 1 and not fact.broken and (result is None or fact.result == result):
                return fact
        return None

    def field(self, *kinds: str) -> tuple[TypeFact, str, str] | None:
        """A field of the named record that has one of these types."""
        fact = self.record()
        for word in _WORD.findall(self.text):
            for name, kind in fact.members if fact is not None else ():
                if fact is not None and word == name and kind in kinds:
                    return fact, name, kind
        return None


def snake(name: str) -> str:
    """`OrderLine` as `order_line`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# ---- lists ----------------------------------------------------------------------------------------------------------


def _map(asked: Asked) -> Proposal | None:
    function = asked.function()
    if function is None or function.result is None or not asked.has("map", "each", "every", "apply", "all"):
        return None
    given, result = function.parameters[0][1], function.result
    name = asked.name(f"{function.name}_all")
    code = (
        f"fn {name}(items: List<{given}>) -> List<{result}> {{\n    let mut results: List<{result}> = []\n    for item in items {{\n"
        f"        results = list_push(results, {function.name}(item))\n    }}\n    results\n}}\n"
    )
    return Proposal(code, f"applies `{function.name}` to every item", "map")


def _filter(asked: Asked) -> Proposal | None:
    function = asked.function("Bool")
    if function is None or not asked.has("filter", "keep", "keeps", "only", "select", "those", "which"):
        return None
    given = function.parameters[0][1]
    name = asked.name(f"keep_{function.name}")
    code = (
        f"fn {name}(items: List<{given}>) -> List<{given}> {{\n    let mut kept: List<{given}> = []\n    for item in items {{\n"
        f"        if {function.name}(item) {{\n            kept = list_push(kept, item)\n        }}\n    }}\n    kept\n}}\n"
    )
    return Proposal(code, f"keeps the items for which `{function.name}` holds", "filter")


def _filter_by_field(asked: Asked) -> Proposal | None:
    fact, condition = asked.record(), asked.condition()
    if fact is None or condition is None or not asked.has("filter", "keep", "keeps", "only", "select", "those", "which", "whose"):
        return None
    code = (
        f"fn {asked.name(f'filter_by_{condition.field}')}(items: List<{fact.name}>) -> List<{fact.name}> {{\n"
        f"    let mut kept: List<{fact.name}> = []\n    for item in items {{\n        if {condition.text} {{\n"
        "            kept = list_push(kept, item)\n        }\n    }\n    kept\n}\n"
    )
    return Proposal(code, f"keeps the items with `{condition.text}`", "filter", True)


def _count(asked: Asked) -> Proposal | None:
    element = asked.element()
    if not element or not asked.has("count", "counts", "number", "many"):
        return None
    name, condition = asked.name("count"), asked.condition()
    if condition is None:
        return Proposal(f"fn {name}(items: List<{element}>) -> Int {{\n    list_len(items)\n}}\n", "counts the items", "fold")
    code = (
        f"fn {name}(items: List<{element}>) -> Int {{\n    let mut result = 0\n    for item in items {{\n"
        f"        if {condition.text} {{\n            result = result + 1\n        }}\n    }}\n    result\n}}\n"
    )
    return Proposal(code, f"counts the items with `{condition.text}`", "fold", True)


def _fields(asked: Asked) -> Proposal | None:
    fact = asked.record()
    if fact is None or not asked.has("map", "all", "each", "every", "their", "list", "collect", "extract"):
        return None
    words = {form for word in asked.words for form in (word, word.removesuffix("s"))}
    named = [(name, kind) for name, kind in fact.members if name in words and kind is not None]
    if len(named) != 1 or asked.condition() is not None:
        return None
    ((member, kind),) = named
    code = (
        f"fn {asked.name(f'{member}_of_all')}(items: List<{fact.name}>) -> List<{kind}> {{\n    let mut results: List<{kind}> = []\n"
        f"    for item in items {{\n        results = list_push(results, item.{member})\n    }}\n    results\n}}\n"
    )
    return Proposal(code, f"the `{member}` of every item", "map")


def _fold(asked: Asked) -> Proposal | None:
    if not asked.has("sum", "sums", "total", "totals", "add", "adds", "adding", "product", "multiply", "multiplies"):
        return None
    field = asked.field("Int", "Float")
    if field is not None:
        fact, member, kind = field
        element, value, name = fact.name, f"item.{member}", asked.name(f"total_{member}")
    else:
        element = kind = asked.element() if asked.element() in ("Int", "Float") else ""
        value, name = "item", asked.name("product" if asked.has("product") else "sum")
    if not element:
        return None
    is_product = asked.has("product", "multiply", "multiplies")
    start = ("1" if is_product else "0") + (".0" if kind == "Float" else "")
    code = (
        f"fn {name}(items: List<{element}>) -> {kind} {{\n    let mut result = {start}\n    for item in items {{\n"
        f"        result = result {'*' if is_product else '+'} {value}\n    }}\n    result\n}}\n"
    )
    return Proposal(code, f"{'multiplies' if is_product else 'adds up'} `{value}` of all items", "fold")


def _largest(asked: Asked) -> Proposal | None:
    is_least = asked.has("min", "minimum", "smallest", "least", "lowest")
    if not is_least and not asked.has("max", "maximum", "largest", "greatest", "highest", "biggest"):
        return None
    field = asked.field("Int", "Float")
    element = field[0].name if field is not None else asked.element()
    if not element or (field is None and element not in ("Int", "Float")):
        return None
    mine, best = (f"item.{field[1]}", f"best.{field[1]}") if field is not None else ("item", "best")
    name = asked.name("smallest" if is_least else "largest")
    code = (
        f"fn {name}(items: List<{element}>) -> Option<{element}> {{\n    if list_len(items) == 0 {{\n        None\n    }} else {{\n"
        f"        let mut best = list_get(items, 0)\n        for item in items {{\n            if {mine} {'<' if is_least else '>'} {best} {{\n"
        "                best = item\n            }\n        }\n        Some(best)\n    }\n}\n"
    )
    return Proposal(code, f"the item with the {'least' if is_least else 'greatest'} `{mine}`, None for an empty list", "fold")


def _lookup(asked: Asked) -> Proposal | None:
    if not asked.has("find", "lookup", "look", "get", "search"):
        return None
    field = asked.field(*_PLAIN)
    if field is None:
        return None
    fact, member, kind = field
    name = asked.name(f"find_{snake(fact.name)}_by_{member}")
    code = (
        f"fn {name}(items: List<{fact.name}>, {member}: {kind}) -> Option<{fact.name}> {{\n"
        f"    let mut found: Option<{fact.name}> = None\n    for item in items {{\n        if item.{member} == {member} {{\n"
        "            found = Some(item)\n        }\n    }\n    found\n}\n"
    )
    return Proposal(code, f"the last `{fact.name}` with this `{member}`, None if there is none", "lookup")


# ---- texts, records, enums --------------------------------------------------------------------------------------------


def _parse(asked: Asked) -> Proposal | None:
    if not asked.has("parse", "parses", "read", "reads", "convert"):
        return None
    is_float = asked.has("float", "decimal")
    if not is_float and not asked.has("int", "integer", "number"):
        return None
    name = asked.name("read_float" if is_float else "read_int")
    kind, builtin = ("Float", "__builtin_float_parse") if is_float else ("Int", "__builtin_int_parse")
    code = (
        f"fn {name}(text: String) -> Result<{kind}, String> {{\n    match {builtin}(__builtin_string_trim(text)) {{\n"
        f'        Some(value) => Ok(value),\n        None => Err("not a number: " ++ text),\n    }}\n}}\n'
    )
    return Proposal(code, f"the {kind} that a text spells, blanks at its ends aside; Err with the text otherwise", "parse")


def _validate(asked: Asked) -> Proposal | None:
    fact, condition = asked.record(), asked.condition()
    if fact is None or not asked.has("validate", "validates", "validation", "check", "checks", "valid"):
        return None
    tests = (
        [(f"!({condition.text})", f"{condition.field} is not right")]
        if condition is not None
        else [
            (f"__builtin_string_len(__builtin_string_trim(item.{name})) == 0", f"{name} is empty")
            if kind == "String"
            else (f"item.{name} < 0{'.0' if kind == 'Float' else ''}", f"{name} is negative")
            for name, kind in fact.members
            if kind in ("String", "Int", "Float")
        ]
    )
    if not tests:
        return None
    code = f"fn {asked.name(f'validate_{snake(fact.name)}')}(item: {fact.name}) -> Result<{fact.name}, String> {{\n"
    for level, (test, message) in enumerate(tests):
        indent = "    " * (level + 1)
        code += f'{indent}if {test} {{\n{indent}    Err("{message}")\n{indent}}} else {{\n'
    code += "    " * (len(tests) + 1) + "Ok(item)\n"
    code += "".join("    " * level + "}\n" for level in range(len(tests), 0, -1)) + "}\n"
    meant = "no text is empty and no number negative" if condition is None else f"`{condition.text}`"
    return Proposal(code, f"Ok if {meant}, else Err with the first field that is not right", "validate", condition is not None)


def _record(asked: Asked) -> Proposal | None:
    fields = list(dict(_FIELD.findall(asked.text)).items())
    if not fields or not asked.has("record", "type", "struct", "data"):
        return None
    named = [
        candidate
        for candidate in _TYPE.findall(asked.text)
        if candidate not in (*_PLAIN, "List", "Option", "Map", "Result") and candidate not in asked.types
    ]
    match = _CALLED.search(asked.text)
    name = (
        match[1] if match is not None else next((candidate for candidate in named if candidate not in dict(fields).values()), "")
    )
    if not name or not name[0].isupper():
        return None
    short = snake(name)
    parameters = ", ".join(f"{field}: {kind}" for field, kind in fields)
    values = ", ".join(f"{field}: {field}" for field, _ in fields)
    code = f"export type {name} {{ {parameters} }}\n\nexport fn make_{short}({parameters}) -> {name} {{\n    {name} {{ {values} }}\n}}\n"
    for field, kind in fields:
        code += f"\nexport fn with_{field}({short}: {name}, {field}: {kind}) -> {name} {{\n    {name} {{ ..{short}, {field}: {field} }}\n}}\n"
    return Proposal(
        code, f"the record `{name}`, a function that makes one, and one for each field that changes it", "record with helpers"
    )


def _names_of_variants(asked: Asked) -> list[str]:
    match = re.search(
        r"(?:states?|variants?|values|with|of|:)\s+([A-Z][A-Za-z0-9_]*+(?:\s*+(?:,|and|or|,\s*+and)\s++[A-Z][A-Za-z0-9_]*+)++)",
        asked.text,
    )
    return _TYPE.findall(match[1]) if match is not None else []


def _enum(asked: Asked) -> Proposal | None:
    variants = list(dict.fromkeys(_names_of_variants(asked)))
    is_machine = asked.has("machine", "transitions", "next", "cycle")
    if len(variants) < 2 or not (is_machine or asked.has("enum", "enumeration", "state", "states", "variants")):
        return None
    match = _CALLED.search(asked.text)
    named = [candidate for candidate in _TYPE.findall(asked.text) if candidate not in variants and candidate not in asked.types]
    name = (
        match[1]
        if match is not None
        else (named[0] if named and named[0] not in ("An", "A", "State") else "State" if is_machine else "Kind")
    )
    short = snake(name)
    code = f"export enum {name} {{ {', '.join(variants)} }}\n\nexport fn {short}_text(value: {name}) -> String {{\n    match value {{\n"
    code += "".join(f'        {variant} => "{variant}",\n' for variant in variants) + "    }\n}\n"
    if is_machine:
        code += f"\nexport fn next_{short}(value: {name}) -> {name} {{\n    match value {{\n"
        following = [*variants[1:], variants[0]]
        code += (
            "".join(f"        {variant} => {name}::{after},\n" for variant, after in zip(variants, following, strict=True))
            + "    }\n}\n"
        )
    note = "; `next` goes through them in their order, and from the last to the first" if is_machine else ""
    return Proposal(code, f"the enum `{name}` with the name of each variant{note}", "state machine" if is_machine else "enum")


# ---- programs -----------------------------------------------------------------------------------------------------------


def _test(asked: Asked) -> Proposal | None:
    examples = [(call, value) for call, value in _EXAMPLE.findall(asked.text) if call.partition("(")[0] in asked.functions]
    if not examples:
        return None
    name = asked.name(f"test_{examples[0][0].partition('(')[0]}")
    checks = " && ".join(f"{call} == {value}" for call, value in examples)
    return Proposal(f"fn {name}() -> Bool {{\n    {checks}\n}}\n", "true if the examples of the description hold", "test")


def _workflow_step(asked: Asked) -> Proposal | None:
    match = re.search(r"\b(?:input|inputs|reads?)\s+[`'\"]?([a-z_][A-Za-z0-9_]*+)", asked.text)
    if match is None:
        return None
    function = asked.function()
    value = (
        f"{function.name}(text)" if function is not None and function.parameters[0][1] == "String" and function.result else "text"
    )
    result = function.result if function is not None and value != "text" and function.result else "String"
    code = f'fn main() -> {result} !{{step.input}} {{\n    let text = step_input("{match[1]}")\n    {value}\n}}\n'
    return Proposal(
        code,
        f"a step that reads the input `{match[1]}` and gives {'it' if value == 'text' else f'what `{value}` makes of it'}",
        "workflow step",
    )


_PATTERNS: Final[dict[str, tuple[Callable[[Asked], Proposal | None], ...]]] = {
    "function": (_validate, _filter, _filter_by_field, _map, _lookup, _largest, _count, _fold, _parse, _fields),
    "record": (_record,),
    "enum": (_enum,),
    "workflow_step": (_workflow_step,),
    "test": (_test,),
}
_OF_LISTS: Final = ("map", "fold", "lookup")
"""Patterns that a single word chooses: the other words could ask for something else, such as "even"."""


def proposals(asked: Asked, kind: str | None) -> list[Proposal]:
    """The code of all patterns that fit, the most specific first. If the description has a condition, only patterns that read it."""
    if kind is None:
        chosen = [*_PATTERNS["test"], *_PATTERNS["enum"], *_PATTERNS["record"], *_PATTERNS["function"]]
        if "step" in asked.words:
            chosen += _PATTERNS["workflow_step"]
    else:
        chosen = list(_PATTERNS.get(kind, ()))
    fitting = [proposal for pattern in chosen if (proposal := pattern(asked)) is not None]
    is_whole = not restricts(asked.text)
    is_about_lists = is_whole and is_understood(asked.words, asked.known_names())
    return [
        proposal
        for proposal in fitting
        if proposal.has_condition or proposal.pattern == "test" or (is_about_lists if proposal.pattern in _OF_LISTS else is_whole)
    ]

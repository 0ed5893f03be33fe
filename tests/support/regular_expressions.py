"""Every regular expression of the two packages, how it is used, and texts that would make a careless one slow."""

from __future__ import annotations

import ast
import importlib
import re
import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as sre  # type: ignore[import-not-found]
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("analysis", "boruna_ls")
METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "split")
ENDS = ("", "\0", "\n", '"', "\\", "é ", "/", "*", "x\n")
"""Suffixes after the repeated part, so that the whole does not match."""
MANY = 60
_SAMPLES = 4
_USES = re.compile(r"^(?:import|from) re\b", re.MULTILINE)


@dataclass(frozen=True)
class Expression:
    """A pattern, where it is written, and the methods that are called on it."""

    place: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


def modules() -> list[str]:
    """The modules that make or use regular expressions."""
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [_name(path) for path in paths if path.name != "__main__.py" and _USES.search(path.read_text("utf-8"))]


@cache
def expressions(module: str) -> list[Expression]:
    """Those that are compiled when a module is imported, and those that are written where they are used."""
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found: dict[tuple[Any, int], Expression] = {}
    for one in (*_written(path), *_compiled(path, module)):
        found.setdefault((one.pattern.pattern, one.pattern.flags), one)
    return list(found.values())


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _compiled(path: Path, name: str) -> Iterator[Expression]:
    source = path.read_text("utf-8")
    own = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for variable, value in vars(importlib.import_module(name)).items():
        for pattern in _held(value) if variable in own else ():
            methods = [method for method in METHODS if re.search(rf"\b{variable}\.{method}\b", source)]
            # One in a table is used under another name, perhaps elsewhere.
            methods = methods or [method for method in METHODS if f".{method}(" in source] or ["search", "findall", "fullmatch"]
            yield Expression(f"{name}.{variable}", pattern, tuple(methods))


def _held(value: Any, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    """The patterns in a value: in its items, entries and attributes, too."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        yield from _held([*value, *value.values()], depth)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from _held(part, depth - 1)
    elif depth and type(value).__module__.startswith(PACKAGES) and is_dataclass(value):
        for attribute in fields(value):
            yield from _held(getattr(value, attribute.name, None), depth - 1)


def _written(path: Path) -> Iterator[Expression]:
    tree = ast.parse(path.read_text("utf-8"))
    at_import = {
        id(inner) for statement in tree.body if isinstance(statement, ast.Assign | ast.AnnAssign) for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in at_import or not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
        ):
            continue
        if node.func.attr not in (*METHODS, "compile") or not node.args:
            continue
        text = _constant(node.args[0])
        if text is not None:
            flags = re.compile(text).flags
            for flag in (name for name in ("MULTILINE", "DOTALL", "IGNORECASE", "ASCII") if f"re.{name}" in ast.unparse(node)):
                flags |= int(getattr(re, flag))
            methods = METHODS if node.func.attr == "compile" else (node.func.attr,)
            pattern = re.compile(text, flags & ~int(re.UNICODE))
            yield Expression(f"{path.relative_to(ROOT)}:{node.lineno}", pattern, methods)


def _constant(node: ast.expr) -> str | bytes | None:
    """The text of a literal; the parts of an f-string that are computed are taken for a word. None if that is no pattern."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [str(part.value) if isinstance(part, ast.Constant) else "word" for part in node.values]
        try:
            re.compile("".join(parts))
        except re.error:
            return None
        return "".join(parts)
    return None


# ---- texts -------------------------------------------------------------------------------------------------------


def attacks(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """Texts of about a length: what can be repeated, many times, behind what leads there, and an end that does not fit."""
    text = pattern.pattern
    tree = sre.parse(text, pattern.flags)
    pumps = dict.fromkeys(_pumps(list(tree)))
    # Of a pattern of many alternatives each is tried with few ends: it would take minutes with all.
    ends = ENDS if len(pumps) <= MANY else ENDS[:2]
    for lead, pump in pumps:
        if not pump:
            continue
        for end in ends:
            made = lead + pump * (length // len(pump) + 1) + end
            yield made.encode("latin-1", "replace") if isinstance(text, bytes) else made


def _pumps(items: list[Any], lead: str = "") -> Iterator[tuple[str, str]]:
    """Pairs of what comes before a repetition and what is repeated; each beginning of a pattern may be repeated, too."""
    for item in items:
        operator, value = item
        if operator in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            bodies = _samples(list(value[2]))
            for body in bodies:
                yield lead, body
                yield "", lead + body
            if len(bodies) > 1:
                yield lead, "".join(bodies)
            yield from _pumps(list(value[2]), lead)
        for inner in _inner(item):
            yield from _pumps(inner, lead)
        lead += next(iter(_samples([item])), "")
        if lead:
            yield "", lead


def _inner(item: Any) -> list[list[Any]]:
    operator, value = item
    if operator is kinds.SUBPATTERN:
        return [list(value[3])]
    if operator is kinds.ATOMIC_GROUP:
        return [list(value)]
    if operator is kinds.BRANCH:
        return [list(branch) for branch in value[1]]
    return []


def _samples(items: list[Any]) -> list[str]:
    """Some short texts that the items match."""
    made = [""]
    for operator, value in items:
        pieces = [""]
        if operator is kinds.LITERAL:
            pieces = [chr(value)]
        elif operator is kinds.NOT_LITERAL:
            pieces = ["x" if value != ord("x") else "y"]
        elif operator is kinds.ANY:
            pieces = ["x"]
        elif operator is kinds.IN:
            pieces = _members(value)
        elif operator in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            pieces = [piece * max(1, value[0]) for piece in _samples(list(value[2]))]
        elif operator is kinds.SUBPATTERN:
            pieces = _samples(list(value[3]))
        elif operator is kinds.ATOMIC_GROUP:
            pieces = _samples(list(value))
        elif operator is kinds.BRANCH:
            pieces = [piece for branch in value[1] for piece in _samples(list(branch))[:2]]
        made = [one + piece for one in made for piece in pieces[:_SAMPLES]][: 2 * _SAMPLES]
    return list(dict.fromkeys(made))


def _members(value: Any) -> list[str]:
    allowed = re.compile(_set_text(value), re.DOTALL)
    return [
        one
        for one in ("a", "A", "0", " ", "_", "\\", '"', "/", ".", "-", "\n", "*", ",", "é", "\x01", "'", "`", "{", "‘", "“")
        if allowed.match(one)
    ]


def _set_text(value: Any) -> str:
    parts = []
    for operator, inner in value:
        if operator is kinds.NEGATE:
            parts.append("^")
        elif operator is kinds.LITERAL:
            parts.append(re.escape(chr(inner)))
        elif operator is kinds.RANGE:
            parts.append(f"{re.escape(chr(inner[0]))}-{re.escape(chr(inner[1]))}")
        elif operator is kinds.CATEGORY:
            parts.append({"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}.get(str(inner).removeprefix("CATEGORY_"), r"\w"))
    return f"[{''.join(parts)}]"

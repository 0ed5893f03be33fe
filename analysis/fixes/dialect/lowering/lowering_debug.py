"""`{:?}` of Rust: values as texts that name their variants and fields, with quotes around texts."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.lowering.lowering_zeros import Zeros
from analysis.fixes.dialect.lowering.writer import ANY, CONCAT, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head, is_char
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.typing.operation_names import SHOWING

_DEEPEST: Final = 5
_PLAIN: Final = {"Int": "__builtin_int_to_string", "Bool": "__builtin_bool_to_string"}

_OTHERWISE: Final = frozenset("python javascript typescript go ruby php lua julia nim elixir zig cpp".split())
"""Languages that show a variant by more than its name, by less, or not at all."""


class DebugTexts(Zeros):
    """`debug_text` writes a value by its type."""

    def is_plain_enum(self, node: n.Expr) -> bool:
        """True if a value's text is its variant's name, as Scala, Kotlin, F# and Haskell show it."""
        enum = self.program.enums.get(head(node.ty))
        is_shown = self.program.habit not in _OTHERWISE and enum is not None
        return is_shown and enum is not None and all(not each.payload for each in enum.variants)

    def _named(self, node: n.Call, function: n.Name, expected: Type | None) -> Code:
        is_shown = function.name in SHOWING and function.name not in self.program.functions and len(node.arguments) == 1
        if is_shown and self.is_plain_enum(node.arguments[0].value):
            return self.debug_text(node.arguments[0].value)
        return super()._named(node, function, expected)

    def _method(self, node: n.Call, member: n.Member) -> Code:
        if member.name in SHOWING and not node.arguments and self.is_plain_enum(member.object):
            return self.debug_text(member.object)
        return super()._method(node, member)

    def debug_text(self, node: n.Expr) -> Code:
        name = self.named(self.lower(node), "shown")
        return self._debug(name, node.ty, 0, node.start)

    def _debug(self, text: str, kind: Type | None, depth: int, start: int) -> Code:
        word = head(kind)
        if depth > _DEEPEST:
            raise Untranslatable("a value of many parts as text", start)
        if word in _PLAIN:
            return Code(f"{_PLAIN[word]}({text})")
        if word == "Float":
            return self.float_text(n.Name(text, ty=kind))
        if word == "String":
            quote = "'" if is_char(kind) else '\\"'
            return Code(f'"{quote}" ++ {text} ++ "{quote}"', CONCAT)
        if word == "Unit":
            return Code('"()"')
        if word == "List":
            opening, closing = ("{", "}") if kind is not None and kind.resolved().trait == "set" else ("[", "]")
            return self._debug_items(text, argument(kind), (opening, closing), depth, start)
        if word in ("Option", "Result"):
            rows = [("Some", 0), ("None", -1)] if word == "Option" else [("Ok", 0), ("Err", 1)]
            return self._debug_arms(text, [(name, [argument(kind, at)] if at >= 0 else []) for name, at in rows], depth, start)
        if kind is not None and word == "Tuple":
            parts = [(self.tuple_field(at), "", part) for at, part in enumerate(kind.resolved().arguments)]
            return self._debug_fields(text, "(", parts, ")", depth, start)
        return self._debug_own(text, word, depth, start)

    def _debug_own(self, text: str, word: str, depth: int, start: int) -> Code:
        if word in self.program.records:
            fields = self.program.records[word].fields
            parts = [(name, f"{name}: ", kind) for name, kind in fields.items()]
            return self._debug_fields(text, f"{word} {{ ", parts, " }", depth, start) if parts else Code(f'"{word}"')
        if word in self.program.enums:
            return self._debug_enum(text, self.program.enums[word], depth, start)
        raise Untranslatable(f"a value of type {word or 'that cannot be told'} as text", start)

    def _debug_items(self, text: str, item: Type, brackets: tuple[str, str], depth: int, start: int) -> Code:
        texts, name = self.fresh("texts"), self.fresh("item")
        with self.captured() as body:
            shown = self._debug(name, item, depth + 1, start)
        push = f"{texts} = list_push({texts}, {shown.text})"
        lines = "\n".join([*body, push])
        self.before += [f"let mut {texts}: List<String> = []", f"for {name} in {text} {{ {lines} }}"]
        opening, closing = brackets
        return Code(f'"{opening}" ++ __builtin_string_join({texts}, ", ") ++ "{closing}"', CONCAT)

    def _debug_fields(
        self, text: str, opening: str, parts: list[tuple[str, str, Type]], closing: str, depth: int, start: int
    ) -> Code:
        pieces: list[str] = []
        for place, (field, label, kind) in enumerate(parts):
            sign = f"{', ' if place else opening}{label}"
            pieces += [f'"{sign}"', self._debug(f"{text}.{field}", kind, depth + 1, start).at(CONCAT + 1)]
        return Code(" ++ ".join([*pieces, f'"{closing}"']), CONCAT)

    def _debug_enum(self, text: str, enum: n.Enum, depth: int, start: int) -> Code:
        arms: list[str] = []
        for variant in enum.variants:
            if not variant.payload:
                arms.append(f'{variant.name} => "{variant.name}"')
                continue
            inner = self.fresh("inner")
            with self.captured() as body:
                shown = self._debug_payload(inner, variant, depth, start)
            value = shown.text
            arms.append(
                f"{variant.name}({inner}) => {{ {chr(10).join([*body, value])} }}"
                if body
                else f"{variant.name}({inner}) => {value}"
            )
        return Code(f"match {text} {{ {', '.join(arms)} }}", ANY)

    def _debug_payload(self, text: str, variant: n.Variant, depth: int, start: int) -> Code:
        """`Tri(3, 4, 5)`, `Rect { w: 1, h: 2 }`: of several values, which stand in a record."""
        if not self.is_bundled(variant):
            shown = self._debug(text, variant.payload[0], depth + 1, start)
            return Code(f'"{variant.name}(" ++ {shown.at(CONCAT + 1)} ++ ")"', CONCAT)
        fields = zip(self.payload_fields(variant), variant.payload, strict=True)
        parts = [(name, f"{name}: " if variant.names else "", kind) for name, kind in fields]
        opening, closing = (" { ", " }") if variant.names else ("(", ")")
        return self._debug_fields(text, f"{variant.name}{opening}", parts, closing, depth, start)

    def _debug_arms(self, text: str, rows: list[tuple[str, list[Type]]], depth: int, start: int) -> Code:
        arms: list[str] = []
        for name, payload in rows:
            if not payload:
                arms.append(f'{name} => "{name}"')
                continue
            inner = self.fresh("inner")
            with self.captured() as body:
                shown = self._debug(inner, payload[0], depth + 1, start)
            value = f'"{name}(" ++ {shown.at(CONCAT + 1)} ++ ")"'
            arms.append(f"{name}({inner}) => {{ {chr(10).join([*body, value])} }}" if body else f"{name}({inner}) => {value}")
        return Code(f"match {text} {{ {', '.join(arms)} }}", ANY)

"""Collections, tuples and what may be absent as texts, as the language of a program shows them."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.lowering.lowering_debug import DebugTexts
from analysis.fixes.dialect.lowering.writer import ANY, CONCAT, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.typing.own_operators import text_method
from analysis.fixes.dialect.typing.shown_styles import JSON, ShownStyle, shown_style

_DEEPEST: Final = 4
_PLACES: Final = (
    "@string_index_of",
    "@list_index_of",
    "@find_index",
    "@string_last_index_of",
    "@list_last_index_of",
    "@find_last_index",
)
_GIVING_MINUS: Final = frozenset(
    "find indexOf findIndex lastIndexOf IndexOf FindIndex LastIndexOf rfind findLastIndex indexWhere".split()
)
"""Words that give -1 for no place."""
_OPTIONAL: Final = frozenset(
    "find headOption lastOption lookup get getOrNull firstOrNull lastOrNull maxOrNull minOrNull toIntOrNull detect".split()
)
"""Words that give a value which may be absent in every language that has them."""
_PARTS: Final = ("List", "Tuple", "Map", "Option")


class ShownTexts(DebugTexts):
    """`shown_text` writes one by its type; None where nothing says how the language shows it."""

    def shown_text(self, node: n.Expr, style: ShownStyle | None = None) -> Code | None:
        style = style or shown_style(self.program)
        if style is None or head(node.ty) not in _PARTS:
            return None
        is_bare = style.some == ("", "") and style.none != "None"
        if head(node.ty) == "Option" and (is_bare or _gives_minus(node) or not self._may_be_absent(node)):
            return None
        name = self.named(self.lower(node), "shown")
        return self._shown(name, node.ty, style, 0, node.start)

    def as_text(self, node: n.Expr) -> Code:
        """Also a place that a program shows: -1 where there is none, as its language gives it."""
        if _gives_minus(node):
            node.ty = INT
        return super().as_text(node)

    def _may_be_absent(self, node: n.Expr) -> bool:
        """True if a value may be absent in the language of the program, too: there some words give the value itself."""
        if isinstance(node, (n.Name, n.Literal)):
            return self.program.habit == "python"
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.operation is None:
            return node.function.name in self.program.definitions or node.function.name == "Some"
        operation = node.operation if isinstance(node, (n.Call, n.Member)) else None
        if operation is not None:
            return operation.name in _OPTIONAL
        return isinstance(node, n.Member) and head(node.object.ty) in self.program.records

    def write_json_text(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        name = self.named(self.lower(operands[0]), "shown")
        return self._shown(name, operands[0].ty, JSON, 0, node.start)

    def write_shown_text(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        style = shown_style(self.program)
        if _gives_minus(operands[0]):
            return self.as_text(operands[0])
        if head(operands[0].ty) == "Option":
            if style is None or style.none in ("nil", "undefined") or not self._may_be_absent(operands[0]):
                # Nobody asks whether there is one.
                return self.as_text(operands[0])
            name = self.named(self.lower(operands[0]), "shown")
            return self._shown_option(name, argument(operands[0].ty), style, 0, node.start)
        shown = self.shown_text(operands[0])
        if shown is None:
            raise Untranslatable(f"a value of type {head(operands[0].ty)} as text", node.start)
        return shown

    def _shown(self, text: str, kind: Type | None, style: ShownStyle, depth: int, start: int) -> Code:
        word = head(kind)
        if depth > _DEEPEST:
            raise Untranslatable("a value of many parts as text", start)
        if word == "String":
            return Code(f'"{style.quote}" ++ {text} ++ "{style.quote}"', CONCAT) if style.quote else Code(text)
        if word in ("Int", "Float", "Bool"):
            return self.as_text(n.Name(text, ty=kind))
        if word == "List":
            is_set = kind is not None and kind.resolved().trait == "set"
            return self._shown_items(text, argument(kind), (style.sets if is_set else None) or style.items, style, depth, start)
        if word == "Tuple" and kind is not None:
            kinds = kind.resolved().arguments
            parts = [("", f"{text}.{self.tuple_field(at)}", part) for at, part in enumerate(kinds)]
            return self._shown_parts(parts, style.parts, style, depth, start)
        if word == "Map":
            return self._shown_map(text, kind, style, depth, start)
        if word == "Option":
            return self._shown_option(text, argument(kind), style, depth, start)
        return self._shown_own(text, word, style, depth, start)

    def _shown_own(self, text: str, word: str, style: ShownStyle, depth: int, start: int) -> Code:
        record = self.program.records.get(word)
        if style is JSON and record is not None:
            parts = [(f'\\"{name}\\":', f"{text}.{name}", part) for name, part in record.fields.items()]
            return self._shown_parts(parts, ("{", ",", "}"), style, depth, start)
        method = text_method(self.program, word)
        value = n.Name(text, ty=Type(word))
        if method is not None and style is not JSON:
            return Code(f"{method}({text})")
        if word in self.program.enums and self.is_plain_enum(value) and style is not JSON:
            return self.debug_text(value)
        raise Untranslatable(f"a value of type {word or 'that cannot be told'} as text", start)

    def _shown_items(self, text: str, item: Type, signs: tuple[str, str, str], style: ShownStyle, depth: int, start: int) -> Code:
        texts, name = self.fresh("texts"), self.fresh("item")
        with self.captured() as body:
            shown = self._shown(name, item, style, depth + 1, start)
        lines = "\n".join([*body, f"{texts} = list_push({texts}, {shown.text})"])
        self.before += [f"let mut {texts}: List<String> = []", f"for {name} in {text} {{ {lines} }}"]
        joined = f'__builtin_string_join({texts}, "{signs[1]}")'
        return Code(f'"{signs[0]}" ++ {joined} ++ "{signs[2]}"', CONCAT) if signs[0] else Code(joined)

    def _shown_parts(
        self, parts: list[tuple[str, str, Type]], signs: tuple[str, str, str], style: ShownStyle, depth: int, start: int
    ) -> Code:
        pieces: list[str] = []
        for place, (label, text, kind) in enumerate(parts):
            pieces += [
                f'"{signs[1] if place else signs[0]}{label}"',
                self._shown(text, kind, style, depth + 1, start).at(CONCAT + 1),
            ]
        return Code(" ++ ".join([*pieces, f'"{signs[2]}"']), CONCAT)

    def _shown_map(self, text: str, kind: Type | None, style: ShownStyle, depth: int, start: int) -> Code:
        if head(argument(kind)) != "String":
            raise Untranslatable("a map with keys that are no texts as text", start)
        if style.keeps_order:
            self.guess("__builtin_map_", "entries are shown in the order of their keys")
        texts, key, value = self.fresh("texts"), self.fresh("key"), self.fresh("value")
        with self.captured() as body:
            shown = self._shown(value, argument(kind, 1), style, depth + 1, start)
        opening, arrow, comma, closing = style.entries
        entry = f'"{style.quote}" ++ {key} ++ "{style.quote}{arrow}" ++ {shown.at(CONCAT + 1)}'
        lines = "\n".join([*body, f"{texts} = list_push({texts}, {entry})"])
        self.before += [
            f"let mut {texts}: List<String> = []",
            f"for {key} in __builtin_map_keys({text}) {{ match __builtin_map_get({text}, {key}) {{ "
            f"Some({value}) => {{ {lines} }}, None => {{}} }} }}",
        ]
        return Code(f'"{opening}" ++ __builtin_string_join({texts}, "{comma}") ++ "{closing}"', CONCAT)

    def _shown_option(self, text: str, held: Type, style: ShownStyle, depth: int, start: int) -> Code:
        inner = self.fresh("inner")
        with self.captured() as body:
            # A text alone has no quotes; one in a list or beside a sign of its own has them.
            is_bare = style.some == ("", "") and depth == 0 and head(held) == "String"
            shown = Code(inner) if is_bare else self._shown(inner, held, style, depth + 1, start)
        value = shown.text
        if style.some != ("", ""):
            before, behind = style.some
            value = f'"{before}" ++ {shown.at(CONCAT + 1)}' + (f' ++ "{behind}"' if behind else "")
        if style.has_signs and head(held) in ("Int", "Float"):
            value = f'if {inner} < 0 {{ "{style.some[0]}(" ++ {shown.text} ++ ")" }} else {{ {value} }}'
        arm = f"{{ {chr(10).join([*body, value])} }}" if body or style.has_signs else value
        return Code(f'match {text} {{ Some({inner}) => {arm}, None => "{style.none}" }}', ANY)


def _gives_minus(node: n.Expr) -> bool:
    """True for a look-up that gives -1 where there is no place."""
    operation = node.operation if isinstance(node, n.Call) else None
    return operation is not None and operation.template in _PLACES and operation.name in _GIVING_MINUS

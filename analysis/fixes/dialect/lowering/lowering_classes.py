"""Operations of class libraries that are written out: texts that grow, other number bases, changes inside of maps."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.lowering.lowering_collections import Collections
from analysis.fixes.dialect.lowering.writer import CONCAT, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, STRING, Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_CLASS: Final = re.compile(r"\[(\^?)((?:[A-Za-z0-9 _,.!?'-]|\\\\[swd])+)\]\+?")
_NAMED: Final = {"s": "string_is_space", "d": "string_is_digit"}


class ClassLibraries(Collections):
    """Each `write_NAME` is the operation `@NAME` of the lexicon."""

    def write_append_text(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        left, right = self.lower(operands[0]).at(CONCAT), self.as_text(operands[1]).at(CONCAT + 1)
        return Code(f"{left} ++ {right}", CONCAT)

    def write_join(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """Items joined; those that are no texts are written as such first."""
        item = self.item_type(operands[0])
        between = self.value(operands[1], STRING) if len(operands) > 1 else '", "'
        if head(item) not in ("Int", "Float", "Bool"):
            return Code(f"__builtin_string_join({self.value(operands[0])}, {between})")
        out, name = self.fresh("texts"), self.fresh("item")
        self.before.append(f"let mut {out}: List<String> = []")
        self.each(operands[0], name, [f"{out} = list_push({out}, {self.as_text(n.Name(name, ty=item)).text})"])
        return Code(f"__builtin_string_join({out}, {between})")

    def write_set_adds(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`seen.add(x)` as a condition: whether the item was missing, which it is no longer."""
        item, missing = self.named(self.lower(operands[1]), "item"), self.fresh("is_new")
        owner = self.value(operands[0])
        self.before.append(f"let {missing} = !{self.library('list_contains')}({owner}, {item})")
        changed = "\n".join(self.assigned(operands[0], f"list_push({owner}, {item})"))
        self.before.append(f"if {missing} {{ {changed} }}")
        return Code(missing)

    def write_to_base(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A number in a base up to 36."""
        base = self.named(self.lower(operands[1], INT), "base")
        number = self.named(self.lower(operands[0]), "number")
        rest, digits = self.fresh("rest"), self.fresh("digits")
        sign = self.library("string_char_at") + f'("0123456789abcdefghijklmnopqrstuvwxyz", {rest} % {base})'
        self.before += [
            f"let mut {rest} = {self.library('int_abs')}({number})",
            f'let mut {digits} = if {rest} == 0 {{ "0" }} else {{ "" }}',
            f"while {rest} > 0 {{ {digits} = {sign} ++ {digits}\n{rest} = {rest} / {base} }}",
            f'if {number} < 0 {{ {digits} = "-" ++ {digits} }}',
        ]
        return Code(digits)

    def write_to_binary(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_to_base([operands[0], n.Literal("int", "2", ty=INT)], node, expected)

    def write_to_hex(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        return self.write_to_base([operands[0], n.Literal("int", "16", ty=INT)], node, expected)

    def write_replace_class(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`s.replaceAll("[^a-z0-9]", "")`: characters of a class replaced; other patterns have no counterpart."""
        pattern, other = operands[1], operands[2]
        text = pattern.text[1:-1] if isinstance(pattern, n.Literal) and pattern.kind == "string" else ""
        if not re.search(r"[\\\[\]+*^$()|]", text):
            texts = ", ".join(self.value(part) for part in operands)
            return Code(f"__builtin_string_replace({texts})")
        if re.fullmatch(r"\\\\[swd]\+?", text):
            text = f"[{text.rstrip('+')}]" + ("+" if text.endswith("+") else "")
        match = _CLASS.fullmatch(text)
        replaced = other.text if isinstance(other, n.Literal) else "?"
        if match is None or (text.endswith("+") and replaced != '""'):
            raise Untranslatable("a regular expression", node.start)
        out, item = self.fresh("kept"), self.fresh("character")
        condition = " || ".join(self._class_parts(match[2], item))
        held = f"{out} = {out} ++ {item}"
        changed = f"{out} = {out} ++ {replaced}" if replaced != '""' else ""
        yes, no = (held, changed) if match[1] else (changed, held)
        self.before.append(f'let mut {out} = ""')
        branches = f"if {condition} {{ {yes} }} else {{ {no} }}" if yes and no else f"if {condition} {{ {yes} }}"
        self.each(operands[0], item, [branches if yes else f"if !({condition}) {{ {no} }}"])
        return Code(out)

    def _class_parts(self, text: str, item: str) -> list[str]:
        parts: list[str] = []
        place = 0
        while place < len(text):
            if text.startswith("\\\\", place):
                word = text[place + 2]
                if word == "w":
                    parts += [f"{self.library('string_is_alphanumeric')}({item})", f'{item} == "_"']
                else:
                    parts.append(f"{self.library(_NAMED[word])}({item})")
                place += 3
            elif text[place + 1 : place + 2] == "-" and place + 2 < len(text):
                parts.append(f'({item} >= "{text[place]}" && {item} <= "{text[place + 2]}")')
                place += 3
            else:
                parts.append(f'{item} == "{text[place]}"')
                place += 1
        return parts

    def write_split_pattern(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`s.split("\\\\s+")`."""
        pattern = operands[1]
        text = pattern.text[1:-1] if isinstance(pattern, n.Literal) and pattern.kind == "string" else ""
        owner = self.value(operands[0])
        if text in ("\\\\s+", " +", "\\\\s", "\\\\s*"):
            return Code(f"{self.library('string_words')}({owner})")
        plain = re.sub(r"\\\\([^A-Za-z0-9])", r"\1", text)
        trimmed = re.fullmatch(r"(?:\\\\s[*+])?([,;:|])(?:\\\\s[*+])?", plain.replace("\\s", "\\\\s"))
        if trimmed is not None and trimmed[1] != plain:
            out, item = self.fresh("parts"), self.fresh("part")
            self.before.append(f"let mut {out}: List<String> = []")
            push = f"{out} = list_push({out}, __builtin_string_trim({item}))"
            self.before.append(f'for {item} in __builtin_string_split({owner}, "{trimmed[1]}") {{ {push} }}')
            return Code(out)
        if "\\" in plain or "[" in plain:
            raise Untranslatable("a regular expression", node.start)
        return Code(f'__builtin_string_split({owner}, "{plain}")')

    def write_replace_one(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """The first occurrence of a text replaced."""
        whole, old = self.named(self.lower(operands[0]), "whole"), self.named(self.lower(operands[1], STRING), "old")
        place, new = self.fresh("place"), self.value(operands[2], STRING, CONCAT)
        cut = self.library("string_substring")
        rest = f"{cut}({whole}, {place} + __builtin_string_len({old}), __builtin_string_len({whole}))"
        parts = f"{cut}({whole}, 0, {place}) ++ {new} ++ {rest}"
        index = f"{self.library('string_index_of')}({whole}, {old})"
        return Code(f"match {index} {{ Some({place}) => {parts}, None => {whole} }}", 0)

    def write_unknown_collection(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        raise Untranslatable("a collection of something whose type cannot be told", node.start)

    # ---- places inside of maps and lists ----

    def write_get_or_put(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """`m.getOrPut(k) { … }`: the entry, which is made first where it is missing."""
        place = self._made_entry(node)
        return self.lower(place)

    def _made_entry(self, node: n.Expr) -> n.Expr:
        assert isinstance(node, n.Call)
        owner, key = node.operands[0], node.arguments[0].value
        self.before += self.assigned(owner, self.value(node.operands[1]))
        return n.Index(owner, key, ty=argument(owner.ty, 1), start=node.start, end=node.end)

    def write_map_new(self, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code:
        """A map that holds nothing yet, or a copy of another one."""
        first = operands[0] if operands else None
        if first is None or (isinstance(first, n.Literal) and first.kind in ("unit", "int")):
            return Code("map_new()")
        if head(first.ty) == "Map" and len(operands) == 1:
            return self.lower(first, expected)
        raise Untranslatable("a map of other things than pairs", node.start)

    def place_of(self, node: n.Expr) -> n.Expr:
        """The place that a call gets a value from: what is changed there is changed in the map or list."""
        if not isinstance(node, n.Call) or node.operation is None or not node.operands:
            return node
        operation, operands = node.operation, node.operands
        if operation.template == "option_unwrap({0})":
            return self.place_of(operands[0])
        is_map = head(operands[0].ty) == "Map"
        if operation.template == "@get_or_put":
            return self._made_entry(node)
        if operation.template.startswith("__builtin_map_get") or operation.template in ("@list_get", "@map_get_or"):
            if operation.template == "@map_get_or":
                return node
            kind = argument(operands[0].ty, 1 if is_map else 0)
            return n.Index(self.place_of(operands[0]), operands[1], ty=kind, start=node.start, end=node.end)
        return node

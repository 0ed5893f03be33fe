"""Help on the builtin functions: signature, meaning, an example with its result, and the names in other languages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from analysis.data_classes import dataclass
from analysis.semantics.builtins import BUILTINS, Builtin
from analysis.suggestions.lexicon import builtins_by_word

_MOST_WORDS: Final = 8
_EXAMPLES: Final = """
list_len([7, 8, 9]) => 3
list_get([7, 8, 9], 0) => 7
list_push([7, 8], 9) => [7, 8, 9]
__builtin_list_len([7, 8, 9]) => 3
__builtin_list_is_empty([]) => true
__builtin_list_head([7, 8]) => Some(7)
__builtin_list_tail([7, 8, 9]) => [8, 9]
__builtin_list_append([7, 8], 9) => [7, 8, 9]
__builtin_list_concat([7], [8, 9]) => [7, 8, 9]
__builtin_list_reverse([7, 8, 9]) => [9, 8, 7]
__builtin_string_len("héllo") => 6
__builtin_string_chars("abc") => ["a", "b", "c"]
str_contains("abc", "b") => true
__builtin_string_contains("abc", "b") => true
str_starts_with("abc", "ab") => true
__builtin_string_starts_with("abc", "ab") => true
__builtin_string_ends_with("abc", "bc") => true
__builtin_string_to_upper("abc") => "ABC"
__builtin_string_to_lower("ABC") => "abc"
__builtin_string_trim("  abc ") => "abc"
__builtin_string_split("a,b", ",") => ["a", "b"]
__builtin_string_join(["a", "b"], ", ") => "a, b"
__builtin_string_replace("a-b-c", "-", "+") => "a+b+c"
__builtin_string_slice("abcdef", 1, 3) => "bc"
parse_int("12") => 12
try_parse_int("12") => Ok(12)
__builtin_int_parse("12") => Some(12)
__builtin_float_parse("1.5") => Some(1.5)
__builtin_int_to_string(12) => "12"
__builtin_float_to_string(1.5) => "1.5"
__builtin_bool_to_string(true) => "true"
__builtin_map_get(__builtin_map_set(map_new(), "a", 1), "a") => Some(1)
__builtin_map_set(map_new(), "a", 1) => {a: 1}
__builtin_map_remove(__builtin_map_set(map_new(), "a", 1), "a") => {}
__builtin_map_contains_key(__builtin_map_set(map_new(), "a", 1), "a") => true
__builtin_map_keys(__builtin_map_set(map_new(), "a", 1)) => ["a"]
__builtin_map_values(__builtin_map_set(map_new(), "a", 1)) => [1]
__builtin_map_len(__builtin_map_set(map_new(), "a", 1)) => 1
__builtin_debug(12) => 12
__builtin_debug_msg("n is", 12) => 12
__builtin_guard(12, 12 > 0, "positive") => 12
map_new() => {}
"""
"""Of every builtin without effects a call and what it gives; the tests run them."""


@dataclass(frozen=True, slots=True)
class BuiltinHelp:
    """`example` is a call, `gives` its result as programs show it; both "" where a call has effects."""

    builtin: Builtin
    example: str
    gives: str
    elsewhere: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """The entry of an answer."""
        entry: dict[str, object] = {
            "name": self.builtin.name,
            "signature": self.builtin.signature,
            "meaning": self.builtin.documentation,
        }
        if self.example:
            entry["example"] = f"{self.example} // {self.gives}"
        if self.elsewhere:
            entry["elsewhere"] = list(self.elsewhere)
        return entry


@cache
def builtin_helps() -> dict[str, BuiltinHelp]:
    """Every builtin by its name."""
    examples = dict(row.split(" => ", 1) for row in _EXAMPLES.strip().split("\n"))
    called = {example.partition("(")[0]: (example, gives) for example, gives in examples.items()}
    words: dict[str, list[str]] = {name: [] for name in BUILTINS}
    for word, name in builtins_by_word():
        words[name].append(word)
    return {
        name: BuiltinHelp(builtin, *called.get(name, ("", "")), elsewhere(name, words[name]))
        for name, builtin in BUILTINS.items()
    }


def elsewhere(name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Other languages' words, without those that differ from the builtin's own in spelling only."""
    own = name.removeprefix("__builtin_").replace("_", "").casefold()
    kept: dict[str, str] = {}
    for word in words:
        folded = word.replace("_", "").casefold()
        if folded != own:
            kept.setdefault(folded, word)
    return tuple(list(kept.values())[:_MOST_WORDS])


def builtins_page() -> str:
    """All builtins as Markdown."""
    lines = ["# Builtin functions", "", "Known to every program, without an import.", ""]
    for entry in builtin_helps().values():
        lines.append(f"- `{entry.builtin.signature.removeprefix('fn ')}` — {entry.builtin.documentation}")
        if entry.example:
            lines.append(f"  `{entry.example}` gives `{entry.gives}`")
        if entry.elsewhere:
            lines.append(f"  elsewhere: {', '.join(entry.elsewhere)}")
    return "\n".join(lines) + "\n"

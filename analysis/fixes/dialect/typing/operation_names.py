"""Operations that names of other languages mean, by their context."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.derived import is_derived
from analysis.suggestions.lexicon import KINDS, operations

HEAPS: Final = ("BinaryHeap", "PriorityQueue", "priority_queue")
EMPTY: Final = ("new", "empty", "with_capacity", "default", "New", "init")
COMPARING: Final = ("cmp", "partial_cmp", "compareTo", "localeCompare", "compare")
PLAIN: Final = ("String", "Int", "Float", "Bool")
NUMBERED: Final = ("map", "select", "forEach", "for_each", "flatMap", "flat_map", "filter", "where", "some", "every")
OPTIONAL: Final = frozenset(
    "@list_first @list_last @list_max @list_min @list_pop @list_shift @find @max_by @max_by_last @min_by @list_index_of "
    "@find_index @string_index_of @parse_int @parse_float @find_last @find_last_index "
    "&text_last_index_of &text_index_from @list_last_index_of @keys_max_by @keys_min_by @entries_max_by @entries_min_by".split()
)
"""Operations whose result is an Option, or its content where that is expected."""
VALUES: Final = frozenset(
    "head_of last_of indexOf lastIndexOf findIndex findLastIndex rfind rindex index "
    " max_of min_of max_of_by min_of_by int float popleft pop_value to_i to_f intValue tonumber".split()
)
"""Operations that give no Option in the languages that call them so: -1 for no place, or they fail."""
OF_NUMBERS: Final = frozenset("sum product max min max_of min_of maximum minimum sort sorted sort_desc".split())
"""Operations on a list that work on no Options: what is absent ends the run."""
FROM_CHARACTERS: Final = ("from_chars", "of_chars", "from_list", "implode", "from_char_list", "concat", "of_list", "pack")
"""Functions that make a text of its characters."""
FAILING: Final = frozenset("hd head last find max min maxBy minBy findIndex".split())
"""Functions of the modules of OCaml and F# that fail where there is no value; those of Elm and Gleam give an Option."""
SHOWING: Final = ("show", "show_value", "toString", "to_string", "inspect")
"""Functions that give a value as text, of an enum the name of its variant."""
PARTIAL: Final = frozenset(("head", "last", "hd", "maximum", "minimum", "foldl1", "foldr1"))
"""Functions without a module that fail where there is no value; those of modules give an Option."""
_FROM_LISTS: Final = (
    "of_list",
    "ofList",
    "fromList",
    "from_list",
    "of_seq",
    "ofSeq",
    "of_array",
    "ofArray",
    "fromArray",
    "from_enum",
)
"""Functions of modules that make what the module is about from a list."""


def is_operation(kind: str, name: str, count: int) -> bool:
    """True if the lexicon has an operation, or other ones make it."""
    return (kind, name, count) in operations() or is_derived(kind, name, count)


def converting(module: str, kind: str, name: str, count: int, held: str) -> str:
    """The operation that a module's function is, where its name has another meaning for values."""
    if (module, name, count) in (("list", "scan", 3), ("Enum", "scan", 3)):
        # Of Gleam and Elixir, without the value that it begins with.
        return "scan_rest"
    if count != 1 or held not in ("List", ""):
        return name
    if kind == "String":
        return "join" if name in ("concat", "fromList", "from_list", "implode", "of_seq", "fromCharList", "join") else name
    if name not in _FROM_LISTS:
        return name
    if module.lower() in ("set", "hashset", "mapset"):
        return "unique"
    return "from_list" if kind == "Map" else "to_list"


def takes_entry(function: n.Expr) -> bool:
    """True if a closure over a map's values takes entries, as in Kotlin: it asks for their parts."""
    if not isinstance(function, n.Lambda):
        return False
    if len(function.parameters) != 1 or isinstance(function.parameters[0], n.TuplePattern):
        return True
    name = function.parameters[0].name if isinstance(function.parameters[0], n.Binding) else ""
    return any(
        isinstance(node, n.Member)
        and isinstance(node.object, n.Name)
        and node.object.name == name
        and node.name in ("key", "value")
        for node in walk(function.body)
    )


_BARS: Final = re.compile(r"(?:\{[ \t]{0,9}|do[ \t]{1,9})?\|")


def numbers_items(function: n.Expr, item: Type, source: str) -> bool:
    """True if a closure takes an item and its place; the parts of a tuple are taken as such, in Ruby also those of a list."""
    if not isinstance(function, n.Lambda) or len(function.parameters) != 2 or _BARS.match(source, function.start):
        return False
    return head(item) not in ("", "Tuple") or (head(item) == "" and isinstance(function.parameters[1], n.Wildcard))


def without_kind(name: str) -> str:
    prefix, _, rest = name.partition("_")
    if "_to_" in name:
        return "to_" + name.rpartition("_to_")[2].replace("str", "string").replace("stringing", "string")
    return rest if prefix in KINDS else name


def takes_item_first(kind: str, first: str, second: str) -> bool:
    """True if of the arguments of `cons` the second one is the list: not where it is piped and so stands first."""
    return "List" in (second, kind) and (first != "List" or second in ("List", ""))


def settle_conversion(function: n.Expr, wanted: Type) -> None:
    """Makes `int.parse`, given as a function where an Option or a Result is wanted, one that gives it."""
    body = function.body if isinstance(function, n.Lambda) else None
    if head(wanted) in ("Option", "Result") and isinstance(body, n.Call) and isinstance(body.function, n.Member):
        body.function.name = "to_int" if body.function.name == "to_number" else body.function.name

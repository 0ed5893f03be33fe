"""Calls of the modules of OCaml, F#, Elm and Haskell, as methods that the lexicon knows.

Rows: modules, functions, the number of arguments, and what stands for a call (`class_library` says how a form is written).
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.libraries.class_library import forms, made
from analysis.fixes.dialect.libraries.functional_modules import knows, of_module, piped_to_module
from analysis.fixes.dialect.tree import nodes as n

_ROWS: Final = """
Hashtbl | add replace | 3 | 0 insert 1 2
Hashtbl | find | 2 | 0 getValue 1
Hashtbl | find_opt | 2 | 0 get 1
Hashtbl | mem | 2 | 0 contains_key 1
Hashtbl | remove | 2 | 0 remove 1
Hashtbl | length | 1 | 0 len
Hashtbl | iter | 2 | 1 for_each 0
Hashtbl | copy | 1 | 0
Array | make create | 2 | 1 repeated 0
Array | set | 3 | 0 set 1 2
Array | get | 2 | 0 get 1
Array | copy | 1 | 0
String | make | 2 | 1 repeat 0
String | get | 2 | 0 char_at 1
String | split_on_char | 2 | 1 split 0
String | uppercase_ascii uppercase | 1 | 0 to_upper
String | lowercase_ascii lowercase | 1 | 0 to_lower
String | capitalize_ascii | 1 | 0 capitalize
String | equal | 2 | 0 == 1
String | of_int | 1 | 0 to_string
Char | uppercase_ascii | 1 | 0 to_upper
Char | lowercase_ascii | 1 | 0 to_lower
Char | code | 1 | 0 ord
Char | chr | 1 | 0 chr
Char | isDigit | 1 | 0 is_digit
Char | isAlpha | 1 | 0 is_letter
Char | isAlphaNum | 1 | 0 is_alphanumeric
Char | isUpper | 1 | 0 is_upper
Char | isLower | 1 | 0 is_lower
Char | isSpace | 1 | 0 is_space
Char | toUpper | 1 | 0 to_upper
Char | toLower | 1 | 0 to_lower
Char | toCode | 1 | 0 ord
Char | fromCode | 1 | 0 chr
Int | equal | 2 | 0 == 1
Buffer | add_string add_char | 2 | 0 append 1
Buffer | contents | 1 | 0
String | split_on_char | 2 | 1 split 0
Buffer | length | 1 | 0 len
Map M | findWithDefault | 3 | 2 get_or 1 0
Map M | insertWith | 4 | 3 insert_with 1 2 0
Map M | adjust | 3 | 2 adjust_entry 1 0
Map M | fromListWith | 2 | 1 to_map_with 0
Map M | foldrWithKey | 3 | 2 fold_entries_right 1 0
Map M | foldlWithKey | 3 | 2 fold_entries 1 0
Map M | elems | 1 | 0 values
Map M | assocs toAscList | 1 | 0 entries_sorted
Map | fold | 3 | 2 fold_entries 1 0
Map | foldBack | 3 | 1 fold_entries_right 2 0
Map | exists | 2 | 1 any 0
Map | forall | 2 | 1 all 0
Map | count | 1 | 0 len
Result | fromMaybe | 2 | 1 ok_or 0
Result | fromOption | 2 | 1 ok_or 0
Dict | foldl | 3 | 2 fold_entries_last 1 0
"""
ITEM_FIRST: Final = ("List", "Array", "Set", "String")
"""Modules of Elm, whose `foldl` gives the item first."""
_FUNCTIONS: Final = {
    ("isPrefixOf", 2): ("1", "starts_with", "0"), ("isSuffixOf", 2): ("1", "ends_with", "0"),
    ("isInfixOf", 2): ("1", "contains", "0"),
    ("splitOn", 2): ("1", "split", "0"), ("chunksOf", 2): ("1", "chunks", "0"), ("subtract", 2): ("1", "-", "0"),
    ("divMod", 2): ("0", "divmod", "1"), ("lcm", 2): ("0", "lcm", "1"),
    ("either", 3): ("2", "either", "0", "1"), ("digitToInt", 1): ("0", "digit_value"), ("span", 2): ("1", "span", "0"),
    ("group", 1): ("0", "equal_runs"), ("head", 1): ("0", "head_of"), ("last", 1): ("0", "last_of"),
    ("clamp", 3): ("2", "clamp", "0", "1"), ("xor", 2): ("0", "differs", "1"), ("defaultArg", 2): ("0", "unwrap_or", "1"),
    ("int_of_char", 1): ("0", "ord"), ("char_of_int", 1): ("0", "chr"), ("replicate", 2): ("1", "replicated", "0"),
    ("pown", 2): ("0", "pow", "1"),
    ("scanl1", 2): ("1", "scan_first", "0"), ("scanr", 3): ("2", "scan_right", "1", "0"),
    ("zip3", 3): ("0", "zip_three", "1", "2"), ("zipWith3", 4): ("1", "zip_three_with", "2", "3", "0"),
    ("dropWhileEnd", 2): ("1", "drop_while_end", "0"), ("break_at", 2): ("1", "broken_at", "0"),
    ("insert", 2): ("1", "insert_sorted", "0"), ("tails", 1): ("0", "ends_of"), ("inits", 1): ("0", "beginnings_of"),
    ("transpose", 1): ("0", "transposed"), ("stripPrefix", 2): ("1", "without_prefix", "0"),
    ("elemIndex", 2): ("1", "elemIndex", "0"), ("findIndex", 2): ("1", "findIndex", "0"), ("lefts", 1): ("0", "error_values"),
    ("rights", 1): ("0", "ok_values"), ("partitionEithers", 1): ("0", "errors_and_oks"), ("ceiling", 1): ("0", "ceil"),
    ("toFloat", 1): ("0", "to_float"), ("succ", 1): ("0", "successor"), ("pred", 1): ("0", "predecessor"),
    ("unzip", 1): ("0", "halves"), ("unzip3", 1): ("0", "thirds"), ("intToDigit", 1): ("0", "to_base_int_16"),
    ("maybeToList", 1): ("0", "listed_option"), ("listToMaybe", 1): ("0", "as_option"),
    ("elemIndices", 2): ("1", "places_of", "0"),
    ("findIndices", 2): ("1", "places_where", "0"), ("delete_first", 2): ("1", "without_first", "0"),
    ("subsequences", 1): ("0", "all_subsequences"), ("union_of", 2): ("0", "united", "1"),
    ("intersection_of", 2): ("0", "intersect", "1"), ("fromEnum", 1): ("0", "place_of_value"),
    ("quotRem", 2): ("0", "quotrem", "1"),
    ("negate", 1): ("0", "negate"), ("isPunctuation", 1): ("0", "is_punctuation"), ("unsnoc", 1): ("0", "last_and_rest"),
    ("unfoldr", 2): ("1", "unfolded", "0"), ("until_true", 3): ("2", "applied_until", "0", "1"),
    ("uncons", 1): ("0", "first_and_rest"), ("foldl'", 3): ("2", "fold", "1", "0"),
    ("maximum", 1): ("0", "max_of"), ("minimum", 1): ("0", "min_of"), ("splitAt", 2): ("1", "split_at", "0"),
}  # fmt: skip
_AS_VALUES: Final = {"read": 1, "subtract": 2, "max": 2, "min": 2, "gcd": 2}
"""Functions without a module that calls know elsewhere, with the number of their arguments."""
FREE_FUNCTIONS: Final = frozenset(("groupBy", *(name for name, _ in _FUNCTIONS)))
_FREE: Final = {
    "incr": ("+", "1"), "decr": ("-", "1"),
}  # fmt: skip


def free_call(call: n.Call) -> n.Expr | None:
    """Translation of a call of a function without a module; None if it is not known."""
    form = _FUNCTIONS.get((call.function.name, len(call.arguments))) if isinstance(call.function, n.Name) else None
    return made(form, [each.value for each in call.arguments], call) if form is not None else None


def knows_call(function: n.Expr, count: int) -> bool:
    """True if a call of a library's function with so many arguments has a translation here."""
    if isinstance(function, n.Name):
        return (function.name, count) in _FUNCTIONS
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name):
        return False
    module, name = function.object.name, function.name
    return (module, name, count) in forms(_ROWS) or knows(module, name, count)


def called_function(function: n.Expr) -> n.Lambda | None:
    """`negate`, `Char.uppercase_ascii` as a closure of what it is called with; None if no call of it is known."""
    also = _AS_VALUES.get(function.name, 0) if isinstance(function, n.Name) else 0
    for count in (1, 2):
        if not knows_call(function, count) and also != count:
            continue
        names = [f"_arg{place}" for place in range(count)]
        values = [n.Argument(n.Name(each, start=function.start, end=function.start)) for each in names]
        call = n.Call(function, values, start=function.start, end=function.end)
        body = of_functional(call) or call
        return n.Lambda([n.Binding(each) for each in names], body, start=function.start, end=function.end)
    return None


def piped(value: n.Expr, function: n.Expr, own: set[str], is_like_haskell: bool) -> n.Expr | None:
    """`value |> function a b`: the call with the value as its last argument; None where that is not known of the function.

    `own` are the names of the program's functions.
    """
    called = function.function if isinstance(function, n.Call) else function
    if isinstance(called, n.Name) and called.name not in own and is_like_haskell:
        before = function.arguments if isinstance(function, n.Call) else []
        return free_call(n.Call(called, [*before, n.Argument(value)], start=value.start, end=function.end))
    before = function.arguments if isinstance(function, n.Call) else []
    owner = called.object.name if isinstance(called, n.Member) and isinstance(called.object, n.Name) else ""
    if isinstance(called, n.Member) and (owner, called.name, len(before) + 1) in forms(_ROWS):
        return of_functional(n.Call(called, [*before, n.Argument(value)], start=value.start, end=function.end))
    return piped_to_module(value, function)


def of_functional(call: n.Call) -> n.Expr | None:
    """Translation of a call of a functional language's module; None if there is none."""
    function, arguments = call.function, call.arguments
    if isinstance(function, n.Name) and function.name in ("foldl_next", "foldr_next"):
        function.name = function.name.removesuffix("_next")
        return None
    if (own := of_module(call)) is not None:
        return own
    if (free := free_call(call)) is not None:
        return free
    if isinstance(function, n.Name) and function.name == "Map" and arguments:
        pairs = [each.value.items for each in arguments if isinstance(each.value, n.TupleOf) and len(each.value.items) == 2]
        if len(pairs) == len(arguments):
            return n.MapOf([(pair[0], pair[1]) for pair in pairs], start=call.start, end=call.end)
    if isinstance(function, n.Name) and function.name == "Try" and len(arguments) == 1:
        return _tried_conversion(arguments[0].value)
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name) or any(each.name for each in arguments):
        return None
    module, name = function.object.name, function.name
    values = [each.value for each in arguments]
    form = forms(_ROWS).get((module, name, len(arguments)))
    if form is not None:
        return made(form, values, call)
    if module in ("Map", "Dict", "M") and name in ("update", "alter", "change") and len(values) == 3:
        place = next((at for at, value in enumerate(values) if isinstance(value, (n.Lambda, n.OperatorFunction))), 2)
        if place < 2:
            # The map stands last; of Haskell the function stands first.
            key = values[1 - place]
            closure = n.Argument(values[place])
            word = "adjust" if (module, name) == ("M", "update") else "alter"
            return n.Call(n.Member(values[2], word, start=call.start), [n.Argument(key), closure], start=call.start, end=call.end)
    if module == "Tuple" and name in ("first", "second") and len(values) == 1:
        return n.Member(values[0], "0" if name == "first" else "1", start=call.start, end=call.end)
    if (module, name) == ("Tuple", "pair") and len(values) == 2:
        return n.TupleOf(values, start=call.start, end=call.end)
    if (module, name) == ("Hashtbl", "create"):
        return n.MapOf([], start=call.start, end=call.end)
    if module in ("Queue", "Stack") and name == "create":
        return n.ListOf([], start=call.start, end=call.end)
    if (module, name) == ("Buffer", "create"):
        return n.Literal("string", '""', start=call.start, end=call.end)
    if module in ("List", "Vector", "Array", "Seq") and name == "tabulate" and len(values) == 2:
        counted = n.Range(
            n.Literal("int", "0", start=call.start, end=call.start), values[0], False, start=call.start, end=call.end
        )
        mapped = n.Member(counted, "map", start=call.start, end=call.end)
        return n.Call(mapped, arguments[1:], start=call.start, end=call.end)
    if (module, name) == ("Array", "zeroCreate") and len(values) == 1:
        zero = n.Literal("int", "0", start=call.start, end=call.start)
        return _repeated(zero, values[0], call)
    if module == "Array" and name in ("make_matrix", "create_matrix") and len(values) == 3:
        return _repeated(_repeated(values[2], values[1], call), values[0], call)
    if (module, name) == ("Hashtbl", "fold") and len(values) == 3:
        return _folded_table(call, values)
    return None


def _tried_conversion(value: n.Expr) -> n.Expr | None:
    """`Try(s.toInt)`: a number, where the text is one."""
    member = value.function if isinstance(value, n.Call) and not value.arguments else value
    if not isinstance(member, n.Member) or member.name not in ("toInt", "toDouble", "toLong"):
        return None
    word = "to_float" if member.name == "toDouble" else "to_int"
    converted = n.Member(member.object, word, start=value.start, end=value.end)
    return n.Call(converted, [], start=value.start, end=value.end)


def _repeated(value: n.Expr, count: n.Expr, call: n.Call) -> n.Expr:
    return n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(count)], start=call.start, end=call.end)


def _folded_table(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`Hashtbl.fold (fun k v acc -> …) table first`."""
    closure, table, first = values
    if not isinstance(closure, n.Lambda) or len(closure.parameters) != 3:
        return None
    key, value, so_far = closure.parameters
    closure.parameters = [so_far, n.TuplePattern([key, value])]
    member = n.Member(table, "fold", start=call.start, end=call.end)
    return n.Call(member, [n.Argument(first), n.Argument(closure)], start=call.start, end=call.end)


def changed_cell(call: n.Expr, own: set[str]) -> n.Statement | None:
    """`incr n`, `decr n` as an assignment; None for another call."""
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Name) or call.function.name not in _FREE.keys() - own:
        return None
    target = call.arguments[0].value if len(call.arguments) == 1 else None
    if not isinstance(target, n.Name):
        return None
    sign, number = _FREE[call.function.name]
    one = n.Literal("int", number, start=call.start, end=call.end)
    return n.Assign(deepcopy(target), sign, one, start=call.start, end=call.end)

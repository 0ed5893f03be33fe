"""Calls of modules of OCaml, F#, Elm and Haskell that take what they work on as their last argument, also behind `|>`.

Rows as in `functional_calls`. Only names that Elixir and Gleam, whose modules take it first, do not share stand here.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.class_library import forms, made
from analysis.fixes.dialect.libraries.elixir_calls import split_with_options
from analysis.fixes.dialect.tree import nodes as n

_ROWS: Final = """
List Array Seq | filteri | 2 | 1 filter_numbered 0
List Array Seq | rev_append | 2 | 0 reversed_onto 1
List | mem_assoc | 2 | 1 has_pair 0
List | fold_left2 | 4 | 2 fold_both 3 1 0
Array List Seq | fold2 | 4 | 2 fold_both 3 1 0
List Array Seq | for_all2 forall2 | 3 | 1 all_both 2 0
List Array Seq | exists2 | 3 | 1 any_both 2 0
List Array Seq | map3 | 4 | 1 zip_three_with 2 3 0
List Array Seq | zip3 | 3 | 0 zip_three 1 2
List Array Seq | splitAt | 2 | 1 split_at 0
List Array Seq | skipWhile | 2 | 1 drop_while 0
List Array Seq | skip | 2 | 1 drop 0
List Array Seq | truncate | 2 | 1 take 0
List Array Seq | updateAt | 3 | 2 set 0 1
List Array Seq | insertAt | 3 | 2 insert 0 1
List Array Seq | removeAt | 2 | 1 remove_at 0
List Array Seq | except | 2 | 1 except 0
List Array Seq | allPairs | 2 | 0 all_pairs 1
List Array Seq | transpose | 1 | 0 transposed
List Array Seq | pick | 2 | 1 pick_one 0
List Array Seq | average | 1 | 0 mean_value
List Array Seq | averageBy | 2 | 1 mean_value_by 0
List Array Seq | distinctBy | 2 | 1 first_of_each 0
Array | sub | 3 | 0 slice_of 1 2
List | compare_lengths | 2 | 0 compared_length 1
List Array | rev_map | 2 | 1 map_reversed 0
List | remove_assoc | 2 | 1 without_key 0
List Array Seq | unfold | 2 | 1 unfolded 0
List Array Seq | mapFold | 3 | 2 map_folding 1 0
List | fold_left_map | 3 | 2 fold_mapping 1 0
List Array Seq | tryFindBack | 2 | 1 findLast 0
List Array Seq | findBack | 2 | 1 find_last_value 0
List Array Seq | tryExactlyOne | 1 | 0 only_one
List Array Seq | exactlyOne | 1 | 0 first_value
List Array | exists_one | 2 | 1 one 0
Option | to_list toList to_seq toArray | 1 | 0 listed_option
Option | toMaybe | 1 | 0
Option | equal | 2 | 0 == 1
Option | exists contains_where | 2 | 1 holds 0
Option | forall | 2 | 1 holds_for_all 0
Option | count | 1 | 0 counted_option
Option | contains | 2 | 1 holds_value 0
Option | fold | 3 | 2 folded_option 1 0
Option | foldBack | 3 | 1 folded_option_back 2 0
Option | join flatten | 1 | 0 flat_option
Option | orElse | 2 | 1 or_option 0
Option | to_result | 2 | 0 ok_or 1
Option | iter | 2 | 1 iter 0
Result | to_option | 1 | 0 ok
Result | get_ok | 1 | 0 unwrap
Result | toOption | 1 | 0 ok
Result | fold | 3 | 2 folded_result 1 0
Result | exists | 2 | 1 ok_holds 0
Float | of_int of_string | 1 | 0 to_float
Float | to_int | 1 | 0 truncate
string | inspect | 1 | 0 inspect
result | values | 1 | 0 ok_values
option | values | 1 | 0 cat_options
int float | max | 2 | 0 max 1
int float | min | 2 | 0 min 1
Float | rem | 2 | 0 % 1
Int | rem | 2 | 0 % 1
Int | div | 2 | 0 / 1
Int | compare | 2 | 0 compare 1
Int | succ | 1 | 0 successor
Int | pred | 1 | 0 predecessor
Int | neg | 1 | 0 negate
Int | to_float | 1 | 0 to_float
Int Float Bool | to_string | 1 | 0 to_string
Bool | to_int | 1 | 0 one_or_zero
String | uncapitalize_ascii | 1 | 0 lower_first
String | cat | 2 | 0 ++ 1
String | index_opt | 2 | 0 index_of 1
String | rindex_opt | 2 | 0 last_place_of 1
String | exists | 2 | 1 any 0
String | for_all forall | 2 | 1 all 0
String | fold_left | 3 | 2 fold 1 0
String | collect | 2 | 1 map_concat 0
String | filter | 2 | 1 filter 0
Queue Stack | length | 1 | 0 len
Queue Stack | is_empty | 1 | 0 is_empty
Queue | add push enqueue | 2 | 1 append 0
Stack | push | 2 | 1 append 0
Queue | pop take dequeue | 1 | 0 popleft
Queue | take_opt pop_opt | 1 | 0 shift
Queue | peek top | 1 | 0 head_of
Queue | peek_opt | 1 | 0 first
Stack | pop | 1 | 0 pop_value
Stack | pop_opt | 1 | 0 pop
Stack | top peek | 1 | 0 last_of
Stack | top_opt | 1 | 0 last
Queue | iter | 2 | 1 for_each 0
Queue | fold | 3 | 2 fold 1 0
Queue Stack | clear | 1 | 0 clear
Queue | to_seq to_list copy | 1 | 0 to_list
Stack | to_seq to_list | 1 | 0 reversed
Hashtbl | clear reset | 1 | 0 clear
Hashtbl | to_seq | 1 | 0 entries
Hashtbl | to_seq_keys | 1 | 0 keys
Hashtbl | to_seq_values | 1 | 0 values
Buffer | add_buffer | 2 | 0 append 1
Array | fromList of_list ofList to_list toList to_seq of_seq ofSeq | 1 | 0 to_list
Array | push | 2 | 1 appending 0
Array | indexedMap | 2 | 1 indexedMap 0
Set StringSet IntSet CharSet | toList to_list elements elems toAscList | 1 | 0 sort
Set StringSet IntSet CharSet | fromList of_list ofList ofSeq of_seq ofArray | 1 | 0 toSet
Set StringSet IntSet CharSet | insert add | 2 | 1 with_set_item 0
Set StringSet IntSet CharSet | remove delete | 2 | 1 without_set_item 0
Set StringSet IntSet CharSet | diff difference | 2 | 0 except 1
Set StringSet IntSet CharSet | inter intersect intersection | 2 | 0 intersect 1
Set StringSet IntSet CharSet | size cardinal count length | 1 | 0 len
Set StringSet IntSet CharSet | notMember | 2 | 1 lacks 0
Set StringSet IntSet CharSet | member mem contains | 2 | 1 contains 0
Set StringSet IntSet CharSet | isSubset isSubsetOf subset | 2 | 0 isSubsetOf 1
Map M Dict | unionWith | 3 | 1 union_with 2 0
Map M Dict | mapWithKey | 2 | 1 map_pairs_to_values 0
Map M Dict | filterWithKey | 2 | 1 filter_pairs 0
StringMap IntMap CharMap | fold | 3 | 1 fold_entries_last 2 0
StringMap IntMap CharMap | map | 2 | 1 map_each_value 0
StringMap IntMap CharMap | mapi | 2 | 1 map_pairs_to_values 0
StringMap IntMap CharMap | filter | 2 | 1 filter_pairs 0
StringMap IntMap CharMap | bindings | 1 | 0 entries_sorted
StringMap IntMap CharMap | find | 2 | 1 getValue 0
StringMap IntMap CharMap | find_opt | 2 | 1 get 0
StringMap IntMap CharMap | add | 3 | 2 insert_entry 0 1
StringMap IntMap CharMap | mem | 2 | 1 containsKey 0
StringMap IntMap CharMap | remove | 2 | 1 remove 0
StringMap IntMap CharMap | cardinal | 1 | 0 len
StringMap IntMap CharMap | is_empty | 1 | 0 is_empty
List Array Seq | unzip split | 1 | 0 halves
List Array Seq | unzip3 | 1 | 0 thirds
Map | fold | 3 | 2 fold_entries 1 0
Map | foldBack | 3 | 1 fold_entries_right 2 0
String | cons | 2 | 0 ++ 1
String | fromChar | 1 | 0 to_text
String | uncons | 1 | 0 first_and_rest
String | replicate | 2 | 1 repeat 0
String | mapi | 2 | 1 map_numbered_text 0
String | to_seq to_list | 1 | 0 chars
"""
_EMPTY_MAPS: Final = ("StringMap", "IntMap", "CharMap")
_EMPTY_SETS: Final = ("Set", "StringSet", "IntSet", "CharSet")
_BY_VALUE: Final = {"map": "map_each_value", "filter": "filter_values"}


def knows(module: str, name: str, count: int) -> bool:
    """True if a call of a module's function with so many arguments has a translation here."""
    return (module, name, count) in forms(_ROWS)


def of_module(call: n.Call) -> n.Expr | None:
    """Translation of a call of a module with all its arguments; None if there is none."""
    function, values = call.function, [each.value for each in call.arguments]
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name):
        return None
    module, name = function.object.name, function.name
    if module == "String" and len(values) == 2 and call.arguments[0].name in ("prefix", "suffix"):
        # `String.starts_with ~prefix:"a" s`.
        return made(("1", name, "0"), values, call)
    if (module, name) == ("Debug", "toString") and len(values) == 1:
        return n.Call(n.Name("show", start=call.start, end=call.start), call.arguments, start=call.start, end=call.end)
    if (module, name) == ("String", "split") and any(each.name in ("parts", "trim") for each in call.arguments):
        split = split_with_options(call)
        return split if split is not call else None
    if any(each.name for each in call.arguments):
        return None
    if (form := forms(_ROWS).get((module, name, len(values)))) is not None:
        return made(form, values, call)
    if module in ("Map", "M") and name in _BY_VALUE and len(values) == 2 and _takes_one(values[0]):
        # Of Haskell, where the function is given no key.
        return made(("1", _BY_VALUE[name], "0"), values, call)
    if module in ("Map", "M") and name == "foldr" and len(values) == 3:
        held = n.Call(n.Member(values[2], "values", start=call.start, end=call.end), [], start=call.start, end=call.end)
        return n.Call(
            n.Member(held, "foldr", start=call.start, end=call.end),
            [n.Argument(values[1]), n.Argument(values[0])],
            start=call.start,
            end=call.end,
        )
    if module in ("Map", "Dict", "M", *_EMPTY_MAPS) and name == "singleton" and len(values) == 2:
        return n.MapOf([(values[0], values[1])], start=call.start, end=call.end)
    if module in _EMPTY_SETS and name == "singleton" and len(values) == 1:
        one = n.ListOf([values[0]], start=call.start, end=call.end)
        return n.Call(n.Member(one, "toSet", start=call.start, end=call.end), [], start=call.start, end=call.end)
    if module in ("List", "Array", "Seq", "String") and name == "iteri" and len(values) == 2:
        numbered = n.Call(n.Member(values[1], "enumerate", start=call.start, end=call.end), [], start=call.start, end=call.end)
        return _each_numbered(call, numbered, values[0])
    if module in ("List", "Array", "Seq") and name == "iter2" and len(values) == 3:
        both = n.Member(values[1], "zip", start=call.start, end=call.end)
        return _each_numbered(call, n.Call(both, [n.Argument(values[2])], start=call.start, end=call.end), values[0])
    if (module, name) == ("String", "init") and len(values) == 2:
        counted = n.Range(
            n.Literal("int", "0", start=call.start, end=call.start), values[0], False, start=call.start, end=call.end
        )
        mapped = n.Member(counted, "map_concat", start=call.start, end=call.end)
        return n.Call(mapped, [n.Argument(values[1])], start=call.start, end=call.end)
    if (module, name) == ("Array", "initialize") and len(values) == 2:
        counted = n.Range(
            n.Literal("int", "0", start=call.start, end=call.start), values[0], False, start=call.start, end=call.end
        )
        return n.Call(
            n.Member(counted, "map", start=call.start, end=call.end), call.arguments[1:], start=call.start, end=call.end
        )
    return None


def _each_numbered(call: n.Call, source: n.Expr, closure: n.Expr) -> n.Expr:
    """`List.iteri f xs`: the function is given the place and the item."""
    start, end = call.start, call.end
    if isinstance(closure, n.Lambda) and len(closure.parameters) == 2:
        each: n.Expr = n.Lambda([n.TuplePattern(closure.parameters)], closure.body, start=closure.start, end=closure.end)
    else:
        names = ("each_place", "each_item")
        values = [n.Argument(n.Name(name, start=start, end=start)) for name in names]
        body = n.Call(closure, values, start=closure.start, end=closure.end)
        each = n.Lambda([n.TuplePattern([n.Binding(name) for name in names])], body, start=closure.start, end=closure.end)
    return n.Call(n.Member(source, "for_each", start=start, end=end), [n.Argument(each)], start=start, end=end)


def _counted(count: n.Expr, call: n.Call) -> n.Range:
    """The places of so many items."""
    return n.Range(n.Literal("int", "0", start=call.start, end=call.start), count, False, start=call.start, end=call.end)


def piped_to_module(value: n.Expr, function: n.Expr) -> n.Expr | None:
    """`value |> Module.name a b`: the call with the value as its last argument; None where that is not known of the function."""
    if isinstance(function, n.Call) and any(each.name in ("parts", "trim") for each in function.arguments):
        # Of Elixir, which puts the value first.
        first = n.Call(function.function, [n.Argument(value), *function.arguments], start=value.start, end=function.end)
        return of_module(first)
    called = function if isinstance(function, n.Call) else n.Call(function, [], start=function.start, end=function.end)
    whole = n.Call(called.function, [*called.arguments, n.Argument(value)], start=value.start, end=function.end)
    return of_module(whole)


def _takes_one(node: n.Expr) -> bool:
    """True if a function by its form takes one value that is no pair."""
    return isinstance(node, n.Lambda) and len(node.parameters) == 1 and isinstance(node.parameters[0], n.Binding)


def is_replacing(call: n.Call) -> bool:
    """`String.replace(a, b, c)`, where languages do not share the order."""
    function = call.function
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name):
        return False
    return function.object.name == "String" and function.name == "replace" and len(call.arguments) == 3

"""Calls of Elixir's modules whose arguments stand in another order or have atoms, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.loop_tails import block_of, with_tails

_ROWS: Final = {
    ("String", "pad_leading"): "pad_left", ("String", "pad_trailing"): "pad_right", ("String", "to_integer"): "to_number",
    ("String", "to_float"): "to_float", ("Integer", "parse"): "to_int", ("Float", "parse"): "to_float",
    ("Enum", "split_with"): "partition", ("Enum", "sum_by"): "sum_by", ("Enum", "empty"): "is_empty",
    ("Map", "has_key"): "containsKey", ("Enum", "into"): "to_map", ("Map", "new"): "to_map", ("Enum", "with_index"): "with_index",
    ("Enum", "uniq_by"): "first_of_each", ("Enum", "frequencies_by"): "tally_by", ("Enum", "split"): "split_at",
    ("Enum", "min_max"): "least_and_greatest", ("Enum", "map_reduce"): "map_reducing", ("Enum", "unzip"): "halves",
    ("Enum", "zip_reduce"): "zip_reducing", ("List", "update_at"): "updated_at", ("List", "wrap"): "to_list",
    ("List", "keyfind"): "under_key", ("String", "trim_leading"): "lstrip", ("String", "trim_trailing"): "rstrip",
    ("String", "first"): "first_sign", ("String", "last"): "last_sign", ("String", "duplicate"): "repeat",
    ("Integer", "digits"): "digits_in_order", ("Integer", "undigits"): "number_of_digits", ("Map", "put_new"): "with_new_entry",
    ("Map", "update_present"): "updated_entry", ("Map", "take"): "only_keys", ("Map", "drop"): "without_keys",
    ("Map", "pop"): "taken_entry",
    ("Enum", "split_while"): "span",
    ("MapSet", "new"): "toSet", ("MapSet", "put"): "with_set_item", ("MapSet", "delete"): "without_set_item",
    ("MapSet", "member"): "contains", ("MapSet", "size"): "len", ("MapSet", "to_list"): "sort", ("MapSet", "union"): "united",
    ("MapSet", "intersection"): "intersect", ("MapSet", "difference"): "except", ("MapSet", "subset"): "isSubsetOf",
    ("Stream", "unfold"): "unfolded",
    ("Map", "filter"): "filter", ("Integer", "is_odd"): "is_odd", ("Integer", "is_even"): "is_even",
    ("Enum", "dedup"): "dedup", ("Enum", "product"): "product",
    ("List", "delete"): "without_first", ("Enum", "find_index"): "find_index",
    ("Enum", "chunk_by"): "chunk_by", ("String", "to_charlist"): "code_points", ("List", "to_string"): "from_charlist",
    ("List", "to_charlist"): "code_points", ("String", "capitalize"): "capitalize", ("String", "codepoints"): "chars",
    ("Map", "fetch!"): "getValue", ("List", "first"): "first", ("List", "last"): "last", ("Enum", "min_by"): "entry_min_by",
    ("Enum", "max_by"): "entry_max_by", ("Enum", "max"): "max_of", ("Enum", "min"): "min_of",
}  # fmt: skip
_SORTED: Final = {("sort", "desc"): "sort_desc", ("sort", "asc"): "sort", ("sort_by", "desc"): "sort_by_key_descending",
                  ("sort_by", "asc"): "sort_by_key"}  # fmt: skip

_LONGER: Final = {
    ("Enum", "at", 3): "at_or", ("Enum", "find", 3): "found_or", ("Enum", "slice", 3): "slice_of", ("Map", "new", 2): "associate",
    ("Map", "merge", 3): "merged_by", ("Enum", "with_index", 2): "numbered_behind", ("Enum", "chunk_every", 3): "windows_by",
}  # fmt: skip
"""Calls that the number of their arguments tells apart."""
_GOING: Final = ('"cont"', '"halt"')


def of_elixir(call: n.Call) -> n.Expr:
    """Translation of a call of an Elixir module; any other call unchanged."""
    function, arguments = call.function, call.arguments
    if isinstance(function, n.Name):
        return _kernel(call, function.name)
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name) or not arguments:
        return call
    module, name = function.object.name, function.name
    values = [each.value for each in arguments]
    if module == "String" and name == "split" and len(values) > 1:
        return split_with_options(call)
    if module == "String" and name == "slice" and len(values) == 2 and isinstance(values[1], n.Range):
        part = values[1]
        return n.Slice(values[0], part.low, part.high, part.inclusive, start=call.start, end=call.end)
    if module == "Enum" and name == "slice" and len(values) == 2 and isinstance(values[1], n.Range):
        part = values[1]
        return n.Slice(values[0], part.low, part.high, part.inclusive, start=call.start, end=call.end)
    if (module, name, len(values)) in _LONGER:
        return _method(values[0], _LONGER[module, name, len(values)], arguments[1:], call)
    if (module, name) == ("MapSet", "new") and not arguments:
        return n.ListOf([], start=call.start, end=call.end)
    if module == "Enum" and name == "take" and len(values) == 2 and isinstance(values[1], n.Unary):
        return _method(values[0], "takeLast", [n.Argument(values[1].operand)], call)
    if (module, name, len(values)) == ("Enum", "into", 3):
        return _method(values[0], "associate", arguments[2:], call)
    if name == "chunk_every" and len(values) == 4 and isinstance(values[3], n.Literal) and values[3].text == '"discard"':
        return _method(values[0], "windows_by", arguments[1:3], call)
    order = values[-1]
    if module == "Enum" and name in ("sort", "sort_by") and isinstance(order, n.Literal) and order.kind == "string":
        method = _SORTED.get((name, order.text[1:-1]))
        return _method(values[0], method, arguments[1:-1], call) if method is not None else call
    if module == "Enum" and name == "scan" and len(values) == 2 and isinstance(values[1], n.Lambda):
        first = n.Index(values[0], n.Literal("int", "0", start=call.start, end=call.start), start=call.start, end=call.end)
        rest = _method(values[0], "drop", [n.Argument(n.Literal("int", "1", start=call.start, end=call.start))], call)
        values[1].parameters.reverse()
        return _method(rest, "scanl", [n.Argument(first), arguments[1]], call)
    if module == "Float" and name == "round" and len(values) == 2:
        return _method(values[0], "round", arguments[1:], call)
    if module == "List" and name == "duplicate" and len(values) == 2:
        return n.Call(n.Name("vec!;"), arguments, start=call.start, end=call.end)
    if module == "Map" and name == "fetch" and len(values) == 2:
        return _method(values[0], "get", arguments[1:], call)
    if module == "Enum" and name == "into" and not (len(values) == 2 and isinstance(values[1], n.MapOf)):
        return call
    if module == "Enum" and name == "reduce_while" and len(values) == 3 and isinstance(values[2], n.Lambda):
        return _stopped_fold(values[0], values[1], values[2], call) or call
    method = _ROWS.get((module, name), "")
    rest_of = arguments[1:] if name != "into" else []
    return _method(values[0], method, rest_of, call) if method else call


def split_with_options(call: n.Call) -> n.Expr:
    """`String.split(s, ",", parts: 2, trim: true)`."""
    arguments = call.arguments
    options = {each.name: each.value for each in arguments[1:] if each.name}
    plain = [each for each in arguments[1:] if not each.name]
    if options.keys() - {"parts", "trim"} or (len(options) == 2) or not plain:
        return call
    if "parts" in options:
        return _method(arguments[0].value, "splitn", [n.Argument(options["parts"]), plain[0]], call)
    whole = _method(arguments[0].value, "split", plain[:1], call)
    trims = options.get("trim")
    if isinstance(trims, n.Literal) and trims.text == "true":
        return _method(whole, "without_empty", [], call)
    return whole


def _kernel(call: n.Call, name: str) -> n.Expr:
    arguments = call.arguments
    if name == "elem" and len(arguments) == 2:
        place = arguments[1].value
        if isinstance(place, n.Literal) and place.text.isdigit():
            return n.Member(arguments[0].value, place.text, start=call.start, end=call.end)
    if name == "then" and len(arguments) == 2 and isinstance(arguments[1].value, n.Lambda):
        closure = arguments[1].value
        if len(closure.parameters) == 1:
            held = n.Let(closure.parameters[0], None, arguments[0].value, start=call.start, end=call.end)
            last = n.Evaluate(closure.body, start=closure.body.start, end=closure.body.end)
            return n.Block([held, last], start=call.start, end=call.end)
    if name == "is_nil" and len(arguments) == 1:
        return _method(arguments[0].value, "is_none", [], call)
    return call


def _method(owner: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(owner, name, start=owner.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _stopped_fold(whole: n.Expr, first: n.Expr, function: n.Lambda, call: n.Call) -> n.Expr | None:
    """`Enum.reduce_while(xs, first, fn x, acc -> … end)`: a loop that `{:halt, value}` ends; None for another function."""
    start, end = call.start, call.end
    if len(function.parameters) != 2:
        return None
    item, so_far = function.parameters
    name = so_far.name if isinstance(so_far, n.Binding) else "so_far"
    is_known = True

    def change(value: n.Expr) -> list[n.Statement]:
        nonlocal is_known
        word = value.items[0] if isinstance(value, n.TupleOf) and len(value.items) == 2 else None
        if not isinstance(value, n.TupleOf) or not isinstance(word, n.Literal) or word.text not in _GOING:
            is_known = False
            return [n.Evaluate(value, start=value.start, end=value.end)]
        target = n.Name(name, start=value.start, end=value.end)
        steps: list[n.Statement] = [n.Assign(target, "", value.items[1], start=value.start, end=value.end)]
        if word.text == '"halt"':
            steps.append(n.Evaluate(n.Jump("break", start=value.start, end=value.end), start=value.start, end=value.end))
        return steps

    body = with_tails(block_of(function.body), change)
    if not is_known:
        return None
    if not isinstance(so_far, n.Binding):
        body.statements.insert(0, n.Let(so_far, None, n.Name(name, start=start, end=start), start=start, end=start))
    held = n.Let(n.Binding(name, start=start, end=start), None, first, True, start=start, end=start)
    last = n.Evaluate(n.Name(name, start=end, end=end), start=end, end=end)
    return n.Block([held, n.For(item, whole, body, start=start, end=end), last], start=start, end=end)

"""How other languages write what a program of `.ax` says, as far as the meaning is certain; `rewriting` chooses among it.

`{0}`, `{1}`, … are the operands. What a language has no safe form for is absent: the form of `.ax` stays.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Language(NamedTuple):
    """The forms of one language. `calls` are by builtin; `whole` is the header of a function, "" if it stays as it is."""

    calls: dict[str, tuple[str, ...]]
    text: tuple[str, str, str]
    """A text with holes: its beginning, a hole, its end."""
    declare: str
    declare_mutable: str
    for_each: str
    counted: tuple[str, ...] = ()
    """Loops from a number up to another one that is not reached: name, first, end."""
    joins: str = "+"
    item: str = "{0}[{1}]"
    push: tuple[str, ...] = ()
    ternary: str = ""
    words: tuple[tuple[str, str], ...] = ()
    """Operators that have another name."""
    quotient: str = "{0} / {1}"
    remainder: str = "{0} % {1}"
    end: str = ""
    """What ends a statement."""
    steps: tuple[str, ...] = ("{0} += 1",)
    """`i = i + 1`."""
    equals: str = "=="
    differs: str = "!="
    condition: str = "{0}"
    whole: str = ""
    types: tuple[tuple[str, str], ...] = ()
    parameter: str = "{0}: {1}"
    otherwise: str = "else if"
    values: bool = True
    """Lists are values: `ys = xs` copies."""
    mapped: tuple[str, ...] = ()
    """List, name, value of each item."""
    kept: tuple[str, ...] = ()
    """List, name, condition."""
    counts_fractions: bool = False


def _calls(rows: str) -> dict[str, tuple[str, ...]]:
    """Rows of a builtin and its forms, separated by bars."""
    table: dict[str, tuple[str, ...]] = {}
    for row in rows.strip().split("\n"):
        name, *forms = (part.strip() for part in row.split(" | "))
        table[name] = tuple(forms)
    return table


PYTHON: Final = Language(
    _calls(
        """
list_len | len({0})
__builtin_list_is_empty | len({0}) == 0 | not {0}
__builtin_string_len | len({0})
__builtin_int_to_string | str({0}) | f"{{{0}}}"
__builtin_string_to_upper | {0}.upper()
__builtin_string_to_lower | {0}.lower()
__builtin_string_trim | {0}.strip()
__builtin_string_join | {1}.join({0})
__builtin_string_split | {0}.split({1})
__builtin_string_starts_with | {0}.startswith({1})
__builtin_string_ends_with | {0}.endswith({1})
__builtin_string_replace | {0}.replace({1}, {2})
__builtin_string_contains | {1} in {0}
__builtin_string_chars | list({0})
__builtin_list_reverse | {0}[::-1] | list(reversed({0}))
__builtin_list_concat | {0} + {1}
list_contains | {1} in {0}
list_sum | sum({0})
list_sort | sorted({0})
list_take | {0}[:{1}]
list_drop | {0}[{1}:]
list_slice | {0}[{1}:{2}]
list_range | list(range({0}, {1}))
list_repeat | [{0}] * {1}
string_char_at | {0}[{1}]
string_reverse | {0}[::-1]
string_repeat | {0} * {1}
string_substring | {0}[{1}:{2}]
string_code | ord({0})
string_from_code | chr({0})
string_count | {0}.count({1})
int_abs | abs({0})
int_min | min({0}, {1})
int_max | max({0}, {1})
int_pow | {0} ** {1}
int_mod | {0} % {1}
int_and | {0} & {1}
int_or | {0} \\| {1}
int_xor | {0} ^ {1}
int_shift_left | {0} << {1}
int_shift_right | {0} >> {1}
floor_quotient | {0} // {1}
last_item | {0}[-1]
true_quotient | {0} / {1}
""".replace("\\|", "|")
    ),
    ('f"', "{{{0}}}", '"'),
    "{0} = {1}",
    "{0} = {1}",
    "for {0} in {1}",
    ("for {0} in range({1}, {2})",),
    push=("{0}.append({1})", "{0} += [{1}]"),
    ternary="({1} if {0} else {2})",
    words=(("&&", "and"), ("||", "or"), ("!", "not ")),
    quotient="int({0} / {1})",
    remainder="",
    whole="def {0}({1}) -> {2}:",
    types=(("Int", "int"), ("String", "str"), ("Bool", "bool"), ("Float", "float"), ("List<", "list["), (">", "]")),
    otherwise="elif",
    values=False,
    mapped=("[{2} for {1} in {0}]", "list(map(lambda {1}: {2}, {0}))"),
    kept=("[{1} for {1} in {0} if {2}]", "list(filter(lambda {1}: {2}, {0}))"),
    counts_fractions=True,
)
JAVASCRIPT: Final = Language(
    _calls("""
list_len | {0}.length
__builtin_list_is_empty | {0}.length === 0
__builtin_string_len | {0}.length
__builtin_int_to_string | String({0}) | `${{{0}}}` | ({0}).toString()
__builtin_string_to_upper | {0}.toUpperCase()
__builtin_string_to_lower | {0}.toLowerCase()
__builtin_string_trim | {0}.trim()
__builtin_string_join | {0}.join({1})
__builtin_string_split | {0}.split({1})
__builtin_string_starts_with | {0}.startsWith({1})
__builtin_string_ends_with | {0}.endsWith({1})
__builtin_string_replace | {0}.replaceAll({1}, {2}) | {0}.split({1}).join({2})
__builtin_string_contains | {0}.includes({1})
__builtin_string_chars | {0}.split("") | [...{0}] | Array.from({0})
__builtin_list_reverse | [...{0}].reverse() | {0}.slice().reverse()
__builtin_list_concat | {0}.concat({1}) | [...{0}, ...{1}]
list_contains | {0}.includes({1})
list_sum | {0}.reduce((a, b) => a + b, 0)
list_take | {0}.slice(0, {1})
list_drop | {0}.slice({1})
list_slice | {0}.slice({1}, {2})
list_repeat | Array({1}).fill({0}) | new Array({1}).fill({0})
string_char_at | {0}[{1}] | {0}.charAt({1})
string_reverse | {0}.split("").reverse().join("")
string_repeat | {0}.repeat({1})
string_substring | {0}.slice({1}, {2}) | {0}.substring({1}, {2})
string_code | {0}.charCodeAt(0)
string_from_code | String.fromCharCode({0})
int_abs | Math.abs({0})
int_min | Math.min({0}, {1})
int_max | Math.max({0}, {1})
int_pow | {0} ** {1} | Math.pow({0}, {1})
int_and | {0} & {1}
int_xor | {0} ^ {1}
floor_quotient | Math.floor({0} / {1})
last_item | {0}[{0}.length - 1]
"""),
    ("`", "${{{0}}}", "`"),
    "const {0} = {1}",
    "let {0} = {1}",
    "for (const {0} of {1})",
    ("for (let {0} = {1}; {0} < {2}; {0}++)",),
    push=("{0}.push({1})",),
    ternary="({0} ? {1} : {2})",
    quotient="Math.trunc({0} / {1})",
    end=";",
    steps=("{0}++", "{0} += 1"),
    equals="===",
    differs="!==",
    condition="({0})",
    whole="function {0}({1}): {2} {{",
    types=(("Int", "number"), ("String", "string"), ("Bool", "boolean"), ("Float", "number"), ("List<", "Array<")),
    values=False,
    mapped=("{0}.map({1} => {2})", "{0}.map(({1}) => {2})"),
    kept=("{0}.filter({1} => {2})",),
)
RUST: Final = Language(
    _calls("""
list_len | {0}.len()
__builtin_list_is_empty | {0}.is_empty()
__builtin_string_len | {0}.len()
__builtin_int_to_string | {0}.to_string() | format!("{{}}", {0})
__builtin_string_to_upper | {0}.to_uppercase()
__builtin_string_to_lower | {0}.to_lowercase()
__builtin_string_trim | {0}.trim()
__builtin_string_join | {0}.join({1})
__builtin_string_starts_with | {0}.starts_with({1})
__builtin_string_ends_with | {0}.ends_with({1})
__builtin_string_replace | {0}.replace({1}, {2})
__builtin_string_contains | {0}.contains({1})
__builtin_string_chars | {0}.chars().map(|c| c.to_string()).collect::<Vec<String>>()
__builtin_list_reverse | {0}.iter().rev().cloned().collect::<Vec<_>>()
list_contains | {0}.contains(&{1})
list_sum | {0}.iter().sum::<i64>()
list_take | {0}.iter().take({1}).cloned().collect::<Vec<_>>()
list_drop | {0}.iter().skip({1}).cloned().collect::<Vec<_>>()
list_slice | {0}[{1}..{2}].to_vec()
list_range | ({0}..{1}).collect::<Vec<_>>()
list_repeat | vec![{0}; {1}]
string_reverse | {0}.chars().rev().collect::<String>()
string_repeat | {0}.repeat({1})
string_substring | {0}[{1}..{2}].to_string()
int_abs | {0}.abs()
int_min | {0}.min({1}) | std::cmp::min({0}, {1})
int_max | {0}.max({1}) | std::cmp::max({0}, {1})
int_pow | {0}.pow({1})
int_mod | {0}.rem_euclid({1})
int_and | {0} & {1}
int_xor | {0} ^ {1}
last_item | *{0}.last().unwrap() | {0}[{0}.len() - 1]
"""),
    ('format!("', "{{}}", '"{0})'),
    "let {0} = {1}",
    "let mut {0} = {1}",
    "for {0} in {1}.iter()",
    ("for {0} in {1}..{2}",),
    joins="",
    push=("{0}.push({1})",),
    end=";",
    whole="fn {0}({1}) -> {2} {{",
    types=(("Int", "i64"), ("Bool", "bool"), ("Float", "f64"), ("List<", "Vec<")),
    mapped=("{0}.iter().map(|{1}| {2}).collect::<Vec<_>>()",),
    kept=("{0}.iter().filter(|{1}| {2}).cloned().collect::<Vec<_>>()",),
)
KOTLIN: Final = Language(
    _calls("""
list_len | {0}.size
__builtin_list_is_empty | {0}.isEmpty()
__builtin_string_len | {0}.length
__builtin_int_to_string | {0}.toString() | "${{{0}}}"
__builtin_string_to_upper | {0}.uppercase()
__builtin_string_to_lower | {0}.lowercase()
__builtin_string_trim | {0}.trim()
__builtin_string_join | {0}.joinToString({1})
__builtin_string_split | {0}.split({1})
__builtin_string_starts_with | {0}.startsWith({1})
__builtin_string_ends_with | {0}.endsWith({1})
__builtin_string_replace | {0}.replace({1}, {2})
__builtin_string_contains | {0}.contains({1}) | {1} in {0}
__builtin_string_chars | {0}.map {{ it.toString() }}
__builtin_list_reverse | {0}.reversed()
__builtin_list_concat | {0} + {1}
list_contains | {1} in {0} | {0}.contains({1})
list_sum | {0}.sum()
list_sort | {0}.sorted()
list_take | {0}.take({1})
list_drop | {0}.drop({1})
list_slice | {0}.subList({1}, {2})
list_range | ({0} until {1}).toList()
list_repeat | List({1}) {{ {0} }}
string_reverse | {0}.reversed()
string_repeat | {0}.repeat({1})
string_substring | {0}.substring({1}, {2})
int_abs | abs({0}) | kotlin.math.abs({0})
int_min | minOf({0}, {1})
int_max | maxOf({0}, {1})
int_mod | {0}.mod({1}) | Math.floorMod({0}, {1})
floor_quotient | Math.floorDiv({0}, {1}) | {0}.floorDiv({1})
int_and | {0} and {1}
int_xor | {0} xor {1}
last_item | {0}.last() | {0}[{0}.size - 1]
"""),
    ('"', "${{{0}}}", '"'),
    "val {0} = {1}",
    "var {0} = {1}",
    "for ({0} in {1})",
    ("for ({0} in {1} until {2})", "for ({0} in {1}..<{2})"),
    push=("{0} = {0} + {1}", "{0} += {1}"),
    ternary="(if ({0}) {1} else {2})",
    steps=("{0}++", "{0} += 1"),
    condition="({0})",
    whole="fun {0}({1}): {2} {{",
    types=(("Bool", "Boolean"), ("Float", "Double")),
    mapped=("{0}.map {{ {1} -> {2} }}",),
    kept=("{0}.filter {{ {1} -> {2} }}",),
)
SWIFT: Final = Language(
    _calls("""
list_len | {0}.count
__builtin_list_is_empty | {0}.isEmpty
__builtin_string_len | {0}.count
__builtin_int_to_string | String({0}) | "\\({0})"
__builtin_string_to_upper | {0}.uppercased()
__builtin_string_to_lower | {0}.lowercased()
__builtin_string_join | {0}.joined(separator: {1})
__builtin_string_starts_with | {0}.hasPrefix({1})
__builtin_string_ends_with | {0}.hasSuffix({1})
__builtin_string_contains | {0}.contains({1})
__builtin_string_chars | {0}.map {{ String($0) }}
__builtin_list_reverse | Array({0}.reversed())
__builtin_list_concat | {0} + {1}
list_contains | {0}.contains({1})
list_sum | {0}.reduce(0, +)
list_sort | {0}.sorted()
list_take | Array({0}.prefix({1}))
list_drop | Array({0}.dropFirst({1}))
list_slice | Array({0}[{1}..<{2}])
list_range | Array({0}..<{1})
list_repeat | Array(repeating: {0}, count: {1})
string_reverse | String({0}.reversed())
string_repeat | String(repeating: {0}, count: {1})
int_abs | abs({0})
int_min | min({0}, {1})
int_max | max({0}, {1})
int_and | {0} & {1}
int_xor | {0} ^ {1}
last_item | {0}.last!
"""),
    ('"', "\\({0})", '"'),
    "let {0} = {1}",
    "var {0} = {1}",
    "for {0} in {1}",
    ("for {0} in {1}..<{2}", "for {0} in stride(from: {1}, to: {2}, by: 1)"),
    push=("{0}.append({1})", "{0} += [{1}]"),
    ternary="({0} ? {1} : {2})",
    whole="func {0}({1}) -> {2} {{",
    parameter="_ {0}: {1}",
    types=(("Float", "Double"), ("List<", "Array<")),
    mapped=("{0}.map {{ {1} in {2} }}",),
    kept=("{0}.filter {{ {1} in {2} }}",),
)
RUBY: Final = Language(
    _calls("""
list_len | {0}.length | {0}.size
__builtin_list_is_empty | {0}.empty?
__builtin_string_len | {0}.length
__builtin_int_to_string | {0}.to_s
__builtin_string_to_upper | {0}.upcase
__builtin_string_to_lower | {0}.downcase
__builtin_string_trim | {0}.strip
__builtin_string_join | {0}.join({1})
__builtin_string_starts_with | {0}.start_with?({1})
__builtin_string_ends_with | {0}.end_with?({1})
__builtin_string_replace | {0}.gsub({1}, {2})
__builtin_string_contains | {0}.include?({1})
__builtin_string_chars | {0}.chars
__builtin_list_reverse | {0}.reverse
__builtin_list_concat | {0} + {1}
list_contains | {0}.include?({1})
list_sum | {0}.sum
list_sort | {0}.sort
list_take | {0}.take({1}) | {0}.first({1})
list_drop | {0}.drop({1})
list_slice | {0}[{1}...{2}]
list_range | ({0}...{1}).to_a
string_reverse | {0}.reverse
string_repeat | {0} * {1}
string_substring | {0}[{1}...{2}]
int_abs | {0}.abs
int_min | [{0}, {1}].min
int_max | [{0}, {1}].max
int_pow | {0} ** {1}
int_mod | {0} % {1}
int_and | {0} & {1}
int_xor | {0} ^ {1}
floor_quotient | {0} / {1}
last_item | {0}[-1] | {0}.last
"""),
    ('"', "#{{{0}}}", '"'),
    "{0} = {1}",
    "{0} = {1}",
    "for {0} in {1}",
    ("for {0} in {1}...{2}",),
    push=("{0} << {1}", "{0}.push({1})"),
    ternary="({0} ? {1} : {2})",
    words=(("&&", "&&"),),
    quotient="",
    remainder="",
    values=False,
    mapped=("{0}.map {{ |{1}| {2} }}",),
    kept=("{0}.select {{ |{1}| {2} }}",),
)
GO: Final = Language(
    _calls("""
list_len | len({0})
__builtin_string_len | len({0})
__builtin_int_to_string | strconv.Itoa({0}) | fmt.Sprintf("%d", {0})
__builtin_string_to_upper | strings.ToUpper({0})
__builtin_string_to_lower | strings.ToLower({0})
__builtin_string_trim | strings.TrimSpace({0})
__builtin_string_join | strings.Join({0}, {1})
__builtin_string_split | strings.Split({0}, {1})
__builtin_string_starts_with | strings.HasPrefix({0}, {1})
__builtin_string_ends_with | strings.HasSuffix({0}, {1})
__builtin_string_replace | strings.ReplaceAll({0}, {1}, {2})
__builtin_string_contains | strings.Contains({0}, {1})
list_slice | {0}[{1}:{2}]
list_take | {0}[:{1}]
list_drop | {0}[{1}:]
string_repeat | strings.Repeat({0}, {1})
string_substring | {0}[{1}:{2}]
int_and | {0} & {1}
int_xor | {0} ^ {1}
last_item | {0}[len({0})-1]
"""),
    ("", "", ""),
    "{0} := {1}",
    "{0} := {1}",
    "for _, {0} := range {1}",
    ("for {0} := {1}; {0} < {2}; {0}++",),
    push=("{0} = append({0}, {1})",),
    steps=("{0}++", "{0} += 1"),
    whole="func {0}({1}) {2} {{",
    parameter="{0} {1}",
    types=(("Int", "int"), ("String", "string"), ("Bool", "bool"), ("Float", "float64"), ("List<", "[]"), (">", "")),
    values=False,
)
LANGUAGES: Final = {
    "python": PYTHON, "javascript": JAVASCRIPT, "rust": RUST, "kotlin": KOTLIN, "swift": SWIFT, "ruby": RUBY, "go": GO,
}  # fmt: skip

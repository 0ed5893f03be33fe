"""Words of other languages that are none of functions: keywords, values, wrappers, operators, types.

With `lexicon` (functions and methods) the one table of what other languages say: suggestions, translations, `boruna_builtins` and
docs/other-languages.md read it.
"""

from __future__ import annotations

from typing import Final

DECLARING: Final = frozenset(("var", "const", "val", "auto", "final", "static", "local", "my", "def", "int", "string"))
"""Words before a variable's name, where `let` stands here."""
STATEMENT_WORDS: Final = frozenset(
    (
        "elif elsif elseif elseIf switch case when unless foreach until do "
        "loop begin then function func def impl class try catch with"
    ).split()
)
"""Words that begin a statement, or a part of one, and no name of a value."""
VALUES: Final = {
    "null": "None", "nil": "None", "undefined": "None", "none": "None", "NULL": "None", "Nil": "None",
    "Null": "None", "Nothing": "None", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
}  # fmt: skip
WRAPPERS: Final = {
    "some": "Some", "just": "Some", "Just": "Some", "ok": "Ok", "Success": "Ok", "success": "Ok",
    "err": "Err", "error": "Err", "Error": "Err", "Failure": "Err", "failure": "Err",
}  # fmt: skip
PLAIN_TYPES: Final = {
    "int": "Int", "integer": "Int", "i8": "Int", "i16": "Int", "i32": "Int", "i64": "Int", "u8": "Int", "u16": "Int",
    "u32": "Int", "u64": "Int",
    "usize": "Int",
    "size_t": "Int", "int32_t": "Int", "int64_t": "Int", "uint32_t": "Int", "uint64_t": "Int", "uint8_t": "Int",
    "isize": "Int", "long": "Int", "Integer": "Int", "Long": "Int", "Int64": "Int", "Int32": "Int",
    "UInt": "Int", "number": "Int", "Nat": "Int",
    "float": "Float", "double": "Float", "f32": "Float", "f64": "Float", "Double": "Float", "float64": "Float",
    "str": "String", "string": "String", "Str": "String", "Text": "String", "char": "String", "Char": "String",
    "Character": "String", "Symbol": "String",
    "short": "Int", "byte": "Int", "Short": "Int", "Byte": "Int", "uint": "Int", "ulong": "Int", "BigInteger": "Int",
    "StringBuilder": "String", "StringBuffer": "String", "CharSequence": "String",
    "decimal": "Float", "Decimal": "Float", "Single": "Float",
    "bool": "Bool", "boolean": "Bool", "Boolean": "Bool",
    "vector": "List", "void": "Unit", "unit": "Unit", "Void": "Unit",
}  # fmt: skip
CONTAINERS: Final = {
    "Vec": "List", "vector": "List", "Array": "List", "list": "List", "array": "List", "Sequence": "List", "MutableList": "List",
    "ArrayList": "List", "VecDeque": "List", "Seq": "List", "Iterable": "List", "slice": "List", "LinkedList": "List",
    "Deque": "List", "ArrayDeque": "List", "Queue": "List", "Stack": "List", "IList": "List", "IEnumerable": "List",
    "Collection": "List", "Stream": "List", "IReadOnlyList": "List", "ImmutableList": "List", "ICollection": "List",
    "unordered_set": "List", "deque": "List", "seq": "List", "openArray": "List", "Vector": "List",
    "AbstractVector": "List",
    "Table": "Map", "OrderedTable": "Map", "CountTable": "Map", "TableRef": "Map",
    "Maybe": "Option", "Optional": "Option", "option": "Option",
    "HashMap": "Map", "BTreeMap": "Map", "dict": "Map", "Dict": "Map", "Dictionary": "Map", "map": "Map", "MutableMap": "Map",
    "TreeMap": "Map", "LinkedHashMap": "Map", "SortedDictionary": "Map", "IDictionary": "Map", "SortedMap": "Map",
    "Either": "Result", "Record": "Map",
}  # fmt: skip
OPERATORS: Final = {"and": "&&", "or": "||", "AND": "&&", "OR": "||"}
SIGNS: Final = {
    "or": "||", "and": "&&", "===": "==", "!==": "!=", "~=": "!=", "?:": "??", "orelse": "??", "..<": "..", "until": "..",
    "...": "..=", "to": "..=", "$": "<|", "@@": "<|", "downto": "downTo",
    "mod": "%", "rem": "%", "div": "/", "quot": "/", "//": "/", "~/": "/",
}  # fmt: skip
"""Operators by the one that is read in their place: of the language, or one that a translation writes out."""
UNAVAILABLE: Final = {
    "break": "loops end by their condition or by `return`",
    "continue": "put the rest of the body into an `if`",
    "this": "functions take what they work on as a parameter",
    "self": "functions take what they work on as a parameter",
    "throw": "return an `Err(…)`",
    "raise": "return an `Err(…)`",
    "try": "match on the `Result`",
    "await": "calls wait for their result by themselves",
    "yield": "return a list",
}
"""Words that nothing here stands for, and what to do."""

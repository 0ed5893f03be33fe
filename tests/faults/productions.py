"""Sources that repeat each production of the grammar, and forms of other languages.

`python -m tests.faults.stretches --productions 40000` asks about them.

A row is what comes before, what is repeated (`{0}` is its number), and what comes after; a nesting row is what opens, what stands
in the middle, and what closes. All grow evenly with their size, so that requests about them have to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

_REPEATED: Final[dict[str, tuple[str, str, str]]] = {
    # Items
    "functions": ("", "fn f{0}() -> Int {{ {0} }}\n", ""),
    "functions of one name": ("", "fn f() -> Int {{ {0} }}\n", ""),
    "functions and one that is there twice": ("fn g() -> Int { 1 }\nfn g() -> Int { 2 }\n", "fn f{0}() -> Int {{ {0} }}\n", ""),
    "functions of an app": (
        "type S { n: Int }\nfn init() -> S { S { n: 1 } }\nfn update(s: S, m: Int) -> S { s }\nfn view(s: S) -> S { s }\n",
        "fn f{0}() -> Int {{ {0} }}\n",
        "",
    ),
    "exported functions": ("", "export fn f{0}() -> Int {{ {0} }}\n", ""),
    "callers of each other": ("fn f0() -> Int { 0 }\n", "fn g{0}(a: Int) -> Int {{ g{0}(a) + f0() }}\n", ""),
    "functions after an import": ("import std-list\n", "fn f{0}() -> Int {{ {0} }}\n", ""),
    "imports": ("", "import m{0}\n", "fn f() -> Int { 1 }\n"),
    "imports of one name": ("", "import m\n", "fn f() -> Int { 1 }\n"),
    "types": ("", "type R{0} {{ a: Int }}\n", ""),
    "types of one name": ("", "type R {{ a{0}: Int }}\n", ""),
    "types of each other": ("", "type R{0} {{ a: Option<R{0}>, b: List<R0> }}\n", ""),
    "enums": ("", "enum E{0} {{ A{0}, B{0}(Int) }}\n", ""),
    "enums of one variant": ("", "enum E{0} {{ A, B(Int) }}\n", ""),
    "fields of one name": ("type R { ", "a: Int, ", "}\n"),
    "variants of one name": ("enum E { ", "A, ", "}\n"),
    "parameters": ("fn f(", "a{0}: Int, ", "b: Int) -> Int { b }\nfn g() -> Int { f(1) }\n"),
    "parameters of one name": ("fn f(", "a: Int, ", "b: Int) -> Int { b }\n"),
    "capabilities": ("fn f() -> Int !{", "net.fetch, ", "db.query} { 1 }\n"),
    "unknown capabilities": ("fn f() -> Int !{", "net.fetsh{0}, ", "db.query} { 1 }\n"),
    "requires clauses": ("fn f(a: Int) -> Int\n", "  requires a > {0}\n", "{ a }\n"),
    "ensures clauses": ("fn f(a: Int) -> Int\n", "  ensures result > {0}\n", "{ a }\n"),
    "intents": ("fn f(a: Int) -> Int\n", '  intent "one {0}"\n', "{ a }\n"),
    # Types
    "arguments of a function type": ("fn f(g: Fn(", "Int, ", "Int) -> Int) -> Int { 1 }\n"),
    "unknown types": ("", "fn f{0}(a: Strng{0}) -> Intt {{ 1 }}\n", ""),
    # Statements
    "lets": ("fn f() -> Int {\n", "  let x{0} = {0}\n", "  x0\n}\n"),
    "lets of one name": ("fn f() -> Int {\n", "  let x = {0}\n", "  x\n}\n"),
    "lets with types": ("fn f() -> Int {\n", '  let x{0}: Int = "a"\n', "  x0\n}\n"),
    "assignments": ("fn f() -> Int {\n  let mut x = 0\n", "  x = x + {0}\n", "  x\n}\n"),
    "assignments of lists": ("fn f() -> Int {\n  let mut x = []\n", "  x = push(x, {0})\n", "  1\n}\n"),
    "assignments without let": ("fn f() -> Int {\n", "  y{0} = {0}\n", "  1\n}\n"),
    "returns": ("fn f() -> Int {\n", "  return {0}\n", "}\n"),
    "returns under conditions": ("fn f(a: Int) -> Int {\n", "  if a == {0} {{ return {0} }}\n", "  1\n}\n"),
    "conditions that narrow": ("fn f(a: Int) -> Int {\n", "  if a > {0} {{ return 10 / a }}\n", "  a\n}\n"),
    "divisions": ("fn f(a: Int) -> Int {\n", "  let x{0} = 10 / (a - {0})\n", "  a\n}\n"),
    "whiles": ("fn f() -> Int {\n  let mut i = 0\n", "  while i < {0} {{ i = i + 1 }}\n", "  i\n}\n"),
    "fors": ("fn f() -> Int {\n  let mut s = 0\n", "  for i in [1, {0}] {{ s = s + i }}\n", "  s\n}\n"),
    "expressions": ("fn f() -> Int {\n", "  {0}\n", "}\n"),
    # Expressions
    "arguments": ("fn f() -> Int { g(", "{0}, ", "1) }\nfn g(a: Int) -> Int { a }\n"),
    "arguments that are missing": ("fn g(a: Int, b: Int) -> Int { a }\nfn f() -> Int {\n", "  let x{0} = g({0})\n", "  1\n}\n"),
    "declarations of another language": ("fn f() -> Int {\n", "  var n{0} = 1\n", "  1\n}\n"),
    "calls in a chain": ("fn f(g: Int) -> Int { g", "({0})", " }\n"),
    "conjunctions": ("fn f(a: Int) -> Bool { a > 0", " && a < {0}", " }\n"),
    "disjunctions": ("fn f(a: Int) -> Bool { a > 0", " || a == {0}", " }\n"),
    "comparisons": ("fn f(a: Int) -> Bool { a", " == {0}", " }\n"),
    "products": ("fn f(a: Int) -> Int { a", " * {0}", " }\n"),
    "signs": ("fn f(a: Int) -> Int { ", "-", "a }\n"),
    "negations": ("fn f(a: Bool) -> Bool { ", "!", "a }\n"),
    "elements of a list": ("fn f() -> List<Int> { [", "{0}, ", "1] }\n"),
    "elements of different types": ("fn f() -> List<Int> { [", '{0}, "a", ', "1] }\n"),
    "records in a list": ("type R { a: Int, b: Int }\nfn f() -> List<R> { [", "R {{ a: {0} }}, ", "R { a: 1, b: 2 }] }\n"),
    "record literals": ("type R { a: Int }\nfn f() -> Int {\n", "  let r{0} = R {{ a: {0} }}\n", "  1\n}\n"),
    "fields given twice": ("type R { a: Int }\nfn f() -> R { R { ", "a: {0}, ", "} }\n"),
    "unknown fields given": ("type R { a: Int }\nfn f() -> R { R { ", "b{0}: {0}, ", "} }\n"),
    "ifs": ("fn f(a: Int) -> Int {\n", "  let x{0} = if a > {0} {{ 1 }} else {{ 2 }}\n", "  1\n}\n"),
    "ifs without else": ("fn f(a: Int) -> Int {\n", "  let x{0} = if a > {0} {{ 1 }}\n", "  1\n}\n"),
    "matches": ("fn f(a: Option<Int>) -> Int {\n", "  let x{0} = match a {{ Some(v) => v, None => {0} }}\n", "  1\n}\n"),
    "variant literals": ("enum E { A(Int), B }\nfn f() -> Int {\n", "  let x{0} = E::A({0})\n", "  1\n}\n"),
    "unknown variants": ("enum E { A(Int), B }\nfn f() -> Int {\n", "  let x{0} = E::Ab{0}({0})\n", "  1\n}\n"),
    "wraps": ("fn f() -> Int {\n", "  let x{0} = Some(Ok({0}))\n", "  1\n}\n"),
    "spawns": ("fn g() -> Int { 1 }\nfn f() -> Int {\n", "  let p{0} = spawn g\n  send p{0} {0}\n  emit {0}\n", "  receive\n}\n"),
    "texts": ("fn f() -> Int {\n", '  let x{0} = "text {0}"\n', "  1\n}\n"),
    "texts of bad escapes": ('fn f() -> String { "', "\\q", '" }\n'),
    "texts with bad escapes": ("fn f() -> Int {\n", '  let x{0} = "\\q {0}"\n', "  1\n}\n"),
    "a text of many lines": ('fn f() -> String { "', "line {0}\n", '" }\n'),
    "built-in functions": ("fn f(s: String) -> Int {\n", "  let x{0} = string_length(s)\n", "  1\n}\n"),
    "unknown functions": ("fn f(s: String) -> Int {\n", "  let x{0} = string_lenght(s)\n", "  1\n}\n"),
    "methods": ("fn f(s: String) -> Int {\n", "  let x{0} = s.length()\n", "  1\n}\n"),
    "one unknown name": ("fn f() -> Int {\n", "  let x{0} = u\n", "  1\n}\n"),
    "unknown names of one function": ("fn f() -> Int {\n", "  let x{0} = un{0}\n", "  1\n}\n"),
    # Patterns
    "arms with payloads": (
        "enum E { A(Int) }\nfn f(e: E) -> Int {\n  match e {\n", "    A({0}) => {0},\n", "    A(x) => x\n  }\n}\n",
    ),
    "arms that bind": ("fn f(e: Int) -> Int {\n  match e {\n", "    x{0} => x{0},\n", "  }\n}\n"),
    "arms of options": ("fn f(e: Option<Int>) -> Int {\n  match e {\n", "    Some({0}) => {0},\n", "    _ => 0\n  }\n}\n"),
    "arms of texts in results": (
        "fn f(e: Result<String, Int>) -> Int {\n  match e {\n",
        '    Ok("{0}") => {0},\n    Err({0}) => 1,\n',
        "    _ => 0\n  }\n}\n",
    ),
    # Comments and blanks
    "comments": ("", "// a comment {0}\n", "fn f() -> Int { 1 }\n"),
    "comments in a block": ("fn f() -> Int {\n", "  // a comment {0}\n", "  1\n}\n"),
    "doc comments": ("", "/// about {0}\n", "fn f() -> Int { 1 }\n"),
    "allow comments": ("fn f() -> Int {\n", "  // boruna: allow(W101)\n  let x{0} = {0}\n", "  1\n}\n"),
    "allow comments that nothing needs": ("", "// boruna: allow(W1{0})\nfn f{0}() -> Int {{ 1 }}\n", ""),
    "lines without text": ("fn f() -> Int {\n", "\n", "  1\n}\n"),
    "blanks": ("fn f() -> Int {", " ", "1 }\n"),
    "one long name": ("fn f() -> Int { ", "a", " }\n"),
    "one long number": ("fn f() -> Int { ", "9", " }\n"),
    "one long fraction": ("fn f() -> Float { 1.", "9", " }\n"),
    # What does not parse
    "lines of an opening brace": ("fn f() -> Int {\n", "{{\n", "1\n"),
    "lines of a closing brace": ("fn f() -> Int {\n", "}}\n", "1\n"),
    "brackets that do not close": ("fn f() -> Int { ", "([", "\n"),
    "angles in a type": ("fn f(a: ", "List<", "Int) -> Int { 1 }\n"),
    "bad characters": ("fn f() -> Int { ", "@ ", "1 }\n"),
    "letters that no name has": ("fn f() -> Int { ", "é", " }\n"),
    "quotes": ("fn f() -> Int { ", '"', " }\n"),
    "single quotes": ("fn f() -> Int {\n", "  let x{0} = 'a'\n", "  1\n}\n"),
    "semicolons": ("fn f() -> Int {\n", "  let x{0} = {0};\n", "  1\n}\n"),
    "only semicolons": ("fn f() -> Int {", ";", "1 }\n"),
    "commas": ("fn f() -> Int { g(", ",", "1) }\n"),
    "words of an item": ("", "fn ", "\n"),
    "functions without a body": ("", "fn f{0}() -> Int\n", ""),
    "words of statements": ("fn f() -> Int { ", "let ", "1 }\n"),
    "else ifs": ("fn f(a: Int) -> Int {\n  if a == 0 { 0 }\n", "  else if a == {0} {{ {0} }}\n", "  else { 1 }\n}\n"),
    "indexes": ("fn f(a: List<Int>) -> Int {\n", "  let x{0} = a[{0}]\n", "  1\n}\n"),
    "closures": ("fn f(a: List<Int>) -> Int {\n", "  let x{0} = list_map(a, |v| v + {0})\n", "  1\n}\n"),
    "arms without an arrow": ("fn f(a: Int) -> Int {\n  match a {\n", "    {0} -> {0},\n", "  }\n}\n"),
    "marks of a merge": ("", "<<<<<<< ours\nfn f{0}() -> Int {{ 1 }}\n=======\nfn f{0}() -> Int {{ 2 }}\n>>>>>>> theirs\n", ""),
    "constants": ("", "const X{0}: Int = {0}\n", "fn f() -> Int { X0 }\n"),
    "fenced blocks": ("", "```ax\nfn f{0}() -> Int {{ 1 }}\n```\n", ""),
    # Other languages
    "python": ("", "def f{0}(a: int) -> int:\n    if a > {0}:\n        return a\n    return {0}\n\n", ""),
    "python classes": ("", "class C{0}:\n    def __init__(self, a):\n        self.a = a\n\n", ""),
    "javascript": ("", "function f{0}(a) {{\n  const b = a.map((x) => x + {0});\n  return b.length;\n}}\n", ""),
    "rust": ("", "pub fn f{0}(a: &Vec<i64>) -> i64 {{\n    let b: i64 = a.iter().map(|x| x + {0}).sum();\n    b\n}}\n", ""),
    "go": ("", "func f{0}(a []int) int {{\n\tt := 0\n\tfor _, x := range a {{\n\t\tt += x\n\t}}\n\treturn t\n}}\n", ""),
    "haskell": ("", "f{0} :: Int -> Int\nf{0} 0 = {0}\nf{0} n = n * f{0} (n - 1)\n\n", ""),
    "c": ("", "int f{0}(int a) {{\n    int t = 0;\n    for (int i = 0; i < a; i++) {{ t += i; }}\n    return t;\n}}\n", ""),
    "one python function": ("def f(a: int) -> int:\n", "    b{0} = [x for x in range(a) if x > {0}]\n", "    return a\n"),
    "one javascript function": ("function f(a) {\n", "  let b{0} = a ? a + {0} : `text ${{a}}`;\n", "  return a;\n}\n"),
    "one rust function": ("fn f(a: &str) -> i64 {\n", '    let b{0} = format!("{{}} {0}", a).len() as i64;\n', "    b0\n}\n"),
}  # fmt: skip

_NESTED: Final[dict[str, tuple[str, str, str, str, str]]] = {
    "nested blocks": ("fn f() -> Int { ", "{ ", "1", " }", " }\n"),
    "nested calls": ("fn g(a: Int) -> Int { a }\nfn f() -> Int { ", "g(", "1", ")", " }\n"),
    "nested lists": ("fn f() -> Int { ", "[", "1", "]", " }\n"),
    "nested ifs": ("fn f(a: Int) -> Int { ", "if a > 1 { ", "1", " } else { 2 }", " }\n"),
    "nested elses": ("fn f(a: Int) -> Int { ", "if a > 1 { 2 } else { ", "1", " }", " }\n"),
    "nested wraps": ("fn f() -> Int { ", "Some(", "1", ")", " }\n"),
    "nested records": ("type R { a: Int }\nfn f() -> R { ", "R { a: ", "1", " }", " }\n"),
    "nested types": ("fn f(a: ", "List<", "Int", ">", ") -> Int { 1 }\n"),
    "nested function types": ("fn f(a: ", "Fn(", "Int", ") -> Int", ") -> Int { 1 }\n"),
    "nested patterns": ("fn f(a: Int) -> Int { match a { ", "Some(", "x", ")", " => 1, _ => 2 } }\n"),
    "nested fors": ("fn f(a: List<Int>) -> Int { ", "for x in a { ", "1", " }", " 1 }\n"),
    "nested whiles": ("fn f(a: Bool) -> Int { ", "while a { ", "1", " }", " 1 }\n"),
}

_PIECES: Final = (
    "a", "1", "f(", "(", ")", "[", "]", "{", "}", ",", ";", ":", "::", ".", "..", "->", "=>", "=", "==", "===", "!", "!=",
    "+", "++ ", "+=", "a += ", "; a *= 1 ", "(a) a += ", "a++; ", "--", "-", "*", "/", "%", "&", "&&", "&a ", "|", "||",
    "|x| ", "|>", "?", "a ? b : ", "??", "?.", "@", "#", "$", '$"', "\\", "~", "^", "`", "`a` ", "'", "'a' ", '"', '"a" ',
    '"\\', "“", "“a” ", "é", "\xa0", "\u200b", "// a", "/*", "*/", "# a", "-- a", "<", ">", "<<", "a<b>", "a[0]", "a[",
    "Vec<", "Array<", "not ", "not a ", "and ", "a or b ", "is ", "mod ", "if ", "if (a) ", "else ", "elif ", "else if ",
    "unless ", "match ", "match a {", "case ", "when ", "switch ", "while ", "for ", "for i in ",
    "for (i = 0; i < 1; i++) ", "loop ", "do ", "until ", "fn ", "fn(", "fn f(a", "def ", "func ", "function ", "let ",
    "let a ", "let a = ", "var a = ", "const ", "const a = 1 ", "mut ", "type ", "type R ", "struct ", "enum ", "class ",
    "trait ", "impl ", "import ", "from a import b ", "use a::b ", "module ", "export ", "pub ", "return ", "break ",
    "try ", "catch ", "throw ", "await ", "async ", "lambda x: ", "x => ", "(x) => ", "None ", "Some(", "Ok ", "nil ",
    "null ", "true ", "R {", "R { a: 1 }", "R { ..", "E::A", "E::A(1) ", "spawn ", "send ", "emit ", "receive ", "intent ",
    "requires ", "ensures a ", "a: Int ", "a: Int = 1 ", "Int a = 1 ", ": Int", "1.5", "1.", ".5", "1e5 ", "0x", "1_000 ",
    "99999999999999999999 ", "a b ", "a.b ", "a.b() ", "f(a) ", "a = b = ", "a, b = ", "(a, b) ", "[a for a in ",
    "<<<<<<<", "=======", "```",
)  # fmt: skip
"""Repeated in a function, on one line and on lines of their own: what the repairs of broken text look for."""


def _repeat(row: tuple[str, str, str], size: int) -> str:
    before, unit, after = row
    return before + "".join(map(unit.format, range(size))) + after


def _nest(row: tuple[str, str, str, str, str], size: int) -> str:
    before, opening, middle, closing, after = row
    return before + opening * size + middle + closing * size + after


def _in_function(piece: str, end: str) -> tuple[str, str, str]:
    return "fn f(a: Int) -> Int {\n  ", piece.replace("{", "{{").replace("}", "}}") + end, "\n  1\n}\n"


def _with_fields(before: str, repeated: str, after: str, size: int) -> str:
    """A type of so many fields and as many uses of it."""
    declared = ", ".join(f"f{n}: Int" for n in range(size))
    return f"type R {{ {declared} }}\n" + _repeat((before, repeated, after), size)


def _circle(size: int) -> str:
    """Functions each of which calls the next one, and the last one the first."""
    return "".join(f"fn f{n}() -> Int {{ f{(n + 1) % size}() }}\n" for n in range(size))


PRODUCTIONS: Final[dict[str, Callable[[int], str]]] = {
    **{name: partial(_repeat, row) for name, row in _REPEATED.items()},
    **{name: partial(_nest, row) for name, row in _NESTED.items()},
    **{f"{piece!r} on a line": partial(_repeat, _in_function(piece, "")) for piece in _PIECES},
    **{f"{piece!r} on lines": partial(_repeat, _in_function(piece, "\n")) for piece in _PIECES},
    "functions of one circle": _circle,
    "literals with a spread": partial(_with_fields, "fn f(r: R) -> Int {\n", "  let x{0} = R {{ ..r, f1: {0} }}\n", "  1\n}\n"),
}

"""Texts that are hard on an analysis that does anything more than once: very deep, very long, very many of a kind."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

_MANY: Final = 100_000


def _repeated(piece: str, around: str = "fn main() -> Int {\n    # \n}\n") -> Callable[[], str]:
    return lambda: around.replace("#", piece * _MANY)


def _alone(piece: str) -> Callable[[], str]:
    return lambda: piece * _MANY


def _nested(opening: str, inner: str, closing: str, count: int) -> Callable[[], str]:
    return lambda: f"fn main() -> Int {{\n{opening * count}{inner}{closing * count}\n0\n}}\n"


def _joined(line: str, count: int, around: str = "#") -> Callable[[], str]:
    return lambda: around.replace("#", "".join(line.replace("@", str(number)) for number in range(count)))


def _prose() -> str:
    chosen = Random(1)
    words = 'the of "and" it\'s (a) let fn type if # - * & 100% e.g. — import {x} [link](url) `code` \\ / : ; , .'.split()
    lines = [" ".join(chosen.choices(words, k=12)) for _ in range(3_000)]
    return "\n".join(lines)


def _bytes() -> str:
    return Random(2).randbytes(100_000).decode("latin-1")


TEXTS: Final[dict[str, Callable[[], str]]] = {
    "nothing but {": _alone("{"),
    "nothing but (": _alone("("),
    "nothing but [": _alone("["),
    "nothing but }": _alone("}"),
    'nothing but "': _alone('"'),
    "nothing but //": _alone("//"),
    "nothing but // on lines": _alone("//\n"),
    "nothing but /": _alone("/"),
    "nothing but backslashes": _alone("\\"),
    "nothing but fn": _alone("fn "),
    "fn on lines": _alone("fn\n"),
    "fn f( on lines": _alone("fn f(\n"),
    "type on lines": _alone("type T\n"),
    "export on lines": _alone("export\n"),
    "import on lines": _alone("import\n"),
    "match x {": _alone("match x {"),
    "if a {": _alone("if a {"),
    "a.": _alone("a."),
    "-": _alone("-"),
    "1+": _alone("1+"),
    "{ in a body": _repeated("{"),
    "( in a body": _repeated("("),
    "[ in a body": _repeated("["),
    '" in a body': _repeated('"'),
    "match x { in a body": _repeated("match x {"),
    "if a { in a body": _repeated("if a {"),
    "a. in a body": _repeated("a."),
    "- in a body": _repeated("-"),
    "! in a body": _repeated("!"),
    "1+ in a body": _repeated("1+"),
    "f( in a body": _repeated("f("),
    "f() in a body": _joined("f()", 20_000, "fn main() -> Int {\n    #\n}\n"),
    "Some( in a body": _repeated("Some("),
    "P { x: in a body": _repeated("P { x: "),
    "spawn in a body": _repeated("spawn "),
    "let in a body": _repeated("let "),
    "let x = in a body": _repeated("let x = "),
    "return in a body": _repeated("return "),
    "commas in a body": _repeated(", "),
    "strange characters in a body": _repeated("é"),
    "closed ( in a body": _nested("(", "1", ")", _MANY),
    "closed [ in a body": _nested("[", "1", "]", _MANY),
    "closed { in a body": _nested("{", "1", "}", _MANY),
    "closed if": _nested("if true {", "1", "} else { 2 }", 20_000),
    "closed match": _nested("match x { 1 => ", "1", "}", 20_000),
    "deep but accepted (": _nested("(", "1", ")", 990),
    "deep but accepted [": _nested("[", "1", "]", 990),
    "deep but accepted {": _nested("{", "1", "}", 990),
    "deep but accepted if": _nested("if true {", "1", "} else { 2 }", 900),
    "deep but accepted match": _nested("match x { y => ", "1", "}", 900),
    "deep but accepted call": _nested("main(", "1", ")", 990),
    "deep type": lambda: f"fn f(a: {'List<' * 50_000}Int{'>' * 50_000}) {{}}\n",
    "deep accepted type": lambda: f"fn f(a: {'List<' * 990}Int{'>' * 990}) {{}}\n",
    "deep function type": lambda: f"fn f(a: {'Fn(' * 50_000}Int{') -> Int' * 50_000}) {{}}\n",
    "deep pattern": lambda: f"fn f() {{ match x {{ {'Some(' * 50_000}a{')' * 50_000} => 1 }} }}\n",
    "deep accepted pattern": lambda: f"fn f() {{ match x {{ {'Some(' * 900}a{')' * 900} => 1 }} }}\n",
    "long sum": lambda: f"fn main() -> Int {{ {'1 + ' * 40_000}1 }}\n",
    "long concatenation": lambda: f"fn main() -> String {{ {'a ++ ' * 10_000}b }}\n",
    "long field chain": lambda: f"fn main(a: Int) -> Int {{ a{'.b' * 2_000} }}\n",
    "line of a megabyte": lambda: f"fn main() -> Int {{ {'f(1) ' * 40_000} // {'x' * 800_000}\n}}\n",
    "string of a megabyte": lambda: f'fn main() -> String {{ "{"x" * 1_000_000}" }}\n',
    "comment of a megabyte": lambda: f"// {'x' * 1_000_000}\nfn main() {{}}\n",
    "name of a megabyte": lambda: f"fn main() {{ {'x' * 1_000_000} }}\n",
    "number of a megabyte": lambda: f"fn main() {{ {'1' * 1_000_000} }}\n",
    "blanks of a megabyte": lambda: " " * 1_000_000,
    "lines of a megabyte": lambda: "\n" * 1_000_000,
    "prose": _prose,
    "bytes": _bytes,
    "functions": _joined("fn f@() -> Int { 1 }\n", 10_000),
    "functions that call themselves": _joined("fn f@(a: Int) -> Int { f@(a) }\n", 5_000),
    "functions that call none": _joined("fn f@(a: Int) -> Int { f@g(a) }\n", 1_000),
    "functions of one name": _joined("fn f() -> Int { @ }\n", 5_000),
    "types of one name": _joined("type T { x@: Int }\n", 5_000),
    "enums of one variant name": _joined("enum E@ { A, B@ }\n", 5_000),
    "imports": _joined('import "lib@"\n', 5_000),
    "imports of one library": _joined('import "std-json"\n', 5_000),
    "record": _joined("    field@: Int,\n", 5_000, "type R {\n#}\nfn f(r: R) -> Int { r.field17 }\n"),
    "record of one field name": _joined("    field: Int,\n", 5_000, "type R {\n#}\n"),
    "record literal": _joined("x@: 1, ", 5_000, "type R { x1: Int }\nfn f() { R { # } }\n"),
    "record literal of one field": _joined("x: 1, ", 5_000, "type R { x: Int }\nfn f() { R { # } }\n"),
    "enum and its match": lambda: (
        "enum E {\n"
        + "".join(f"    V{number},\n" for number in range(2_000))
        + "}\nfn f(e: E) -> Int {\n    match e {\n"
        + "".join(f"        V{number} => {number},\n" for number in range(2_000))
        + "    }\n}\n"
    ),
    "enum and an empty match": _joined("V@(Int), ", 2_000, "enum E { # }\nfn f(e: E) -> Int { match e { V1(x) => x } }\n"),
    "match of integers": _joined("@ => @, ", 5_000, "fn f(n: Int) -> Int { match n { # } }\n"),
    "match of one pattern": _joined("1 => @, ", 5_000, "fn f(n: Int) -> Int { match n { # _ => 0 } }\n"),
    "undefined names": _joined("    undefined_@\n", 10_000, "fn main() -> Int {\n#    0\n}\n"),
    "nearly defined names": _joined(
        "    valu@\n", 3_000, "fn main() -> Int {\n" + "".join(f"let value{n} = 1\n" for n in range(3_000)) + "#    0\n}\n"
    ),
    "variables": _joined("    let v@ = 1\n", 10_000, "fn main() -> Int {\n#    0\n}\n"),
    "variables of one name": _joined("    let v = @\n", 10_000, "fn main() -> Int {\n#    v\n}\n"),
    "assignments": _joined("    v = @\n", 10_000, "fn main() -> Int {\n    let mut v = 0\n#    v\n}\n"),
    "parameters": _joined("p@: Int, ", 5_000, "fn main(#q: Int) -> Int { 0 }\n"),
    "arguments": _joined("@, ", 5_000, "fn f(a: Int) -> Int { f(# 1) }\n"),
    "wrong calls": _joined("    f(1, 2, 3)\n", 3_000, "fn f(a: Int) -> Int {\n#    0\n}\n"),
    "broken functions": _joined("fn f@( {\n    let = 1\n}\n\n", 3_000),
    "broken statements": _joined("    let = @\n", 5_000, "fn main() -> Int {\n#    0\n}\n"),
    "open strings": _joined('    let s@ = "abc\n', 5_000, "fn main() -> Int {\n#    0\n}\n"),
    "open strings in functions": _joined('fn f@() -> String {\n    "abc\n}\n\n', 3_000),
    "unknown escapes": _joined('    "a\\q"\n', 5_000, "fn main() -> Int {\n#    0\n}\n"),
    "semicolons": _joined("    let a@ = 1;\n", 5_000, "fn main() -> Int {\n#    0\n}\n"),
    "else if": lambda: "fn main(a: Int) -> Int {\n    if a == 0 { 0 }" + " else if a == 1 { 1 }" * 2_000 + "\n}\n",
    "capabilities": _joined("net.fetch@, ", 5_000, "fn main() -> Int !{#} { 0 }\n"),
    "clauses": _joined("requires a > @\n", 3_000, "fn main(a: Int) -> Int\n#{ a }\n"),
    "separators": lambda: "fn main() -> Int {\n" + "\u2028\u2029\x85\x0b\x0c" * 10_000 + "\n}\n",
    "carriage returns": lambda: "fn main() -> Int {\r" + "  1\r" * 50_000 + "}\r",
    "allowances": _joined("// boruna: allow W501\n", 5_000, "#fn main() -> Int { let x = 1 0 }\n"),
}

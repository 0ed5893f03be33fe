"""Programs with libraries: order, transitive imports, `main` dropped, equal types merged, errors in either (chapter 26 S14)."""

from __future__ import annotations

from analysis.bytecode.module import TypeEntry
from tests.support.compiled import MAIN, compiled, errors_of, function_of, listing, module_of, ops_in

GEO = "type Size { w: Int, h: Int }\nfn area(s: Size) -> Int { s.w * s.h }\nfn main() -> Int { 1 }\n"
OUTER = 'import "geo-lib"\nfn unit() -> Size { Size { w: 1, h: 1 } }\n'


def names(text: str, **libs: str) -> list[str]:
    return [function.name for function in module_of(text, {key.replace("_", "-"): lib for key, lib in libs.items()}).functions]


def test_libraries_stand_before_the_file_without_their_main() -> None:
    text = "fn main() -> Int { area(unit()) }\nimport outer\nimport geo-lib\nfn tail() -> Int { 3 }\n"
    assert names(text, geo_lib=GEO, outer=OUTER) == ["area", "unit", "main", "tail"]
    module = module_of(text, {"geo-lib": GEO, "outer": OUTER})
    assert module.entry == 2
    assert listing(function_of(module, "main")) == ops_in("Call(1, 0) Call(0, 1) Ret")


def test_the_order_is_that_of_the_first_import() -> None:
    assert names("import b\nimport a\nimport b", a="fn x() -> Int { 1 }", b="fn y() -> Int { 2 }") == ["y", "x"]


def test_libraries_that_import_each_other() -> None:
    a, b = 'import "b"\nfn x() -> Int { y() }', 'import "a"\nfn y() -> Int { x() }'
    assert names("import a\nfn main() -> Int { x() }", a=a, b=b) == ["y", "x", "main"]


def test_equal_types_are_one() -> None:
    text = "import geo-lib\ntype Other { o: Int }\ntype Size { w: Int, h: Int }\nfn main() -> Size { Size { w: 1, h: 2 } }"
    module = module_of(text, {"geo-lib": GEO})
    members = (("w", "Int"), ("h", "Int"))
    assert module.types == (TypeEntry("Size", False, members), TypeEntry("Other", False, (("o", "Int"),)))
    assert ("MakeRecord", 0, 2) in function_of(module, "main").code


def test_the_files_own_definitions_win() -> None:
    text = "import geo-lib\ntype Size { h: Int }\nfn area(s: Size) -> Int { s.h }\nfn main() -> Int { area(Size { h: 4 }) }"
    module = module_of(text, {"geo-lib": GEO})
    assert len(module.types) == 2
    main = function_of(module, "main")
    assert ("MakeRecord", 1, 1) in main.code
    assert ("Call", 1, 1) in main.code


def test_unknown_libraries() -> None:
    assert errors_of('import "geo-lob"\nfn main() -> Int { x }', {"geo-lib": GEO})[0] == (
        "E013",
        "import error: library 'geo-lob' not found",
    )
    assert errors_of("import geo-lob")[0][0] == "E013"
    assert errors_of('import ""')[0][0] in ("E002", "E013")
    assert module_of("import geo\nfn main() -> Int { 1 }").entry == 0


def test_an_unknown_library_of_a_library() -> None:
    errors = compiled("import a\nfn main() -> Int { 1 }", libs={"a": 'import "nowhere"\nfn x() -> Int { 1 }'}).errors
    assert [(error.code, error.message) for error in errors] == [("E013", "import error: library 'nowhere' not found")]
    assert errors[0].file.path == "/workspace/libs/a/src/core.ax"


def test_errors_in_a_library_are_told_at_their_place() -> None:
    library = "fn x() -> Int {\n  nope\n}\n"
    errors = compiled("import a\nfn main() -> Int { y }", libs={"a": library}).errors
    assert [(error.file == MAIN, error.message) for error in errors] == [
        (False, "undefined variable: nope"),
        (True, "undefined variable: y\n  did you mean: 'x'?"),
    ]
    assert library[errors[0].start : errors[0].end] == "nope"


def test_syntax_errors_in_a_library_come_first() -> None:
    errors = compiled("import a\nfn main() -> Int { y }", libs={"a": "fn x( -> Int { 1 }"}).errors
    assert [(error.code, error.file == MAIN) for error in errors] == [("E002", False), ("E009", True)]


def test_a_name_of_the_file_can_be_used_in_a_library() -> None:
    # The reference puts the texts together: what is missing in one can stand in the other.
    module = module_of("import a\nfn helper() -> Int { 2 }", {"a": "fn x() -> Int { helper() }"})
    assert listing(function_of(module, "x")) == ops_in("Call(1, 0) Ret")

"""boruna_compile and boruna_inspect through the real process."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from analysis.bytecode.axbc import encode, module_from_json
from tests.mcp.test_tools import agent, answer_of

PROGRAM = "import geo\n\nfn main() -> Int {\n    area(2, 3) + list_len([1])\n}\n"
LIBRARY = "fn area(w: Int, h: Int) -> Int { w * h }\n"


def workspace(folder: Path, program: str = PROGRAM) -> Path:
    (folder / "boruna.toml").write_text("")
    (folder / "libs" / "geo" / "src").mkdir(parents=True)
    (folder / "libs" / "geo" / "src" / "core.ax").write_text(LIBRARY)
    (folder / "main.ax").write_text(program)
    return folder


async def test_a_file_is_compiled_with_its_libraries(tmp_path: Path) -> None:
    async with agent(cwd=workspace(tmp_path)) as client:
        answer = await answer_of(client, "boruna_compile", path="main.ax", name="app")
    assert answer["success"] is True
    assert answer["module"] == {"name": "app", "version": 1, "functions": 2, "types": 0, "constants": 3, "entry": 1}
    assert answer["freshness"]["source"] == "disk"


async def test_all_errors_with_their_places(tmp_path: Path) -> None:
    source = 'fn f() -> Int { 1 }\nfn main() -> Int {\n    let é = "é" ++ nmae\n}\n'
    source = source.replace("let é", "let e")
    async with agent(cwd=tmp_path) as client:
        answer = await answer_of(client, "boruna_compile", source=source + "fn g() -> Int { f(1) + E::A }\n")
    assert answer["success"] is False
    first, *others = answer["errors"]
    assert first["message"].startswith("undefined variable: nmae")
    places = {key: first[key] for key in ("severity", "code", "line", "col", "span_len", "end_line", "end_col")}
    assert places == {
        "severity": "error", "code": "E009", "line": 3, "col": 21, "span_len": 4, "end_line": 3, "end_col": 25,
    }  # fmt: skip
    assert [error["message"] for error in others] == ["function 'f' expects 0 arguments, got 1", "unknown enum: E"]


async def test_an_error_in_a_library_names_the_file(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    (folder / "libs" / "geo" / "src" / "core.ax").write_text("fn area(w: Int, h: Int) -> Int { w * hight }\n")
    async with agent(cwd=folder) as client:
        answer = await answer_of(client, "boruna_compile", path="main.ax")
    (error,) = answer["errors"]
    assert error["file"].endswith("libs/geo/src/core.ax")
    assert (error["line"], error["col"]) == (1, 38)


async def test_inspect_shows_the_whole_module(tmp_path: Path) -> None:
    async with agent(cwd=workspace(tmp_path)) as client:
        answer = await answer_of(client, "boruna_inspect", path="main.ax")
        broken = await answer_of(client, "boruna_inspect", source="fn main( {")
    module = module_from_json(answer["module"])
    data = encode(module)
    assert len(data) == answer["axbc_bytes"]
    assert [function.name for function in module.functions] == ["area", "main"]
    assert "#1: main(arity=0, locals=0, ops=8)" in answer["disassembly"]
    library, main = answer["source_map"]
    assert library["file"].endswith("libs/geo/src/core.ax")
    assert library["places"][2] == [1, 34, 1, 39]
    assert [len(row["places"]) for row in answer["source_map"]] == [4, 8]
    assert main["places"][2] == [4, 5, 4, 15]
    assert (broken["success"], broken["errors"][0]["code"]) == (False, "E002")


async def test_a_module_that_is_too_long_is_cut_with_words(tmp_path: Path) -> None:
    functions = "".join(f"fn f{n}(a: Int) -> Int {{ {' + '.join(['a'] * 40)} }}\n" for n in range(500))
    async with agent(cwd=tmp_path) as client:
        answer = await answer_of(client, "boruna_inspect", source=functions)
    assert answer["source_map"] is None
    assert "source_map" in answer["omitted"]["field"]
    assert answer["success"] is True
    assert answer["axbc_bytes"] > 0


async def test_long_programs_of_one_client_are_told_apart_however_much_they_differ(tmp_path: Path) -> None:
    def program(functions: int, value: int) -> str:
        return (
            "".join(f"fn f{number}() -> Int {{ {value} + {number} }}\n" for number in range(functions))
            + "fn main() -> Int { f0() }\n"
        )

    first = program(2_000, 1)
    texts = [first, first.replace("1 + 700 ", "2 + 700 "), program(2_000, 3), first, program(4_000, 1), program(1_700, 1)]
    async with agent(cwd=tmp_path) as client:
        for text in (*texts, *reversed(texts)):
            answer = await answer_of(client, "boruna_compile", source=text)
            assert answer["module"]["functions"] == text.count("fn ")
            assert answer["freshness"]["sha256"] == sha256(text.encode()).hexdigest()

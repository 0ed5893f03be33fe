"""Side tables of a compiled module, beside its bytecode: bytes behind the payload of an `.axbc` file (docs/bytecode.md).

The reference's loader ignores these bytes, so its files and ours stay the same format. Without these tables a loaded module
follows chapter 06, which does not always match its source (chapter 26: S6, S8, S9).
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from analysis.bytecode.module import CATCH_ALL, Arm, Constant, FunctionCode, Module
from analysis.bytecode.module_reading import LoadError
from analysis.data_classes import replace

MAGIC: Final = b"BSDT"
VERSION: Final = 1
_FRAME: Final = struct.Struct("<4sHI32s")
"""Magic, version, length of the content; the SHA-256 of the file up to here, of these three, and of the content."""
_INFINITY: Final[Constant] = ("Float", math.inf)
_STEP_INPUT: Final = 10
"""The capability that is the same as a function of the language and bare."""
_ADVICE: Final = "compile the program again"


# ---- writing --------------------------------------------------------------------------------------------------------


def side_tables(module: Module, file: bytes) -> bytes:
    """The tables to write behind `file`, the module's bytes; empty if the module means the same without them."""
    needed = bool(_infinite(module)) or any(map(_depends_on_tables(module), module.functions))
    return framed(file, VERSION, _written(module)) if needed else b""


def framed(file: bytes, version: int, content: bytes) -> bytes:
    """Content with its frame, as it stands behind the bytes of a file. Every version has this frame."""
    return _FRAME.pack(MAGIC, version, len(content), _digest(file, version, content)) + content


def _digest(file: bytes, version: int, content: bytes) -> bytes:
    head = struct.pack("<4sHI", MAGIC, version, len(content))
    return sha256(file + head + content).digest()


def _infinite(module: Module) -> list[int]:
    """The indexes of constants without a JSON number; a literal is never negative."""
    return [number for number, constant in enumerate(module.constants) if constant == _INFINITY]


def _depends_on_tables(module: Module) -> Any:
    """True if a function of a module can behave differently without its tables."""
    records = [[name for name, _ in entry.members] for entry in module.types if not entry.is_enum]
    anonymous = any(op[0] == "MakeAnonymous" for function in module.functions for op in function.code)

    def stands_there(name: str, position: int) -> bool:
        return not anonymous and all(name in names and names.index(name) == position for names in records)

    def needed(function: FunctionCode) -> bool:
        if any(not stands_there(name, function.code[index][1]) for index, name in function.field_names):
            return True
        if any(not _is_plain(arm, function) for table in function.match_tables for arm in table):
            return True
        return function.compiled and any(op[0] == "CapCall" and op[1] != _STEP_INPUT for op in function.code)

    return needed


def _is_plain(arm: Arm, function: FunctionCode) -> bool:
    """True if an arm does the same without its types: a catch-all whose value is dropped."""
    return arm.types is None or (arm.tag == CATCH_ALL and function.code[arm.target : arm.target + 1] == (("Pop",),))


def _written(module: Module) -> bytes:
    functions = [
        {
            "fields": [list(pair) for pair in function.field_names],
            "arms": [[None if arm.types is None else list(arm.types) for arm in table] for table in function.match_tables],
            "parameters": list(function.parameters),
            "compiled": function.compiled,
        }
        for function in module.functions
    ]
    return json.dumps({"functions": functions, "infinite": _infinite(module)}, ensure_ascii=False, separators=(",", ":")).encode()


# ---- reading --------------------------------------------------------------------------------------------------------


def with_side_tables(module: Module, file: bytes, behind: bytes, infinite: tuple[int, ...] = ()) -> Module:
    """The module with the tables in `behind`, the bytes after `file`. Raises LoadError if they are damaged.

    Bytes without the tables' prefix are foreign, and an unknown version is unreadable: both are ignored.
    `infinite` are constants that the file holds as null: only the tables can tell that they are infinite.
    """
    tables = _content(file, behind)
    if infinite and (tables is None or not isinstance(tables, dict) or tables.get("infinite") != list(infinite)):
        raise LoadError(f"serialization error: invalid type: null, expected f64 at constants[{infinite[0]}]")
    if tables is None:
        return module
    try:
        return _joined(module, tables)
    except (ValueError, TypeError, KeyError) as error:
        raise _wrong(f"do not fit the module ({error})") from None


def _content(file: bytes, behind: bytes) -> Any:
    """The content of the tables; None if there are none."""
    if not behind or not behind.startswith(MAGIC[: len(behind)]):
        return None
    if len(behind) < _FRAME.size:
        raise _wrong("truncated")
    _, version, length, digest = _FRAME.unpack_from(behind)
    content = behind[_FRAME.size : _FRAME.size + length]
    if len(content) < length:
        raise _wrong("truncated")
    if _digest(file, version, content) != digest:
        raise _wrong("damaged, or of another module")
    if version != VERSION:
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _wrong(f"do not fit the module ({error})") from None


def _wrong(problem: str) -> LoadError:
    return LoadError(f"invalid side tables: {problem}; {_ADVICE}")


def _joined(module: Module, value: Any) -> Module:
    functions = tuple(map(_function, module.functions, _list(value["functions"], len(module.functions))))
    constants = list(module.constants)
    for number in map(_number, _list(value["infinite"])):
        if not 0 <= number < len(constants) or constants[number][0] != "Float":
            raise ValueError(f"constant {number} is no Float")
        constants[number] = _INFINITY
    return replace(module, constants=tuple(constants), functions=functions)


def _function(function: FunctionCode, value: Any) -> FunctionCode:
    tables = zip(function.match_tables, _list(value["arms"], len(function.match_tables)), strict=True)
    return replace(
        function,
        match_tables=tuple([tuple(_arms(table, rows)) for table, rows in tables]),
        field_names=tuple([_field(function, pair) for pair in _list(value["fields"])]),
        parameters=tuple(map(_text, _list(value["parameters"], function.arity))),
        compiled=_flag(value["compiled"]),
    )


def _arms(table: tuple[Arm, ...], rows: Any) -> Iterator[Arm]:
    for arm, types in zip(table, _list(rows, len(table)), strict=True):
        yield arm._replace(types=None if types is None else tuple(map(_number, _list(types))))


def _field(function: FunctionCode, pair: Any) -> tuple[int, str]:
    index, name = _list(pair, 2)
    if not 0 <= _number(index) < len(function.code) or function.code[index][0] != "GetField":
        raise ValueError(f"instruction {index} of {function.name} reads no field")
    return index, _text(name)


def _list(value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        raise ValueError(f"expected a list{'' if length is None else f' of {length}'}")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("expected a number")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return value

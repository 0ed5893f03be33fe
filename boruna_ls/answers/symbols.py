"""The answer of `boruna_symbols` (spec chapter 05 section 8): functions, records and enums in source order."""

from __future__ import annotations

from typing import Any

from analysis.database import Database, paced
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import Enum, Function, Item, Record, TypeExpr, type_text
from analysis.text.source import Source
from boruna_ls.answers.envelope import success
from boruna_ls.answers.positions import place


def symbols_answer(db: Database, file: FileId) -> dict[str, Any]:
    """The symbols of a file that parses."""
    text = source(db, file)
    symbols = [
        _symbol(item) | _place(text, start, item)
        for chunk, start in zip(text.chunks, text.offsets, strict=True)
        for item in paced(chunk_tree(db, chunk.text).items)
        if isinstance(item, (Function, Record, Enum))
    ]
    return success(symbols=symbols)


def _place(text: Source, start: int, item: Item) -> dict[str, Any]:
    return {"location": place(text, start + item.at, start + item.at + len(item.name))}


def _symbol(item: Function | Record | Enum) -> dict[str, Any]:
    common = {"name": item.name, "exported": item.exported}
    match item:
        case Function():
            return {"kind": "fn", **common, **_function(item)}
        case Record():
            fields = [{"name": field.name, "type": rendered(field.type)} for field in paced(item.fields)]
            inner = ", ".join(f"{field['name']}: {field['type']}" for field in fields)
            return {
                "kind": "record",
                **common,
                "signature": f"type {item.name} {{ {inner} }}",
                "fields": fields,
                "capabilities": [],
            }
        case Enum():
            payloads = [rendered(variant.payload) if variant.payload else None for variant in paced(item.variants)]
            named = [(variant.name, payload) for variant, payload in zip(item.variants, payloads, strict=True)]
            inner = ", ".join(f"{name}({payload})" if payload else name for name, payload in named)
            variants = [{"name": name, "payload": payload} for name, payload in paced(named)]
            return {
                "kind": "enum",
                **common,
                "signature": f"enum {item.name} {{ {inner} }}",
                "variants": variants,
                "capabilities": [],
            }


def _function(item: Function) -> dict[str, Any]:
    parameters = [{"name": parameter.name, "type": rendered(parameter.type)} for parameter in item.parameters]
    capabilities = [capability.name for capability in item.capabilities]
    result = rendered(item.result) if item.result else "Unit"
    inner = ", ".join(f"{parameter['name']}: {parameter['type']}" for parameter in parameters)
    effects = f" !{{{', '.join(capabilities)}}}" if capabilities else ""
    answer = {
        "signature": f"fn {item.name}({inner}) -> {result}{effects}",
        "params": parameters,
        "return_type": result,
        "capabilities": capabilities,
        "requires": len(item.requires),
        "ensures": len(item.ensures),
        "intent": item.intent.raw if item.intent else None,
    }
    written = ", ".join(f"{parameter.name}: {type_text(parameter.type)}" for parameter in item.parameters)
    declaration = f"fn {item.name}({written}) -> {type_text(item.result) if item.result else 'Unit'}{effects}"
    # The field `signature` shows function types in a form that the language does not read.
    return answer if declaration == answer["signature"] else answer | {"declaration": declaration}


def rendered(node: TypeExpr) -> str:
    """A type as this answer shows it: function types without the word `Fn`."""
    if not node.arguments:
        return node.name
    *parameters, result = [rendered(argument) for argument in node.arguments]
    if node.name == "Fn":
        return f"({', '.join(parameters)}) -> {result}"
    return f"{node.name}<{', '.join([*parameters, result])}>"

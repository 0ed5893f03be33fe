"""Hover at the cursor: the declaration, its documentation and capabilities, the pages of the diagnostics there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.codes import CODES
from analysis.ide import glossary
from analysis.ide.app_documentation import of_field, of_item
from analysis.ide.markdown import fence, prose, visible, word
from analysis.ide.name_meanings import Kind, Place, item_around
from analysis.ide.name_types import shown_result, shown_type
from analysis.ide.server_tools import described, module_described, tool_named
from analysis.ide.signature import documentation, signature, variant_text
from analysis.ide.step_cost import constant_steps
from analysis.ide.target import Target, target_at
from analysis.inputs import FileId, libraries, source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import chunk_tree, file_declarations
from analysis.semantics.occurrences import Local, LocalKind
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.text.edits import Span

_MOST_NAMES: Final = 20
"""Functions and types of a library that are shown."""


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about the text at `span`."""

    markdown: str
    span: Span


def resource_page(code: str) -> str | None:
    """Address of a code's page for readers of resources."""
    return f"boruna://diagnostics/{code}"


def hover(db: Database, file: FileId, offset: int, page: Callable[[str], str | None] = resource_page) -> Hover | None:
    """Hover at an offset. `page` maps a diagnostic's code to the address of its page."""
    target = target_at(db, file, offset)
    parts = _described(db, file, target) if target else []
    span = target.span if target else None
    links = []
    for code, diagnostic_span in _diagnostics_at(db, file, offset):
        span = span or diagnostic_span
        address = page(code)
        title = f"{code}: {CODES[code].name}" if code in CODES else code
        links.append(f"[{title}]({address})" if address else title)
    if links:
        parts.append(" · ".join(dict.fromkeys(links)))
    return Hover("\n\n".join(parts), span) if span and parts else None


def _diagnostics_at(db: Database, file: FileId, offset: int) -> Iterator[tuple[str, Span]]:
    """The codes of the diagnostics at an offset and their absolute spans."""
    text = source(db, file)
    if not 0 <= offset <= len(text.text):
        return
    chunk = text.chunk_at(offset)
    entries = check_file(db, file).entries
    for index in range(bisect_left(entries, chunk, key=lambda entry: entry[0]), len(entries)):
        if entries[index][0] != chunk:
            break
        shown = entries[index][1].for_people()
        if shown is None:
            continue
        code, (start, end) = shown.code, shown.span
        if start <= offset - text.offsets[chunk] <= end:
            yield code, (start + text.offsets[chunk], end + text.offsets[chunk])


def _described(db: Database, file: FileId, target: Target) -> list[str]:
    name = target.name
    match target.kind:
        case Kind.BUILTIN:
            builtin = BUILTINS[name]
            parts = [fence(builtin.signature), f"Built in: {builtin.documentation}."]
            return parts + _capabilities((builtin.capability,) if builtin.capability else ())
        case Kind.BUILTIN_TYPE:
            return [fence(name), f"Built in: {glossary.TYPES[name]}."] if name in glossary.TYPES else [fence(name)]
        case Kind.KEYWORD:
            return [fence(name), f"{glossary.KEYWORDS[name].capitalize()}."] if name in glossary.KEYWORDS else []
        case Kind.CAPABILITY:
            meant = glossary.ALIASES.get(name, name)
            explanation = glossary.CAPABILITIES.get(meant)
            same = f", another spelling of {word(meant)}" if meant != name else ""
            return [f"Capability {word(name)}{same}: {explanation}." if explanation else f"Unknown capability {word(name)}."]
        case Kind.MODULE:
            return [fence(f"module {name}")]
        case Kind.TOOL:
            tool = tool_named(db, file, name)
            return described(tool) if tool is not None else []
        case Kind.SERVER:
            return module_described(db, file, name)
    parts = []
    for place in target.places:
        if parts:
            parts.append("---")
        parts += _declaration_parts(db, file, target, place)
    return parts


def _declaration_parts(db: Database, file: FileId, target: Target, place: Place) -> list[str]:
    """A declaration with its documentation."""
    text = source(db, place.file)
    if target.kind is Kind.LIBRARY:
        head = fence(f'import "{target.name}"')
        return [head, *_documented(text.text, _end_of_header(text.text)), *_contents(db, place.file)]
    chunk = text.chunk_at(place.name_span[0])
    start, content = text.offsets[chunk], text.chunks[chunk].text
    at = place.name_span[0] - start
    item = item_around(chunk_tree(db, content).items, at)
    if item is None:
        return []
    origin = [f"From library {word(library)}." for library in _library_of(db, file, place.file)]
    match target.kind:
        case Kind.FUNCTION | Kind.RECORD | Kind.ENUM:
            capabilities = tuple(capability.name for capability in item.capabilities) if isinstance(item, t.Function) else ()
            described = [fence(signature(item, content)), *_documented(content, item.start)]
            if isinstance(item, t.Function) and (held := shown_result(db, place.file, content, item)) is not None:
                described.append(f"Its result is not declared; it gives {word(held)}.")
            described += _capabilities(capabilities)
            if isinstance(item, t.Function) and (steps := constant_steps(db, file, item.name)) is not None:
                described.append(f"A call takes {steps} steps.")
            return [*described, *of_item(item, _functions(db, place.file)), *origin]
        case Kind.FIELD | Kind.VARIANT:
            member = next((child for child in t.children(item) if child.start == at), None)
            own = _documented(content, at)
            if isinstance(member, t.Field):
                shown = fence(f"{member.name}: {t.type_text(member.type)}")
                host = of_field(item, member.name, _functions(db, place.file))
                return [shown, *own, f"Field of record {word(item.name)}.", *host, *origin]
            if isinstance(member, t.Variant):
                shown = fence(f"{item.name}::{variant_text(member)}")
                return [shown, *own, f"Variant of enum {word(item.name)}.", *origin]
        case Kind.RESULT:
            declared = f": {t.type_text(item.result)}" if isinstance(item, t.Function) and item.result else ""
            return [fence(f"result{declared}"), f"What {word(item.name)} returns."]
        case Kind.PARAMETER | Kind.LOCAL:
            local = resolved(db, content).locals.get(at)
            return _local(db, place.file, content, local, item) if local else []
    return []


def _functions(db: Database, file: FileId) -> set[str]:
    """The names of a file's own functions; the protocol functions of an application have a meaning for its host."""
    return {function.name for fact in file_declarations(db, file) for function in fact.functions}


def _local(db: Database, file: FileId, content: str, local: Local, item: t.Item) -> list[str]:
    held = shown_type(db, file, content, local)
    shown = f"{local.name}: {held}" if held else local.name
    match local.kind:
        case LocalKind.VARIABLE:
            return [fence(f"let {'mut ' if local.mutable else ''}{shown}")]
        case LocalKind.PARAMETER:
            return [fence(shown), f"Parameter of {word(item.name)}."]
        case LocalKind.LOOP:
            return [fence(shown), "Loop variable."]
        case LocalKind.BINDING:
            return [fence(shown), "Bound by a pattern."]


def _documented(text: str, start: int) -> list[str]:
    comment = documentation(text, start)
    return [prose(comment)] if comment else []


def _end_of_header(text: str) -> int:
    """The end of the comment at the start of a file, line end included; 0 if it belongs to the first item, directly below."""
    end = 0
    for line in text.split("\n"):
        if not line.lstrip().startswith("//"):
            return end if not line.strip() else 0
        end += len(line) + 1
    return end


def _contents(db: Database, library: FileId) -> list[str]:
    """The names of a library's types and functions."""
    facts = file_declarations(db, library)
    rows = (
        ("Types", [type_fact.name for fact in facts for type_fact in fact.types]),
        ("Functions", [function.name for fact in facts for function in fact.functions if function.name != "main"]),
    )
    return [
        f"{title}: {', '.join(map(word, names[:_MOST_NAMES]))}{', …' if len(names) > _MOST_NAMES else ''}"
        for title, names in rows
        if names
    ]


def _capabilities(names: tuple[str, ...]) -> list[str]:
    return [f"Needs {'capabilities' if len(names) > 1 else 'capability'} {', '.join(map(word, names))}."] if names else []


def _library_of(db: Database, file: FileId, declared_in: FileId) -> list[str]:
    """The name of the library that declares something; empty for the file's own declarations."""
    available = libraries(db, file.workspace, file.libs).files
    return [visible(name) for name, library in available if library == declared_in != file][:1]

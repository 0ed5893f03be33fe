"""What a search can find: builtins, functions of libraries, and forms that are written where there is no function."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Final

from analysis.data_classes import dataclass, field
from analysis.ide.builtin_help import builtin_helps, elsewhere
from analysis.ide.function_search.forms import FORMS, OTHER_FORMS, filled
from analysis.semantics.builtins import BUILTINS
from analysis.suggestions.lexicon import BUILTIN_FORMS, EFFECTS, OTHER_OPERATIONS, operations
from analysis.suggestions.library_words import LIBRARIES
from analysis.suggestions.operation import Operation

_PREFIX: Final = re.compile(r"(?:__builtin_)?(?:(?:list|string|str|map|int|float|bool|option|result|step|net|fs)_(?=.))?")
_CALLED: Final = re.compile(r"(?<![a-z_0-9])[a-z_0-9]++(?=\()")
_LIBRARY_FORMS: Final = {
    "@sort": "list_sort", "@sum": "list_sum", "@list_max": "list_max", "@list_min": "list_min", "@list_last": "list_last",
    "@list_index_of": "list_index_of", "@string_index_of": "string_index_of", "@join": "__builtin_string_join",
    "@zip": "list_zip", "@char_at": "string_char_at", "@option_or": "option_or", "@result_or": "result_or",
    "@map_get_or": "map_get_or", "@range": "list_range", "@range_list": "list_range", "@tally": "map_counts",
    "@frequencies": "map_counts",
}  # fmt: skip
"""Templates that a translation writes out, though a function does nearly the same."""
_KINDS: Final = frozenset(("map", "Map", "list", "List", "string"))
"""Words for kinds of value, which say nothing of a function."""
MORE_WORDS: Final = {
    "console.log": "__builtin_debug", "log": "__builtin_debug", "info": "__builtin_debug", "writeln": "__builtin_debug",
    "date.now": "time_now", "unix": "time_now", "timestamp": "time_now", "randint": "random", "http": "net_fetch",
    "requests": "net_fetch", "httpget": "net_fetch", "open": "fs_read", "readfilesync": "fs_read", "sql": "db_query",
    "query": "db_query", "prompt": "llm_call", "chat": "llm_call", "complete": "llm_call", "assert": "__builtin_guard",
    "power": "int_pow", "round": "float_round", "toFixed": "float_format", "isinteger": "float_fits_int",
    "stdin": "step_input", "argv": "step_input", "getenv": "step_input", "arguments": "step_input",
    "valueof": "__builtin_int_to_string", "duplicates": "list_unique", "dedupe": "list_unique",
    "stdout": "__builtin_debug", "stderr": "__builtin_debug",
}  # fmt: skip
"""Names that only a search understands: as a call, each can mean something else."""


@dataclass(frozen=True, slots=True)
class Known:
    """A function (without `libraries`, a builtin), or a form: `write` is then its code, and there is no signature."""

    name: str
    signature: str
    meaning: str
    parameters: tuple[str, ...]
    result: str
    kind: str
    libraries: tuple[str, ...] = ()
    example: str = ""
    gives: str = ""
    write: str = ""
    has_effect: bool = False
    words: tuple[str, ...] = field(default=())
    """What other languages call it."""
    is_special: bool = False
    """From a library for one purpose."""

    @property
    def is_form(self) -> bool:
        """True for what is no function."""
        return not self.signature

    @property
    def key(self) -> str:
        """Tells functions and forms of the same name apart."""
        return self.name + self.meaning + self.write

    @property
    def short(self) -> str:
        """The name without the kind of value before it."""
        return self.name[_PREFIX.match(self.name).end() :]  # type: ignore[union-attr]

    def as_dict(self) -> dict[str, object]:
        """The row of an answer, without what is empty."""
        row: dict[str, object] = {"name": self.name}
        if self.signature:
            row["signature"] = self.signature
        if self.libraries:
            row["import"] = "\n".join(f'import "{library}"' for library in self.libraries)
        row["meaning"] = self.meaning
        if self.example:
            row["example"] = f"{self.example} // {self.gives}"
        if self.write:
            row["write"] = self.write
        if self.words and (words := list(elsewhere(self.name, self.words))):
            row["elsewhere"] = words
        return row


def folded(name: str) -> str:
    """A name as it is compared: `starts_with`, `startsWith` and `StartsWith` are the same."""
    return name.replace("_", "").replace("-", "").casefold()


def kind_of(type_text: str) -> str:
    """`List` of `List<Int>`; "" for what stands for any type."""
    head = type_text.partition("<")[0]
    return "" if len(head) < 2 else head


@cache
def words_of_functions() -> dict[str, tuple[str, ...]]:
    """The words of other languages for each function, builtin or of a library."""
    table: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for operation in operations().values():
        name = _function_of(operation.template)
        if name:
            table[name][operation.name] = None
    others = [(word, _function_of(template)) for word, template in OTHER_OPERATIONS.items()]
    for word, name in (*others, *EFFECTS.items(), *MORE_WORDS.items()):
        if name and word not in _KINDS:
            table[name][word] = None
    return {name: tuple(words) for name, words in table.items()}


def _function_of(template: str) -> str:
    """The function that a template is a plain call of; "" for a form."""
    if template in BUILTIN_FORMS or template in _LIBRARY_FORMS:
        return BUILTIN_FORMS.get(template) or _LIBRARY_FORMS[template]
    name, _, rest = template.partition("(")
    operands = [part.strip() for part in rest.removesuffix(")").split(",")]
    numbers = [part for part in operands if part in ("{0}", "{1}", "{2}", "{3}", "{key}")]
    is_plain = template.endswith(")") and (
        len(numbers) == len(operands) or all(part == '""' for part in operands if part not in numbers)
    )
    return name if is_plain and (name in BUILTINS or name in LIBRARIES) else ""


@cache
def builtins() -> tuple[Known, ...]:
    """All builtins."""
    words = words_of_functions()
    return tuple(
        Known(
            name,
            one.builtin.signature,
            one.builtin.documentation,
            tuple(kind for _, kind in one.builtin.parameters),
            one.builtin.result,
            kind_of(one.builtin.parameters[0][1]) if one.builtin.parameters else kind_of(one.builtin.result),
            example=one.example,
            gives=one.gives,
            has_effect=bool(one.builtin.capability) or name.startswith(("__builtin_debug", "__builtin_guard")),
            words=words.get(name, ()),
        )
        for name, one in builtin_helps().items()
    )


@cache
def forms() -> tuple[Known, ...]:
    """What is written where there is no function: a form for each template of the lexicon that is no call."""
    groups: defaultdict[tuple[str, str], list[Operation]] = defaultdict(list)
    for operation in operations().values():
        is_order = operation.template == "-{0}" and operation.name == "reverse"
        if not _function_of(operation.template) and operation.template != "{0}" and not is_order:
            groups[operation.kind, operation.template].append(operation)
    others = [
        Known(name, "", meaning, (), "", kind, libraries_of(code), write=code, words=tuple(words.split()))
        for name, kind, words, meaning, code in OTHER_FORMS
    ]
    return (*[_form(kind, template, rows) for (kind, template), rows in groups.items()], *others)


def _form(kind: str, template: str, rows: Iterable[Operation]) -> Known:
    row, *_ = rows
    code = FORMS.get((kind, template)) or ("" if template.startswith("@") else filled(template, kind, row.parameters))
    meaning = "no function of its own: write this"
    if not code:
        meaning = (
            "no function of its own: `boruna_repair` writes a call of it in another language's style out, as a loop or a match"
        )
    return Known(
        row.name,
        "",
        meaning,
        (kind_type(kind), *row.parameters),
        row.result,
        kind,
        libraries=libraries_of(code),
        write=code,
        words=tuple(dict.fromkeys(one.name for one in rows)),
    )


def libraries_of(code: str) -> tuple[str, ...]:
    """The libraries whose functions a code calls."""
    return tuple(sorted({LIBRARIES[name] for name in _CALLED.findall(code) if name in LIBRARIES}))


def kind_type(kind: str) -> str:
    """The type of a value of a kind of the lexicon, with its variables."""
    return {"List": "List<T>", "Map": "Map<K, V>", "Option": "Option<T>", "Result": "Result<T, E>"}.get(kind, kind)

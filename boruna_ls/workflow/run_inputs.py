"""The values of a run's inputs: checked before it starts, visible to its steps, and hidden from everything else if secret.

Of a secret the record keeps a commitment: SHA-256 of a random salt, the name and the value. With salt and value one can prove
later what it was; the commitment does not disclose it, not even a short value.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.workflow.canonical import NO_INPUTS, compact
from analysis.workflow.reader import Definition
from analysis.workflow.run_inputs import as_typed, mismatch
from boruna_ls.runtime.inputs import tagged_json
from boruna_ls.workflow.audit import digest
from boruna_ls.workflow.folders import WorkflowError

LARGEST: Final = 1 << 20
"""Characters of all values."""
_SHORTEST: Final = 3
"""Characters of a text that is looked for in outputs and messages."""
_ESCAPES: Final = 5
"""Number of times a value may have been escaped where it is replaced by its name; a text with more escapes is withheld whole."""
WITHHELD: Final = "withheld: it contains a secret input"


@dataclass(frozen=True, slots=True)
class RunInput:
    """A value. `text` is tagged JSON, None once the run is over if it was secret; `salt` is "" unless it is secret."""

    name: str
    type: str
    secret: bool
    text: str | None
    salt: str
    commitment: str

    def shown(self) -> dict[str, Any]:
        """Public part of the input."""
        public: dict[str, Any] = {"name": self.name, "type": self.type, "secret": self.secret}
        if self.secret:
            return public | {"commitment": self.commitment}
        return public | {"value": None if self.text is None else plain(self.text)}


def checked_inputs(definition: Definition, given: Mapping[str, Any]) -> tuple[RunInput, ...]:
    """The inputs of a run by the values that were given, plain JSON. Raises WorkflowError, which quotes no value."""
    unknown = sorted(set(given) - set(definition.inputs))
    if unknown:
        declared = ", ".join(definition.inputs) or "none"
        raise WorkflowError(f"the workflow declares no input '{unknown[0]}' (declared: {declared})")
    inputs, size = [], 0
    for name, declaration in definition.inputs.items():
        if name not in given and declaration.default is None:
            raise WorkflowError(
                f"input '{name}' ({declaration.type}) is missing: give it with --input or --inputs, or `inputs` of the tool"
            )
        value = given[name] if name in given else json.loads(declaration.default or "null")
        if problem := mismatch(value, declaration.type):
            raise WorkflowError(f"input '{name}' {problem}")
        text = tagged_text(name, value, declaration.type)
        size += len(text)
        if size > LARGEST:
            raise WorkflowError(f"the inputs have more than {LARGEST} characters")
        salt = secrets.token_hex(32) if declaration.secret else ""
        inputs.append(
            RunInput(
                name, declaration.type, declaration.secret, text, salt, commitment(name, text, salt) if declaration.secret else ""
            )
        )
    return tuple(inputs)


def tagged_text(name: str, value: Any, kind: str) -> str:
    """A value of a type as its steps get it. Raises WorkflowError."""
    try:
        return compact(tagged_json(as_typed(value, kind)))
    except OverflowError:
        raise WorkflowError(f"input '{name}' has a number that is too large") from None


def commitment(name: str, text: str, salt: str) -> str:
    """Commitment to a secret, which does not disclose it."""
    return digest(f"{salt}:{name}:{text}")


def inputs_hash(inputs: Iterable[RunInput]) -> str:
    """Hash of a run's inputs."""
    listed = [run_input.shown() for run_input in inputs]
    return digest(compact(listed)) if listed else NO_INPUTS


class Secrets:
    """Finds secret values in texts of programs, however often JSON has escaped them. What is computed from them is not found."""

    def __init__(self, inputs: Iterable[RunInput]) -> None:
        inputs = [*inputs]
        self.salt = ":".join(run_input.salt for run_input in inputs if run_input.secret)
        """Salt of the hashes of outputs that contain a secret."""
        self._names: dict[str, str] = {}
        for run_input in inputs:
            if run_input.secret and run_input.text is not None:
                self._names |= dict.fromkeys(_texts(json.loads(run_input.text)), run_input.name)
        self._plain = {_unescaped(form) for text in self._names for form in (text, _in_json(text))}

    def are_in(self, text: str) -> bool:
        """True if a text contains one of the secrets. Escaping only adds backslashes, so they are ignored."""
        return bool(self._plain) and any(needle in plain for plain in [_unescaped(text)] for needle in self._plain)

    def removed(self, text: str) -> str:
        """A text without them."""
        if not self.are_in(text):
            return text
        # A value that is part of another one is looked for later, and one with more escapes earlier.
        forms = [(form, name) for secret, name in self._names.items() for form in _escapes(secret)]
        for form, name in sorted(forms, key=lambda one: -len(one[0])):
            text = text.replace(form, f"[secret input {name}]")
        return WITHHELD if self.are_in(text) else text


def _escapes(text: str) -> list[str]:
    forms = [text]
    while len(forms) < _ESCAPES and (form := _in_json(forms[-1])) != forms[-1]:
        forms.append(form)
    return forms


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _unescaped(text: str) -> str:
    return text.replace("\\", "")


def _texts(tagged: Any) -> Iterable[str]:
    """The texts and numbers in a tagged value that are long enough to be recognised."""
    if isinstance(tagged, dict):
        for key, value in tagged.items():
            if key in ("String", "Int", "Float") and not isinstance(value, dict | list):
                if len(str(value)) >= _SHORTEST:
                    yield str(value)
            elif key == "Map" and isinstance(value, dict):
                yield from (name for name in value if len(name) >= _SHORTEST)
                for item in value.values():
                    yield from _texts(item)
            else:
                yield from _texts(value)
    elif isinstance(tagged, list):
        for item in tagged:
            yield from _texts(item)


def plain(text: str) -> Any:
    """Tagged JSON of an input as the JSON that it was made from."""
    value: Any = json.loads(text)
    return _plain(value)


def _plain(tagged: Any) -> Any:
    if tagged == "Unit":
        return None
    [(kind, value)] = tagged.items()
    if kind == "List":
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in value.items()} if kind == "Map" else value


def proof(run_input: RunInput, text: str) -> dict[str, str]:
    """Proof that a secret had this value. Raises WorkflowError if it had another."""
    if not hmac.compare_digest(commitment(run_input.name, text, run_input.salt), run_input.commitment):
        raise WorkflowError(f"the secret input '{run_input.name}' was another value")
    return {"name": run_input.name, "value": text, "salt": run_input.salt}

"""Templates of applications: a folder with a manifest and a source with placeholders (spec chapter 14).

Names and arguments are data: no name leads out of the templates folder, links are not followed, and nothing is written.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Mapping
from typing import Final

from analysis.data_classes import dataclass
from boruna_ls import no_follow
from boruna_ls.framework.manifest import Manifest, manifest_of

MANIFEST: Final = "template.json"
SOURCE: Final = "app.ax.template"
SIZE_LIMIT: Final = 1_048_576
"""Bytes of a manifest, of a template, and of what is made of one."""
MOST_TEMPLATES: Final = 1000
INVALID_ARGS: Final = "invalid_args"
TEMPLATE_ERROR: Final = "template_error"
_NOT_UTF8: Final = "it is not UTF-8"
_PLACEHOLDER: Final = re.compile(r"\{\{([^{}\n]{1,200})\}\}")
_REASONS: Final = {
    errno.ELOOP: "it is a link: templates may not contain links",
    errno.EINVAL: "it is not a regular file",
    errno.EFBIG: "it exceeds 1 MB",
}


class TemplateError(Exception):
    """A template cannot be listed or applied; `kind` is the answer's `error_kind`, `missing` names required arguments."""

    def __init__(self, message: str, kind: str = TEMPLATE_ERROR, missing: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.missing = list(missing)


@dataclass(frozen=True, slots=True)
class Template:
    """A template that can be read."""

    directory: str
    """The templates folder."""
    folder: str
    """Its own folder in that."""
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Broken:
    """A folder whose manifest cannot be read."""

    folder: str
    message: str


@dataclass(frozen=True, slots=True)
class Applied:
    """A template that was applied. `defaulted` are arguments that got their default, `unfilled` placeholders that stayed."""

    template: Template
    source: str
    defaulted: tuple[str, ...]
    unknown: tuple[str, ...]
    unfilled: tuple[str, ...]

    @property
    def output_file(self) -> str:
        """The name that the file should have."""
        return f"{self.template.folder}_app.ax"


def listed(directory: str) -> tuple[list[Template], list[Broken]]:
    """The templates of a folder by manifest name, and the broken ones. Raises TemplateError if it is not a folder."""
    try:
        with os.scandir(directory) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise TemplateError(f"read templates dir: {error.strerror}") from None
    templates: list[Template] = []
    broken: list[Broken] = []
    for name in names[:MOST_TEMPLATES]:
        path = os.path.join(directory, name)
        if not os.path.lexists(os.path.join(path, MANIFEST)):
            continue
        try:
            templates.append(Template(directory, name, _manifest(directory, name)))
        except OSError as error:
            broken.append(Broken(name, f"read {path}/{MANIFEST}: {error.strerror}"))
        except ValueError as error:
            broken.append(Broken(name, f"parse {path}/{MANIFEST}: {error}"))
    return sorted(templates, key=lambda template: template.manifest.name.encode("utf-8", "surrogatepass")), broken


def find(directory: str, name: str) -> Template:
    """The template in the folder of a name, else the only one whose manifest has it. Raises TemplateError."""
    if not name or any(part in name for part in ("/", "\\", "..", "\0")):
        raise TemplateError(f"invalid template name '{name}'")
    path = os.path.join(directory, name)
    if name == "." or not _is_folder(path) or not os.path.lexists(os.path.join(path, MANIFEST)):
        same = [template for template in listed(directory)[0] if template.manifest.name == name]
        if len(same) == 1:
            return same[0]
        raise TemplateError(f"template '{name}' not found" + _several(same))
    try:
        return Template(directory, name, _manifest(directory, name))
    except OSError as error:
        raise TemplateError(f"read template manifest: {error.strerror}") from None
    except ValueError as error:
        raise TemplateError(f"parse template manifest: {error}") from None


def _several(same: list[Template]) -> str:
    if not same:
        return ""
    return f": several manifests have this name; give the folder: {', '.join(template.folder for template in same)}"


def arguments_of(pairs: Iterable[str]) -> dict[str, str]:
    """The arguments that texts `name=value` stand for. Raises TemplateError."""
    given: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise TemplateError(f"argument must be key=value format, got: {pair}", INVALID_ARGS)
        given[name] = value
    return given


def apply(directory: str, name: str, given: Mapping[str, str]) -> Applied:
    """Fills a template in; arguments that were not given get their defaults. Raises TemplateError."""
    template = find(directory, name)
    specs = template.manifest.args
    defaults = {key: text for key, spec in specs.items() if key not in given and (text := spec.default_text) is not None}
    missing = sorted(key for key, spec in specs.items() if spec.required and key not in given and key not in defaults)
    if missing:
        raise TemplateError(f"missing required argument: {missing[0]}", missing=missing)
    values = {**defaults, **given}
    text = filled(template_text(template), values)
    unfilled = tuple(
        dict.fromkeys(
            placeholder for placeholder in _PLACEHOLDER.findall(text) if placeholder in specs or placeholder.isidentifier()
        )
    )
    unknown = tuple(sorted(set(given) - set(specs)))
    return Applied(template, text, tuple(sorted(defaults)), unknown, unfilled)


def template_text(template: Template) -> str:
    """The source of a template, with its placeholders. Raises TemplateError."""
    try:
        return _read(template.directory, template.folder, SOURCE).decode("utf-8")
    except FileNotFoundError:
        raise TemplateError(f"template file not found: {SOURCE}") from None
    except OSError as error:
        raise TemplateError(f"read template: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TemplateError(f"read template: {_NOT_UTF8}") from None


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with every `{{name}}` replaced, name by name in their order (chapter 14 section 2). Raises TemplateError."""
    for name in sorted(values):
        placeholder = "{{" + name + "}}"
        size = len(text) + text.count(placeholder) * (len(values[name]) - len(placeholder))
        if size > SIZE_LIMIT:
            raise TemplateError(f"the filled template exceeds 1 MB: use a shorter value for {name}")
        text = text.replace(placeholder, values[name])
    return text


def _is_folder(path: str) -> bool:
    """True if a path is a folder itself, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _manifest(directory: str, folder: str) -> Manifest:
    """The manifest of a template. Raises OSError if it cannot be read as text, ValueError if that says something else."""
    content = _read(directory, folder, MANIFEST)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise OSError(errno.EILSEQ, _NOT_UTF8) from None
    return manifest_of(content)


def _read(directory: str, folder: str, name: str) -> bytes:
    """A regular file of a template, reached without following a link. Raises OSError."""
    try:
        return no_follow.read_below(directory, [folder, name], SIZE_LIMIT)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0)
        if reason is None:
            raise
        raise OSError(error.errno, reason) from None

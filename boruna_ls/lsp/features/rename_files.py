"""workspace/willRenameFiles: renames the imports of a library whose folder is renamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol import types

from analysis.ide.library_rename import NAME, import_edits
from analysis.inputs import FileId, libraries
from analysis.text.edits import Edit
from boruna_ls.lsp.session import Session
from boruna_ls.workspace.roots import is_inside
from boruna_ls.workspace.uris import path_of

OPTIONS: Final = types.FileOperationRegistrationOptions(
    [
        types.FileOperationFilter(types.FileOperationPattern("**/*.ax")),
        types.FileOperationFilter(types.FileOperationPattern("**", types.FileOperationPatternKind.Folder)),
    ]
)
"""The files and folders whose renaming and removal editors tell of."""


def will_rename_files(session: Session, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """The edits of the imports, None if no library changes its name."""
    moved = [(session.host.canonical(path_of(file.old_uri)), path_of(file.new_uri)) for file in params.files]
    edits = {file: changes for file in session.every_file() if (changes := list(_edits(session, file, moved)))}
    return session.workspace_edit(edits) if edits else None


def _edits(session: Session, file: FileId, moved: Iterable[tuple[str, str]]) -> Iterator[Edit]:
    for old, new in moved:
        for name, library in libraries(session.db, file.workspace, file.libs).files:
            if is_inside(library.path, old) and (new_name := _name_at(library.path, new + library.path[len(old) :], name)):
                yield from import_edits(session.db, file, name, new_name)


def _name_at(before: str, after: str, name: str) -> str | None:
    """The new name of a moved library; None if the name is the same or the new place is not a library's."""
    folder, place = os.path.dirname(os.path.dirname(before)), os.path.dirname(os.path.dirname(after))
    new_name = os.path.basename(place)
    is_library = os.path.dirname(folder) == os.path.dirname(place) and after[len(place) :] == before[len(folder) :]
    return new_name if is_library and new_name != name and NAME.fullmatch(new_name) else None

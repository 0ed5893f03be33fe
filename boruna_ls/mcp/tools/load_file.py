"""`loadFile`: stores a program from a file of the workspace."""

from __future__ import annotations

import os
from typing import Any, Final

from pydantic import Field

from analysis.inputs import defect
from boruna_ls.executions.names import ID_RULE
from boruna_ls.mcp.arguments import Path
from boruna_ls.mcp.tool import Call, RefusedCall, Tool
from boruna_ls.mcp.tools.execution_calls import CHANGES, NamedArguments
from boruna_ls.mcp.tools.load import ANSWER_FIELDS, checked_id, loaded, prepared
from boruna_ls.workspace.disk import FileUnavailable


class LoadFileParams(NamedArguments):
    programId: str = Field(description=f"Id of the program; {ID_RULE}. The same id again replaces it", max_length=1000)
    filePath: Path = Field(description="File inside the workspace, with unsaved changes in an editor")


async def run(call: Call[LoadFileParams]) -> dict[str, Any]:
    program = checked_id(call.arguments.programId)

    def prepare(now: Call[LoadFileParams]) -> Any:
        path = now.arguments.filePath
        try:
            file = now.file(path)
        except FileUnavailable as error:
            raise _unavailable(str(error)) from None
        if not now.host.is_in_folders(now.client, file.path):
            raise _unavailable(f"{path}: is outside this client's folders: move it there, or send it with load")
        if reason := defect(now.host.db, file):
            raise _unavailable(f"{path}: {reason}")
        return prepared(now, file, program, os.path.basename(file.path), file.workspace)

    return await loaded(call, await call.analyse(prepare))


def _unavailable(message: str) -> RefusedCall:
    return RefusedCall("NotFound", message, field="filePath", accepted="a program inside the workspace")


TOOL: Final = Tool(
    name="loadFile",
    title="Load a program for executions from a file",
    description="Like `load`, with the text of a file inside the workspace.",
    arguments=LoadFileParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"programId": "triage", "filePath": "triage.ax"},
    hints=CHANGES,
)

"""Data for a report about one file on a command line: the daemon sends it, `cli/quick.py` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.documents.file_diagnostics import file_diagnostics
from analysis.inputs import source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import as_text, with_freshness
from boruna_ls.workspace.disk import FileUnavailable

if TYPE_CHECKING:
    from boruna_ls.workspace.host import Host


def file_report(host: Host, name: str, path: str, folder: str, as_json: bool = True) -> dict[str, Any]:
    """The answer of `boruna_check` about a file, as an object and as text, and the lines and messages that a report quotes.

    `name` is what the user wrote, `folder` the user's. Unless `as_json` there is no text, and no hash of the file in the
    object. Of a file that cannot be read there is an `error` alone.
    """
    try:
        file = host.file_for_agent(path, [folder])
    except FileUnavailable as error:
        return {"error": error.reason}
    answer = check_answer(host.db, file, name)
    if as_json:
        answer = with_freshness(answer, host, file)
    text = source(host.db, file).text.split("\n")
    places = [place for diagnostic in answer.get("diagnostics", ()) for place in (diagnostic, diagnostic.get("shown")) if place]
    shown = {place["location"]["line"] for place in places}
    return {
        "answer": answer,
        "json": as_text(answer) if as_json else "",
        "messages": [diagnostic.message for _, diagnostic in file_diagnostics(host.db, file).entries],
        "lines": {str(number): text[number - 1].removesuffix("\r") for number in shown if 0 < number <= len(text)},
        "unreadable": "",
        "unsaved": any(opened["unsaved"] for opened in host.open_texts(paths=[path]).values()),
        "problems": list(host.problems(file.workspace)),
    }

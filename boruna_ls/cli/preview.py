"""`boruna-ls preview FILE`: an application as a page of this machine, live on every edit (docs/preview.md)."""

from __future__ import annotations

import os
import signal
from typing import Any

import click

from boruna_ls.cli.output import complain, visible
from boruna_ls.rendezvous import held, start


@click.command(short_help="Show an application as a page that updates at every edit.")
@click.argument("path", metavar="FILE", type=click.Path())
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page (default: any free one).")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--libs-dir", metavar="DIR", type=click.Path(file_okay=False), help="Folder of libraries that precede the built-in ones."
)
@click.option("--standalone", is_flag=True, help="Serve from this process, which sees only saved text.")
def command(path: str, port: int, opens: bool, libs_dir: str | None, standalone: bool) -> int:
    """Prints the address of the page and serves it until this command ends. Effects are never performed: you answer them.

    The address contains a secret: anybody who knows it can control the preview.
    """
    full = os.path.abspath(path)
    if not os.path.isfile(full):
        complain(f"{path}: no such file")
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    options = {"path": full, "title": os.path.basename(full), "port": port, "token": ""}
    options["libs_dir"] = os.path.abspath(libs_dir) if libs_dir else None
    try:
        return _alone(options, opens) if standalone else _through_daemon(options, opens)
    except _Ended:
        return 0
    except start.NoDaemon as error:
        complain(f"{error}; --standalone serves without the daemon")
    except (held.Refused, OSError) as error:
        complain(str(error))
    return 1


class _Ended(Exception):
    """A signal has come."""


def _end(*_: object) -> None:
    raise _Ended


def _announce(title: str, port: int, token: str, opens: bool) -> None:
    url = f"http://127.0.0.1:{port}/{token}/"
    print(f"preview of {visible(title)}: {url}", flush=True)
    if opens:
        import webbrowser

        webbrowser.open(url)


def _through_daemon(options: dict[str, Any], opens: bool) -> int:
    is_announced = False
    while True:
        connection, answer = held.begin("preview", options, patient=is_announced)
        # The page comes back to the same address when another daemon has taken over.
        options |= {"port": answer["port"], "token": answer["token"]}
        if not is_announced:
            _announce(options["title"], answer["port"], answer["token"], opens)
        is_announced = True
        held.wait(connection)


def _alone(options: dict[str, Any], opens: bool) -> int:
    from boruna_ls.loop import run

    run(_serve(options, opens))
    return 0


async def _serve(options: dict[str, Any], opens: bool) -> None:
    from boruna_ls.loop import attend, told_to_stop
    from boruna_ls.preview.server import showing
    from boruna_ls.process import prepare
    from boruna_ls.workspace import Host

    prepare()
    stopped = told_to_stop()
    host = Host(options["libs_dir"], watch=True)
    attend(host)
    path = options["path"]
    async with showing(host, lambda host: host.file_for_agent(path), options["title"], options["port"]) as address:
        _announce(options["title"], address.port, address.token, opens)
        await stopped.wait()

"""`recto [FOLDER]`: open a folder in the browser."""

import argparse
import gc
import json
import os
import webbrowser
from pathlib import Path

from recto.cli.failures import CommandFailed
from recto.cli.running_server import hand_over
from recto.config import ConfigFailure, Secret, find_running, load_settings, open_home


def open_folder(options: argparse.Namespace) -> int:
    """Serve the folder until Ctrl+C, or let a running Recto open it."""
    folder = existing_folder(options.folder)
    try:
        home = open_home(os.environ)
        settings = load_settings(home.settings_file)
    except ConfigFailure as failure:
        raise CommandFailed(str(failure)) from failure
    if folder.is_relative_to(home.folder.resolve()):
        raise CommandFailed(f"Recto keeps its own records in {folder}. Name another folder.")
    running = find_running(home)
    if running is not None:
        link = hand_over(running, folder)
        announce(link, options)
        open_browser(link, options)
        return 0
    host = options.host or settings.server.host
    port = settings.server.port if options.port is None else options.port
    token = os.environ.get("RECTO_TOKEN")

    # Nothing that is loaded is garbage: searching it is a tenth of the start. On when it answers.
    gc.disable()
    import uvloop

    from recto import app

    wanted = app.ServeOptions(
        folder=folder,
        host=host,
        port=port,
        token=Secret(token) if token is not None else None,
        names=tuple(options.name),
        certificate=options.certificate,
        certificate_key=options.certificate_key,
        plain_http=options.plain_http,
    )

    def on_page(server: app.ReadyServer) -> None:
        open_browser(server.link, options)

    def on_ready(server: app.ReadyServer) -> None:
        app.settle_garbage()
        announce(server.link, options)

    try:
        uvloop.run(app.serve(wanted, home, settings, page_ready=on_page, ready=on_ready))
    except app.START_FAILURES as failure:
        raise CommandFailed(str(failure)) from failure
    return 0


def existing_folder(name: str) -> Path:
    """The folder that was named, if there is one."""
    folder = Path(name).expanduser()
    if not folder.exists():
        raise CommandFailed(f"There is no folder {name}. Check the spelling, or make it first.")
    if not folder.is_dir():
        raise CommandFailed(f"{name} is a file. Name the folder it lies in.")
    return folder.resolve()


def announce(link: str, options: argparse.Namespace) -> None:
    """Say that Recto is ready, and where."""
    if options.json:
        print(json.dumps({"ready": True, "url": link}), flush=True)
    else:
        print(f"Recto is ready at {link}", flush=True)


def open_browser(link: str, options: argparse.Namespace) -> None:
    """Open the page, unless told not to."""
    if not options.no_open and not options.json:
        webbrowser.open(link)

"""`recto publish`: makes a PDF, a Word document or another file of a text or a notebook."""

import argparse
import os
import posixpath
import sys
from contextlib import aclosing
from pathlib import Path

import anyio

from recto.cli.failures import CommandFailed
from recto.clock import SystemClock
from recto.config import open_home
from recto.projects import read_publishable
from recto.publishing import (
    FORMATS,
    PAPERS,
    TEMPLATES,
    Published,
    PublishFailed,
    PublishOptions,
    SentDrafts,
    ending_of,
    publish,
)
from recto.references import Libraries
from recto.workspace import Workspace, WorkspaceFailure, content_hash

LIBRARY = "references"


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto publish`."""
    parser = argparse.ArgumentParser(
        prog="recto publish",
        description="Makes a document of a Markdown text or a notebook, with its figures.",
    )
    parser.add_argument(
        "file", metavar="FILE", help="the text, or the _book.md or recto.toml that lists chapters"
    )
    parser.add_argument("--to", choices=FORMATS, default="pdf", help="default: pdf")
    parser.add_argument("--output", metavar="PATH", help="default: beside the file")
    parser.add_argument(
        "--style", default="", metavar="CSL", help="a citation style such as apa, or a .csl file"
    )
    parser.add_argument(
        "--template",
        default="article",
        metavar="FILE",
        help=f"{', '.join(TEMPLATES)}, or a file of the folder",
    )
    parser.add_argument("--paper", choices=PAPERS, default="a4", help="default: a4")
    parser.add_argument("--number-sections", action="store_true", help="number the headings")
    parser.add_argument("--contents", action="store_true", help="begin with a table of contents")
    parser.add_argument(
        "--replace", action="store_true", help="replace a result that is there already"
    )
    parser.add_argument(
        "--folder", metavar="FOLDER", help="default: the nearest one with a references folder"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Publish the file."""
    file = Path(options.file).resolve()
    if not file.is_file():
        raise CommandFailed(f"There is no file {options.file}. Check the spelling.")
    try:
        root = Path(options.folder).resolve() if options.folder else folder_of(file)
        return anyio.run(publish_file, root, file, options)
    except (PublishFailed, WorkspaceFailure) as failure:
        raise CommandFailed(str(failure)) from failure


async def publish_file(root: Path, file: Path, options: argparse.Namespace) -> int:
    """Publish, saying each step on the error output and the result's path on the output."""
    if not file.is_relative_to(root):
        raise CommandFailed(f"{options.file} is not in {root}. Name another --folder.")
    chosen = PublishOptions(
        options.to,
        options.style,
        options.template,
        options.paper,
        options.number_sections,
        options.contents,
    )
    path = file.relative_to(root).as_posix()
    async with await Workspace.open(str(root)) as workspace:
        target = target_of(root, path, options)
        state = await workspace.state(target)
        if state is not None and not options.replace:
            words = "Add --replace to write over it, or --output to write elsewhere."
            raise CommandFailed(f"{target} is there already. {words}")
        draft = await read_publishable(workspace, path)
        library = await Libraries().open(workspace, document=path)
        home = posixpath.dirname(target)
        steps = publish(workspace, draft, library, chosen, clock=SystemClock(), home=home)
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Published):
                    if step.sent is not None:
                        await anyio.to_thread.run_sync(sent_drafts().keep, step.sent)
                    await write(workspace, target, step.data)
                else:
                    print(f"{'! ' if step.is_warning else ''}{step.words}", file=sys.stderr)
    print(root / target)
    return 0


def sent_drafts() -> SentDrafts:
    """Where drafts are kept as they were sent, until they come back."""
    return SentDrafts(open_home(os.environ).sent_drafts_folder)


def folder_of(file: Path) -> Path:
    """The folder that the text belongs to: the nearest one above it with a library or a project."""
    for folder in file.parents:
        if (folder / LIBRARY).is_dir() or (folder / ".git").exists():
            return folder
    return file.parent


def target_of(root: Path, path: str, options: argparse.Namespace) -> str:
    """Where the result shall lie, as a path of the folder."""
    if options.output is None:
        return f"{posixpath.splitext(path)[0]}{ending_of(options.to)}"
    output = Path(options.output).resolve()
    if not output.is_relative_to(root):
        raise CommandFailed(f"{options.output} is not in {root}. Write the result into the folder.")
    return output.relative_to(root).as_posix()


async def write(workspace: Workspace, target: str, data: bytes) -> None:
    """Write the result over what is there."""
    try:
        before = content_hash(await workspace.read_bytes(target))
    except WorkspaceFailure:
        before = None
    await workspace.write(target, data, expected_hash=before)

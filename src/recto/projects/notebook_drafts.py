"""A notebook as a draft to publish: its text, its code, and what its cells have answered."""

import base64
import binascii
import json
import posixpath
import re
from collections.abc import Mapping
from typing import Any, cast

from recto.notebooks import Cell, Notebook, NotebookBroken, parse, text_of_output
from recto.publishing import Draft, DraftPart, PublishFailed, ReadText, html_as_markdown, read_draft
from recto.workspace import Workspace

SUFFIX = ".ipynb"
MAX_PRINTED = 20_000
"""Characters of one output that are published."""
PICTURES = {"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg"}
ESCAPES = re.compile(
    r"\x1b\[[0-9;:?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Za-z0-9]|\x1b."
)
ATTACHMENT = re.compile(r"\]\(attachment:([^)\s]+)")
FENCES = re.compile(r"^ *(`{3,})", re.MULTILINE)


async def read_publishable(workspace: Workspace, path: str, read: ReadText | None = None) -> Draft:
    """A document, a book or a notebook. Raises PublishFailed, WorkspaceFailure.

    `read` says what a text holds, where that is not what lies on the disk.
    """
    if not path.casefold().endswith(SUFFIX):
        return await read_draft(workspace, path, read)
    try:
        notebook = parse(await workspace.read_bytes(path))
    except NotebookBroken as failure:
        raise PublishFailed(failure.message, failure.remedy) from failure
    return await NotebookDraft(path, notebook).draft()


class NotebookDraft:
    """Writes one notebook as Markdown; its pictures lie beside it, in memory alone."""

    def __init__(self, path: str, notebook: Notebook) -> None:
        self._path = path
        self._notebook = notebook
        self._pictures: dict[str, bytes] = {}

    async def draft(self) -> Draft:
        """The whole of it. Raises PublishFailed."""
        pieces: list[str] = []
        for cell in self._notebook.cells:
            match cell.kind:
                case "markdown":
                    pieces.append(self._text(cell))
                case "code":
                    if cell.source.strip():
                        pieces.append(fenced(cell.source, self._notebook.language or "python"))
                    pieces += [await self._output(output) for output in cell.outputs]
                case "raw":
                    continue  # for another program, as its name says
        text = "\n\n".join(piece for piece in pieces if piece) + "\n"
        return Draft(self._path, (DraftPart(self._path, text),), self._pictures)

    def _text(self, cell: Cell) -> str:
        """A text cell, with the pictures that it has inside."""
        member = cell.members.get("attachments")
        attachments = mapping(member.value if member else None)

        def linked(found: re.Match[str]) -> str:
            forms = mapping(attachments.get(found[1]))
            return f"]({self._picture(forms) or found[1]}"

        return ATTACHMENT.sub(linked, cell.source)

    async def _output(self, output: Mapping[str, Any]) -> str:
        data = mapping(output.get("data"))
        picture = self._picture(data)
        if picture:
            return f"![]({picture})"
        if "text/markdown" in data:
            return joined(data["text/markdown"])
        if "text/latex" in data:
            formula = joined(data["text/latex"]).strip()
            return formula if formula.startswith("$") else f"$$\n{formula}\n$$"
        if "<table" in joined(data.get("text/html", "")).casefold():
            return await html_as_markdown(joined(data["text/html"]))
        if "application/json" in data and "text/plain" not in data:
            return fenced(shown(json.dumps(data["application/json"], indent=2)), "json")
        plain = joined(data["text/plain"]) if "text/plain" in data else text_of_output(output)
        words = shown(ESCAPES.sub("", plain))
        return fenced(words, "") if words.strip() else ""

    def _picture(self, forms: Mapping[str, Any]) -> str:
        """Where the picture of an output lies; empty when it has none."""
        for media_type, suffix in PICTURES.items():
            if media_type not in forms:
                continue
            words = joined(forms[media_type])
            name = f"recto-output-{len(self._pictures) + 1}{suffix}"
            try:
                data = (
                    words.encode("utf-8", "replace")
                    if media_type == "image/svg+xml"
                    else base64.b64decode("".join(words.split()), validate=True)
                )
            except binascii.Error:
                continue  # no picture after all: another form of it is shown
            self._pictures[posixpath.join(posixpath.dirname(self._path), name)] = data
            return name
        return ""


def fenced(text: str, language: str) -> str:
    """A text as a block of code, whatever fences are in it."""
    longest = max((len(found) for found in FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    name = language if re.fullmatch(r"[\w+#-]+", language) else ""
    return f"{fence}{name}\n{text}\n{fence}"


def shown(text: str) -> str:
    """What is published of an output."""
    text = text.rstrip("\n")
    if len(text) <= MAX_PRINTED:
        return text
    half = MAX_PRINTED // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out.]\n{text[-half:]}"


def joined(value: Any) -> str:
    """A text, or one in lines."""
    return "".join(map(str, cast(list[Any], value))) if isinstance(value, list) else str(value)


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one in the place of anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}

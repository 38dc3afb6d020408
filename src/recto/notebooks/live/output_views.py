"""Outputs as pages get them: the form that says most, long texts by part, pictures by address."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from recto.notebooks.file.as_text import error_text
from recto.notebooks.file.notebook import Notebook
from recto.notebooks.kernels.stream_text import StreamText

MAX_SHOWN = 60_000
"""Characters of a text that are sent at once; of a longer one, its beginning and its end."""
PART = 20_000
MAX_TREE = 200_000
"""Characters of a JSON value that a page makes a tree of; a larger one is a text."""
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")
WIDGET = "application/vnd.jupyter.widget-view+json"
SHOWN = (
    "text/html",
    "text/markdown",
    "image/svg+xml",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "text/latex",
    "application/json",
    "text/plain",
)
"""The forms of an output that a page shows, the best one first."""
OutputView = dict[str, Any]


def view_of(output: Mapping[str, Any]) -> OutputView:
    """An output of a file as a page gets it."""
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"kind": "stream", "name": name, **shown_text(joined(output.get("text")))}
    if kind == "error":
        name = str(output.get("ename", ""))
        return {"kind": "error", "name": name, **shown_text(error_text(output))}
    return data_view(mapping(output.get("data")), mapping(output.get("metadata")))


def data_view(data: Mapping[str, Any], metadata: Mapping[str, Any]) -> OutputView:
    """What is shown of an output in several forms."""
    is_widget = WIDGET in data
    media_type = form_of(data)
    view: OutputView = {"kind": "data", "type": media_type, "isWidget": is_widget}
    if media_type in PICTURES:
        width = mapping(metadata.get(media_type)).get("width")
        # A picture for fine screens has twice the dots of its place.
        return {**view, "width": width} if type(width) is int and width > 0 else view
    if media_type == "application/json":
        words = json_text(data[media_type])
        if len(words) <= MAX_TREE:
            return {**view, "json": data[media_type]}
        return {**view, "type": "text/plain", **shown_text(words)}
    if not media_type:
        return {**view, "text": ", ".join(sorted(data)) or "nothing"}
    text = joined(data[media_type])
    # Half a page of HTML would be another page: it is shown whole, or only on a click.
    if media_type == "text/html":
        return {**view, "text": text if len(text) <= 10 * MAX_SHOWN else "", "size": len(text)}
    return {**view, **shown_text(text)}


def form_of(data: Mapping[str, Any]) -> str:
    """The form of an output that is shown; empty when none can be."""
    forms = ("text/plain",) if WIDGET in data else SHOWN
    return next((name for name in forms if name in data), "")


def json_text(value: Any) -> str:
    """A JSON value as people read it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def shown_text(text: str) -> OutputView:
    """A text, or its beginning, how much is left out, and its end."""
    if len(text) <= MAX_SHOWN:
        return {"text": text}
    return {"text": text[:PART], "omitted": len(text) - 2 * PART, "tail": text[-PART:]}


def live_view(item: Mapping[str, Any] | tuple[str, StreamText]) -> OutputView:
    """An output of a running cell as a page gets it."""
    if not isinstance(item, tuple):
        return view_of(item)
    name, text = item
    length = len(text)
    if length <= MAX_SHOWN:
        return {"kind": "stream", "name": name, "text": text.value}
    head, tail = text.between(0, PART), text.since(length - PART)
    omitted = length - 2 * PART
    return {"kind": "stream", "name": name, "text": head, "omitted": omitted, "tail": tail}


def picture_of(output: Mapping[str, Any]) -> tuple[str, bytes] | None:
    """The picture that a page shows of an output, its type and its bytes; None for no picture."""
    data = mapping(output.get("data"))
    media_type = form_of(data)
    if media_type not in PICTURES:
        return None
    words = joined(data[media_type])
    if media_type == "image/svg+xml":
        return media_type, words.encode("utf-8", "replace")
    try:
        return media_type, base64.b64decode("".join(words.split()), validate=True)
    except (ValueError, binascii.Error):
        return None


def attached(notebook: Notebook, cell_id: str, name: str) -> Mapping[str, Any]:
    """What a text cell carries under a name, as an output would; without data when it does not."""
    cell = next((cell for cell in notebook.cells if cell.id == cell_id), None)
    member = None if cell is None else cell.members.get("attachments")
    carried = mapping(None if member is None else member.value)
    return {"data": mapping(carried.get(name))}


def text_of_output(output: Mapping[str, Any]) -> str:
    """All of the text of which a page shows parts."""
    kind = output.get("output_type")
    if kind == "stream":
        return joined(output.get("text"))
    if kind == "error":
        return error_text(output)
    data = mapping(output.get("data"))
    media_type = form_of(data)
    if media_type == "application/json":
        return json_text(data[media_type])
    return joined(data[media_type]) if media_type in data else ""


def html_of(output: Mapping[str, Any]) -> str | None:
    """The HTML of an output, as the kernel made it."""
    data = mapping(output.get("data"))
    return joined(data["text/html"]) if "text/html" in data else None


def joined(value: Any) -> str:
    """A text, or one in lines."""
    if isinstance(value, list):
        return "".join(map(str, cast(Sequence[Any], value)))
    return value if isinstance(value, str) else str(value)


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one in the place of anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}

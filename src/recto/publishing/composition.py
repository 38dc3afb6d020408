"""A draft made ready for pandoc: read, cleaned, numbered, with its cited entries and pictures."""

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from recto.publishing.draft import Draft
from recto.publishing.labels import Labels, without_dead_links
from recto.publishing.numbering import number_all
from recto.publishing.options import PublishFormat, PublishOptions
from recto.publishing.pandoc import read_markdown
from recto.publishing.pictures import (
    Pictures,
    beside,
    embedded,
    read_pictures,
    typeset,
    with_pictures,
)
from recto.publishing.printed_words import ENGLISH, printed_words
from recto.publishing.tree import Node, change_nodes, drop_raw, meta_text, plain_text
from recto.references import CROSS_REFERENCE, CitedEntries, Library, cited_entries
from recto.workspace import Workspace

# Whatever else the front matter says could name files or change how pandoc works.
METADATA = frozenset(
    {
        "title", "subtitle", "author", "date", "abstract", "abstract-title", "keywords", "lang",
        "dir", "subject", "description", "nocite", "link-citations", "reference-section-title",
        "thanks",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Composition:
    """Everything that a result is made of."""

    tree: Node
    entries: CitedEntries
    keys: tuple[str, ...]
    """Each key as often as it is cited."""
    pictures: Pictures
    missing_labels: tuple[str, ...]
    repeated_labels: tuple[str, ...]
    raw: tuple[str, ...]
    """What was left out because it is no Markdown."""

    @property
    def citations(self) -> int:
        """How many citations there are."""
        return len(self.keys)


async def compose(
    workspace: Workspace, draft: Draft, library: Library, options: PublishOptions, home: str
) -> Composition:
    """Make a draft ready. Raises PublishFailed.

    `home` is the folder in which the result will lie.
    """
    blocks: list[Node] = []
    meta: dict[str, Any] = {}
    # LaTeX shows files that lie beside the result: what is in none is left out, and told.
    pictures = Pictures() if options.to == "latex" else with_pictures(draft.pictures)
    version: object = None
    raw: list[str] = []
    labels = Labels()
    for part in draft.parts:
        tree = await read_markdown(part.text)
        version = tree["pandoc-api-version"]
        told = {name: value for name, value in tree["meta"].items() if name in METADATA}
        meta = {**told, **meta}
        clean = labels.own(change_nodes(tree["blocks"], partial(drop_raw, dropped=raw)))
        await read_pictures(workspace, part.path, clean, pictures)
        show = picture_for(options.to, part.path, pictures, home)
        blocks += cast("list[Node]", change_nodes(clean, show))
    meta = change_nodes(meta, partial(drop_raw, dropped=raw))
    meta.setdefault("lang", meta_text(ENGLISH))
    if "title" not in meta and blocks and blocks[0]["t"] == "Header" and blocks[0]["c"][0] == 1:
        meta["title"] = {"t": "MetaInlines", "c": blocks.pop(0)["c"][2]}
    words = printed_words(plain_text(meta["lang"]))
    numbered, missing = number_all(blocks, labels, words, sections=options.number_sections)
    keys = [key for key in keys_in([meta, numbered]) if not CROSS_REFERENCE.match(key)]
    # A heading at the end is that of the list, which pandoc puts there.
    if keys and numbered and numbered[-1]["t"] != "Header":
        meta.setdefault("reference-section-title", meta_text(words.references))
    made_later = ("refs", *(f"ref-{key}" for key in keys)) if keys else ()
    (meta, numbered), dead = without_dead_links([meta, numbered], made_later)
    return Composition(
        {"pandoc-api-version": version, "meta": meta, "blocks": numbered},
        cited_entries(library, keys),
        tuple(keys),
        pictures,
        tuple(dict.fromkeys((*missing, *dead))),
        tuple(dict.fromkeys(labels.repeated)),
        tuple(dict.fromkeys(raw)),
    )


def picture_for(to: PublishFormat, document: str, pictures: Pictures, home: str) -> Any:
    """How pictures stand in a format."""
    match to:
        case "pdf":
            return partial(typeset, document=document, pictures=pictures)
        case "latex":
            return partial(beside, document=document, pictures=pictures, home=home)
        case _:
            return partial(embedded, document=document, pictures=pictures)


def keys_in(tree: object) -> list[str]:
    """The keys of all citations, in their order."""
    found: list[str] = []

    def note(node: Node) -> None:
        if node["t"] == "Cite":
            found.extend(str(citation["citationId"]) for citation in node["c"][0])

    change_nodes(tree, note)
    return found

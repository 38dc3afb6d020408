"""cite_reference: a citation put behind a passage of a document."""

import re
from functools import partial
from typing import Annotated

import anyio.to_thread
from msgspec import Meta

from recto.references import Library, ReferenceNotFound
from recto.tools.editing.passages import find_passages, line_of
from recto.tools.research import ResearchServices
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.workspace import encode

GROUP = re.compile(r"[ \t]*\[(-?@[^\]\n]*)\]")
PUNCTUATION = ".,;:!?…"
LOCATOR = re.compile(r"[^\]\[\n;@]{1,200}")


class CiteReference(Arguments, frozen=True):
    """What to cite, and where."""

    path: Annotated[str, Meta(description="The document, relative to the folder.")]
    after: Annotated[
        str,
        Meta(
            description="The passage that the citation follows, exactly, and the only one such.",
            min_length=1,
        ),
    ]
    key: Annotated[
        str,
        Meta(
            description="The reference's key; or words that just one reference has.", min_length=1
        ),
    ]
    locator: Annotated[str, Meta(description='Where in the work, such as "p. 117".')] = ""
    without_author: Annotated[
        bool, Meta(description="Only the year, when the text names the author.")
    ] = False


DECLARATION = Declaration(
    name="cite_reference",
    title="Cite a reference in a document; can be undone",
    description=(
        "Put a citation such as [@pugh1987, p. 117] behind a passage of a Markdown document. "
        "Behind a citation that is there already it joins that one. The reference must be in the "
        "library: use search_references to find it, or add_reference to add it. Where you have no "
        "source, write [citation?]; what can't be verified becomes that in any edit."
    ),
    parameters=parameters_of(CiteReference),
    group="references",
    changes=True,
    main="path",
    doing="Citing in",
    done="Cited in",
)


async def run(
    research: ResearchServices, asked: CiteReference, context: ToolContext
) -> ToolOutcome:
    """Put the citation there."""
    if asked.locator and LOCATOR.fullmatch(asked.locator) is None:
        raise ToolFailure('A locator is a few words such as "p. 117", without brackets.')
    library = await research.library(context, asked.path)
    key = await anyio.to_thread.run_sync(meant, library, asked.key.removeprefix("@").strip())
    file = await context.workspace.read_text(asked.path)
    find = partial(find_passages, file.text, asked.after, all_of_them=False)
    spans = (await anyio.to_thread.run_sync(find)).spans
    if len(spans) != 1:
        found = "no such passage" if not spans else f"{len(spans)} such passages"
        raise ToolFailure(f'"{asked.path}" has {found}. Copy more of it, exactly.')
    cited = f"{'-' if asked.without_author else ''}@{key}"
    cited += f", {asked.locator.strip()}" if asked.locator.strip() else ""
    text = with_citation(file.text, spans[0], cited)
    data = encode(text, file.encoding, bom=file.bom)
    await context.files.write(asked.path, data, expected_hash=file.hash)
    line = line_of(file.text, spans[0][1])
    return said(f"Cited @{key} at line {line} of {asked.path}.", fact=f"@{key}")


def meant(library: Library, words: str) -> str:
    """The key of what is to be cited. Raises ToolFailure."""
    try:
        return library.get(words).key
    except ReferenceNotFound as failure:
        found = library.search(words, limit=5)
        if found.total == 1:
            return found.references[0].key
        if found.total:
            keys = ", ".join(reference.key for reference in found.references)
            raise ToolFailure(f"Several references have these words: {keys}.") from failure
        raise ToolFailure(f"{failure} add_reference adds one.") from failure


def with_citation(text: str, span: tuple[int, int], cited: str) -> str:
    """The text with a citation behind a passage, before the full stop that ends it."""
    end = span[1]
    while end > span[0] and text[end - 1].isspace():
        end -= 1
    group = GROUP.match(text, end)
    if group is not None:
        return f"{text[: group.end() - 1]}; {cited}{text[group.end() - 1 :]}"
    if text[end - 1] in PUNCTUATION:
        end -= 1
    return f"{text[:end]} [{cited}]{text[end:]}"


def tool(research: ResearchServices) -> Tool:
    """The tool, over these services."""
    return Tool(
        DECLARATION,
        partial(run, research),
        CiteReference,
        touches=lambda asked: (asked.path,),
    )

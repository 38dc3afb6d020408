"""What a turn stands on: the system prompt with the folder's own words, and the tools on offer."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeGuard

from recto.access import Access
from recto.chats.entries import System
from recto.chats.inputs import DOCUMENT_STEPS, OneDocument
from recto.context import (
    DOCUMENT_TEMPLATE,
    TEMPLATE,
    THREAD_TEMPLATE,
    Skill,
    SystemParts,
    ThreadFacts,
    clean_instructions,
    document_prompt,
    small_prompt,
    system_prompt,
    thread_hashes,
    thread_prompt,
)
from recto.messages import Tool
from recto.skills import Guide
from recto.tools import READ_SKILL, Toolbox
from recto.workspace import (
    BinaryFile,
    NotAFile,
    NotFound,
    TextFile,
    TooLarge,
    Unreadable,
    Workspace,
    WorkspaceFailure,
    content_hash,
)

INSTRUCTIONS = ("_instructions.md", "AGENTS.md")
SYSTEM_FILE = ".recto/system.md"
MOST_FOLDERS = 40
SMALL_WINDOW = 16_000
"""The window of a model that has no room for long advice, and no use for it."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What every request of a turn shares."""

    system: System
    tools: tuple[Tool, ...] = ()
    thoughts_from: int = 0
    """Thoughts of earlier entries stay away: their provider refused them."""
    notes: tuple[str, ...] = ()
    """What people should know of the folder's instructions, such as why they are not used."""
    template: str = TEMPLATE
    """Which of our prompts it is."""
    contexts: tuple[str, ...] = ()
    """The hashes of what the prompt itself brings in, such as the passage of a thread."""
    tells_meta: bool = True
    """Whether the state of the workspace goes along; a small model would only repeat it."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A text of the folder that wants to tell the AI what to do."""

    path: str
    text: str
    hash: str


async def brought_by(workspace: Workspace, *, beside: str | None = None) -> tuple[Brought, ...]:
    """What a folder brings, read anew, so that an edit takes effect with the next turn.

    Raises Hidden when it is to go to the AI `beside` a file that is kept from it.
    """
    found = await workspace.read_texts((*INSTRUCTIONS, SYSTEM_FILE), beside=beside)
    told = next((path for path in INSTRUCTIONS if is_text(found[path])), INSTRUCTIONS[0])
    texts = {path: one.text for path in (told, SYSTEM_FILE) if is_text(one := found[path])}
    return tuple(
        Brought(path, text, content_hash(text.encode("utf-8", "surrogatepass")))
        for path, text in texts.items()
        if text.strip()
    )


def is_text(found: TextFile | WorkspaceFailure) -> TypeGuard[TextFile]:
    """Whether a file is a text; one that can't be is as if it were not there."""
    if isinstance(found, TextFile):
        return True
    if isinstance(found, NotFound | NotAFile | BinaryFile | TooLarge | Unreadable):
        return False
    raise found


async def lay_ground(
    workspace: Workspace,
    toolbox: Toolbox,
    access: Access,
    today: date,
    *,
    plan: bool,
    follow: Sequence[Brought],
    document: OneDocument | None = None,
    thread: ThreadFacts | None = None,
    guides: Sequence[Guide] = (),
) -> Ground:
    """What a turn stands on, with those of the folder's words that are to be followed."""
    offered = toolbox.offered(plan=plan) if access.traits.tools else ()
    tools = tuple(tool.offered() for tool in offered)
    names = [tool.name for tool in tools]
    own = next((one for one in follow if one.path == SYSTEM_FILE), None)
    told = next((one for one in follow if one.path != SYSTEM_FILE), None)
    name = told.path if told else INSTRUCTIONS[0]
    instructions = clean_instructions(told.text if told else "", name=name)
    additions = clean_instructions(own.text if own else "", name=SYSTEM_FILE)
    parts = SystemParts(
        today=today,
        workspace=workspace.root,
        structure=await structure(workspace),
        tools=names,
        skills=[Skill(one.name, one.description) for one in guides if READ_SKILL.name in names],
        system_file=additions.text,
        instructions=instructions.text,
        instructions_name=name,
    )
    is_small = not tools and access.window <= SMALL_WINDOW
    prompt = prompt_for(parts, document, thread, is_small=is_small)
    notes = (
        instructions.refused,
        instructions.cut,
        additions.refused,
        additions.cut,
    )
    return Ground(
        System(prompt, hashlib.sha256(prompt.encode()).hexdigest()),
        tools,
        notes=tuple(note for note in notes if note),
        template=template_for(document, thread),
        contexts=thread_hashes(thread) if thread is not None and document is None else (),
        tells_meta=not is_small or document is not None,
    )


def template_for(document: OneDocument | None, thread: ThreadFacts | None) -> str:
    """Which of our prompts it is."""
    if document is not None:
        return DOCUMENT_TEMPLATE
    return TEMPLATE if thread is None else THREAD_TEMPLATE


def prompt_for(
    parts: SystemParts, document: OneDocument | None, thread: ThreadFacts | None, *, is_small: bool
) -> str:
    """The system prompt of a chat, that of a thread, or that of the document agent."""
    if document is not None:
        rewrites = document.passage != ""
        return document_prompt(parts, steps=DOCUMENT_STEPS, rewrites=rewrites, is_small=is_small)
    if thread is not None:
        return thread_prompt(parts, thread, is_small=is_small)
    return small_prompt(parts) if is_small else system_prompt(parts)


async def structure(workspace: Workspace) -> str:
    """The folders at the top: they seldom change, so that the prompt stays the same."""
    entries = await workspace.list_folder("")
    names = [f"{one.path}/" for one in entries if one.kind == "folder" and not one.ignored]
    more = f" and {len(names) - MOST_FOLDERS} more" if len(names) > MOST_FOLDERS else ""
    return f"Folders at the top: {', '.join(names[:MOST_FOLDERS])}{more}" if names else ""

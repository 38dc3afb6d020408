"""What all requests of a turn share: the system prompt with the folder's words, and the tools."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeGuard

from recto.access import Access
from recto.chats.history.entries import System
from recto.chats.prompts.turn_input import DOCUMENT_STEPS, TargetDocument
from recto.context import (
    DOCUMENT_TEMPLATE,
    TEMPLATE,
    THREAD_TEMPLATE,
    ServerWords,
    SkillDescription,
    SystemParts,
    ThreadFacts,
    ToolInclusion,
    clean_instructions,
    document_prompt,
    included_tools,
    small_prompt,
    system_prompt,
    thread_hashes,
    thread_prompt,
)
from recto.mcp import ServerInstructions
from recto.messages import ToolSpec
from recto.skills import SkillGuide
from recto.tools import READ_SKILL, Declaration, Toolbox
from recto.workspace import (
    BinaryFile,
    NotAFile,
    PathHidden,
    PathNotFound,
    PathUnreadable,
    TextFile,
    TooLarge,
    Workspace,
    WorkspaceFailure,
    content_hash,
)

INSTRUCTIONS = ("_instructions.md", "AGENTS.md")
SYSTEM_FILE = ".recto/system.md"
MOST_FOLDERS = 40
SMALL_WINDOW = 16_000
"""The window of a model that has no room for long advice, and no use for it."""
NARROW_WINDOW = 16_384
"""The window of a model that has no room for the definitions of every tool."""
LEFT_OUT = ("notebooks", "references", "web")
"""The groups of tools that such a model gets only if a person ticks them."""


@dataclass(frozen=True, slots=True)
class PromptBase:
    """What every request of a turn shares."""

    system: System
    tools: tuple[ToolSpec, ...] = ()
    thoughts_from: int = 0
    """Thoughts of earlier entries stay away: their provider refused them."""
    notes: tuple[str, ...] = ()
    """What people should know of the folder's instructions, such as why they are not used."""
    template: str = TEMPLATE
    """Which of our prompts it is."""
    contexts: tuple[str, ...] = ()
    """The hashes of what the prompt itself brings in, such as the passage of a thread."""
    inclusion: ToolInclusion = ToolInclusion()
    """Which tools and earlier calls are sent."""
    tells_meta: bool = True
    """Whether the state of the workspace goes along; a small model would only repeat it."""


@dataclass(frozen=True, slots=True)
class FolderInstruction:
    """A text of the folder that wants to tell the AI what to do."""

    path: str
    text: str
    hash: str


async def find_folder_instructions(
    workspace: Workspace, *, beside: str | None = None
) -> tuple[FolderInstruction, ...]:
    """What a folder brings, read anew, so that an edit takes effect with the next turn.

    Raises PathHidden when it is to go to the AI `beside` a file that is kept from it.
    """
    # As tools see the folder: a link may lead to what is kept from the AI.
    found = {
        **await workspace.for_tools().read_texts(INSTRUCTIONS),
        **await workspace.read_texts((SYSTEM_FILE,), beside=beside),
    }
    if await leads_elsewhere(workspace, SYSTEM_FILE):
        found[SYSTEM_FILE] = PathNotFound(SYSTEM_FILE)
    told = next((path for path in INSTRUCTIONS if is_text(found[path])), INSTRUCTIONS[0])
    texts = {path: one.text for path in (told, SYSTEM_FILE) if is_text(one := found[path])}
    return tuple(
        FolderInstruction(path, text, instructions_hash(text))
        for path, text in texts.items()
        if is_instruction(path, text)
    )


async def leads_elsewhere(workspace: Workspace, path: str) -> bool:
    """Whether a path is, or passes, a link."""
    try:
        return await workspace.real_path(path) != path
    except WorkspaceFailure:
        return True


def instructions_hash(text: str) -> str:
    """What stands for a text when people agree to it."""
    return content_hash(text.encode("utf-8", "surrogatepass"))


def is_instruction(path: str, text: str) -> bool:
    """Whether there is anything to follow, or to say about why it is not followed."""
    found = clean_instructions(text, name=path)
    return found.text != "" or found.refused is not None


def is_text(found: TextFile | WorkspaceFailure) -> TypeGuard[TextFile]:
    """Whether a file is a text; one that can't be is as if it were not there."""
    if isinstance(found, TextFile):
        return True
    if isinstance(
        found, PathNotFound | PathHidden | NotAFile | BinaryFile | TooLarge | PathUnreadable
    ):
        return False
    raise found


async def build_prompt_base(
    workspace: Workspace,
    toolbox: Toolbox,
    access: Access,
    today: date,
    *,
    plan: bool,
    follow: Sequence[FolderInstruction],
    document: TargetDocument | None = None,
    thread: ThreadFacts | None = None,
    guides: Sequence[SkillGuide] = (),
    servers: Sequence[ServerInstructions] = (),
    inclusion: ToolInclusion | None = None,
) -> PromptBase:
    """What a turn stands on, with those of the folder's words that are to be followed."""
    inclusion = inclusion or ToolInclusion()
    offered = toolbox.offered(plan=plan) if access.traits.tools else ()
    if inclusion.mode == "cached":
        offered = fitting(offered, access.window)
    usable = tuple(tool.offered() for tool in offered)
    tools = included_tools(usable, inclusion, is_searched=access.traits.tool_search)
    # By the index, a model can use every one of them.
    names = [tool.name for tool in (usable if inclusion.mode == "auto" else tools)]
    own = next((item for item in follow if item.path == SYSTEM_FILE), None)
    told = next((item for item in follow if item.path != SYSTEM_FILE), None)
    name = told.path if told else INSTRUCTIONS[0]
    instructions = clean_instructions(told.text if told else "", name=name)
    additions = clean_instructions(own.text if own else "", name=SYSTEM_FILE)
    parts = SystemParts(
        today=today,
        workspace=workspace.root,
        structure=await structure(workspace),
        tools=names,
        skills=[
            SkillDescription(guide.name, guide.description)
            for guide in guides
            if READ_SKILL.name in names
        ],
        servers=[ServerWords(server.server, server.text) for server in servers if names],
        system_file=additions.text,
        instructions=instructions.text,
        instructions_name=name,
    )
    small = is_small(access, tools)
    prompt = prompt_for(parts, document, thread, is_small=small)
    notes = (
        instructions.refused,
        instructions.cut,
        additions.refused,
        additions.cut,
    )
    return PromptBase(
        System(prompt, hashlib.sha256(prompt.encode()).hexdigest()),
        tools,
        notes=tuple(note for note in notes if note),
        template=template_for(document, thread),
        contexts=thread_hashes(thread) if thread is not None and document is None else (),
        inclusion=inclusion,
        tells_meta=not small or document is not None,
    )


def fitting(tools: Sequence[Declaration], window: int) -> Sequence[Declaration]:
    """The tools that a model gets unless a person chose them: one with little room only the basic.

    All of ours take some 5,000 tokens, which would be most of what an 8k model can read.
    """
    if window > NARROW_WINDOW:
        return tools
    return [tool for tool in tools if tool.group not in LEFT_OUT]


def is_small(access: Access, tools: Sequence[ToolSpec]) -> bool:
    """Whether a model has no tools, and no room for long advice."""
    return not tools and access.window <= SMALL_WINDOW


def template_for(document: TargetDocument | None, thread: ThreadFacts | None) -> str:
    """Which of our prompts it is."""
    if document is not None:
        return DOCUMENT_TEMPLATE
    return TEMPLATE if thread is None else THREAD_TEMPLATE


def prompt_for(
    parts: SystemParts,
    document: TargetDocument | None,
    thread: ThreadFacts | None,
    *,
    is_small: bool,
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
    names = [f"{entry.path}/" for entry in entries if entry.kind == "folder" and not entry.ignored]
    more = f" and {len(names) - MOST_FOLDERS} more" if len(names) > MOST_FOLDERS else ""
    return f"Folders at the top: {', '.join(names[:MOST_FOLDERS])}{more}" if names else ""

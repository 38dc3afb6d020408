"""what_changed: the latest edits of AI with what people said to them, and what git sees."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from recto.clock import Clock
from recto.storage import Edit, Storage
from recto.tools import (
    Arguments,
    Declaration,
    Tool,
    ToolContext,
    ToolOutcome,
    parameters_of,
    said,
)
from recto.workspace import FileDiff, GitState, Workspace, WorkspaceFailure

MOST_EDITS = 50
MOST_FILES = 100
HOUR_MS = 3_600_000
MINUTE_MS = 60_000
STATES = {
    "writing": "being written",
    "pending": "waits for review",
    "accepted": "accepted",
    "rejected": "rejected",
    "undone": "undone",
    "not_written": "not written",
}


class WhatChanged(Arguments, frozen=True):
    """How far back."""

    hours: Annotated[
        int, Meta(description="How far back edits are listed, in hours.", ge=1, le=720)
    ] = 24


def what_changed(storage: Storage, clock: Clock, project_id: str) -> Tool:
    """The tool for one project."""

    async def run(asked: WhatChanged, context: ToolContext) -> ToolOutcome:
        now = clock.now_ms()
        rows = await storage.edits.latest(project_id, now - asked.hours * HOUR_MS, MOST_EDITS)
        seen = [row for row in rows if await is_seen(row.path, context.workspace)]
        state = await context.workspace.git_state()
        changed = [path for path in state.files if await is_seen(path, context.workspace)]
        diffs = (await context.workspace.recent_changes()).files if changed else ()
        blocks = [edits_in_words(seen, now), *git_in_words(state, changed, diffs)]
        return said("\n\n".join(blocks), fact=f"{len(seen)} edits")

    return Tool(DECLARATION, run, WhatChanged)


async def is_seen(path: str, workspace: Workspace) -> bool:
    """Whether the AI may know of a path; one that is gone may be known of, too."""
    try:
        await workspace.state(path)
    except WorkspaceFailure:
        return False
    return True


def edits_in_words(rows: Sequence[Edit], now_ms: int) -> str:
    """The edits, the newest first."""
    if not rows:
        return "No AI has edited a file in this time."
    lines = [
        f"- {row.path}: {row.kind} by {row.model_name} {ago(now_ms - row.at_ms)}, "
        f"{STATES[row.status]}"
        for row in rows
    ]
    return "\n".join(["Edits of AI, the newest first:", *lines])


def ago(past_ms: int) -> str:
    """How long ago, roughly."""
    minutes = max(0, past_ms) // MINUTE_MS
    return f"{minutes} min ago" if minutes < 120 else f"{minutes // 60} h ago"


def git_in_words(state: GitState, changed: Sequence[str], diffs: Sequence[FileDiff]) -> list[str]:
    """What git sees: the branch, the files that differ, and a few lines of them."""
    if not state.repository:
        return ["The folder is not in a git repository."]
    head = f"Git, branch {state.branch or '(none)'}"
    if not changed:
        return [f"{head}: nothing differs from the last commit."]
    names = [f"- {path}: {state.files[path]}" for path in changed[:MOST_FILES]]
    more = [f"- and {len(changed) - MOST_FILES:,} more"] if len(changed) > MOST_FILES else []
    shown = [
        "\n".join([f"{diff.path}:", *diff.lines, *(["[…]"] if diff.is_cut else [])])
        for diff in diffs
    ]
    return ["\n".join([f"{head}, differs from the last commit:", *names, *more]), *shown]


DECLARATION = Declaration(
    name="what_changed",
    title="Tell what changed in the folder lately",
    description=(
        "Tell what changed lately: the edits of every AI, yours included, and whether the user "
        "accepted or rejected them or still has to look; and what git says differs from the last "
        "commit."
    ),
    parameters=parameters_of(WhatChanged),
    group="workspace",
    changes=False,
    doing="Looking at changes",
    done="Looked at changes",
)

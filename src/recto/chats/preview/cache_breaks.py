"""Why a provider can't use what it remembers of the request before, in words."""

from collections.abc import Sequence

from recto.chats.turns.built_request import BuiltRequest
from recto.context import DOCUMENT_TEMPLATE, TEMPLATE, THREAD_TEMPLATE, PromptSlice
from recto.messages import ToolSpec

MOST_NAMED = 3
ASKED = {
    TEMPLATE: "the chat itself",
    DOCUMENT_TEMPLATE: "the document agent",
    THREAD_TEMPLATE: "the thread",
}


def why_broken(before: BuiltRequest, now: BuiltRequest, at: int, entries: Sequence[str]) -> str:
    """Why two requests differ at a part.

    `entries` are those that the conversation would have; the last of them is what is said now.
    """
    if before.access.origin != now.access.origin:
        name, other = now.access.name, before.access.name
        return f"{name} is asked instead of {other}, and remembers nothing of this chat."
    if before.ground.template != now.ground.template:
        asked = ASKED.get(now.ground.template, "somebody else")
        return f"This goes to {asked}, with a prompt and tools of its own."
    old = before.parts[at].slice
    new = now.parts[at].slice if at < len(now.parts) else None
    origins = {old.origin, new.origin if new else old.origin}
    if "tools" in origins:
        return why_tools(before.ground.tools, now.ground.tools)
    if "system" in origins:
        return why_system(before.ground.system.text, now.ground.system.text)
    if "summary" in origins:
        return why_summary(old, new)
    if "kept" in origins:
        return "Other messages are kept word for word beside the summary."
    return why_message(old, new, now, entries)


def why_tools(before: Sequence[ToolSpec], now: Sequence[ToolSpec]) -> str:
    """What became of the tools."""
    old, new = [item.name for item in before], [item.name for item in now]
    added = [name for name in new if name not in old]
    gone = [name for name in old if name not in new]
    facts = [
        f"{listed(added)} added" if added else "",
        f"{listed(gone)} taken away" if gone else "",
    ]
    words = ", ".join(fact for fact in facts if fact) or "one of them is described in other words"
    return f"The tools changed: {words}."


def listed(names: Sequence[str]) -> str:
    """Some names in a line."""
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def why_system(before: str, now: str) -> str:
    """Where the system prompt changed: under which of its headings."""
    heading = ""
    old = before.split("\n")
    for number, line in enumerate(now.split("\n")):
        if line.startswith("# "):
            heading = line.removeprefix("# ")
        if number >= len(old) or old[number] != line:
            break
    return (
        f"The system prompt changed, under “{heading}”."
        if heading
        else "The system prompt changed."
    )


def why_summary(old: PromptSlice, new: PromptSlice | None) -> str:
    """What became of the summary."""
    if old.origin != "summary":
        return "A summary stands for the earlier messages now."
    if new is None or new.origin != "summary":
        return "The summary was taken off, so the earlier messages are sent again."
    return "There is another summary."


def why_message(
    old: PromptSlice, new: PromptSlice | None, now: BuiltRequest, entries: Sequence[str]
) -> str:
    """What became of a message, or of something that went along with it."""
    if old.entry_id and old.entry_id == entries[-1]:
        return "An earlier message is said in other words, and what followed it is gone."
    if old.entry_id and old.entry_id not in entries:
        return "An earlier message was edited or answered anew; what followed it is gone."
    gone = [item for item in now.left_out if item.entry_id == old.entry_id]
    if any(item.what == old.name and "later" in item.why for item in gone):
        return f"A newer copy of {old.name} goes along, so the earlier one is taken out."
    if gone:
        return "Not all fits into the model's window, so some of it is left out or cut."
    if old.origin == "thought":
        return "Thoughts of an earlier answer are no longer sent."
    if new is not None and new.entry_id == old.entry_id and new.name == old.name:
        return f"“{old.name}” is not what it was."
    return f"Something else stands now where “{old.name}” stood."

"""Why each part of a request goes along, in words."""

from recto.context import PromptSlice

EARLIER: dict[str, str] = {
    "system": "Recto’s own words, and those of the folder that you agreed to",
    "tools": "What the model may call",
    "summary": "Stands for everything that was said before it",
    "kept": "Pinned, or your last request before the summary",
    "file": "Attached to an earlier message",
    "selection": "Selected for an earlier message",
    "skill": "Switched on for an earlier message",
    "names": "The folder at a glance then, for a model that can’t look",
    "meta": "The state of the folder then, gathered by itself",
    "message": "Said earlier",
    "thought": "The model wants its own thoughts back",
    "call": "A tool that the model called",
    "result": "What the tool answered",
    "note": "So that the conversation is whole",
}
NOW: dict[str, str] = {
    "file": "Attached to this message",
    "selection": "Selected for this message",
    "skill": "Switched on for this message",
    "names": "The folder at a glance, for a model that can’t look",
    "meta": "The state of the folder, gathered by itself",
    "message": "What you say now",
}
UNCHANGED = "Unchanged: only a word on where its text stands"


def reason_for(slice: PromptSlice, *, is_now: bool, is_pinned: bool) -> str:
    """Why something goes along with the next request."""
    if slice.refers:
        return UNCHANGED
    words = NOW.get(slice.origin) if is_now else None
    words = words or EARLIER[slice.origin]
    return f"{words}, pinned" if is_pinned else words

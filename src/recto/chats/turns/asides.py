"""What stands in a history beside what was said: the prompt in force, and notices."""

from collections.abc import Iterable, Sequence

from recto.chats.history.entries import ChatEntry, Notice, System


def system_of(entries: Sequence[ChatEntry]) -> System | None:
    """The last prompt. Looked for from the end: a history may be long."""
    contents = (entry.content for entry in reversed(entries))
    return next((content for content in contents if isinstance(content, System)), None)


def unsaid(notes: Sequence[str], entries: Iterable[ChatEntry]) -> list[str]:
    """The notes on the folder's instructions that were not said before."""
    if not notes:
        return []
    contents = (entry.content for entry in entries)
    notices = (content for content in contents if isinstance(content, Notice))
    said = {notice.words for notice in notices if notice.reason == "instructions"}
    return [note for note in notes if note not in said]

"""What stands in a history beside what was said: the prompt in force, and notices."""

from collections.abc import Iterable, Sequence

from recto.chats.history.entries import ChatEntry, Notice, System


def asides_of(entries: Iterable[ChatEntry]) -> tuple[System | None, list[Notice]]:
    """The last prompt and all notices. One look for both: a history may be long."""
    system: System | None = None
    notices: list[Notice] = []
    for entry in entries:
        if isinstance(entry.content, System):
            system = entry.content
        elif isinstance(entry.content, Notice):
            notices.append(entry.content)
    return system, notices


def unsaid(notes: Sequence[str], notices: Sequence[Notice]) -> list[str]:
    """The notes on the folder's instructions that were not said before."""
    said = {notice.words for notice in notices if notice.reason == "instructions"}
    return [note for note in notes if note not in said]

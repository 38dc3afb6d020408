"""What of an entry can be searched for: the words that people and models said."""

from recto.chats.history.entries import Assistant, EntryContent, Summary, User
from recto.messages import Text


def search_text(content: EntryContent) -> str:
    """The words to be found again; empty for entries that have none."""
    match content:
        case User(text=text) | Summary(text=text):
            return text
        case Assistant(parts=parts):
            return "\n".join(part.text for part in parts if isinstance(part, Text))
        case _:
            return ""

"""The names by which a write says what it reads and changes."""


def chat_name(chat_id: str) -> str:
    """The events of a chat."""
    return f"chat {chat_id}"


def document_name(document_id: str) -> str:
    """The updates of a live document."""
    return f"document {document_id}"


def money_name(scope: str) -> str:
    """What is booked and set aside in a scope, and the reservations that count in it."""
    return f"money {scope}"

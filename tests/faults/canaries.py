"""Words that stand for what people and models write: none of them may ever be in the log."""

from pathlib import Path

WORDS = ("canary-in-the-document", "canary-in-the-chat", "canary-in-the-answer", "canary-in-error")
DOCUMENT, CHAT, ANSWER, ERROR = WORDS


def assert_no_content(log: Path) -> None:
    """Look for all of them in what a server has logged so far."""
    text = log.read_text(encoding="utf-8")
    assert [word for word in WORDS if word in text] == []

"""What can be wrong with a passage that somebody wants to talk about.

MarginFailure
├── NoPassage       nothing is selected, or it is outside the text
├── PassageChanged  its words are not in the text any more
├── PassageTooLong  more than anybody talks about
└── PassageNotText         the file is no text
"""


class MarginFailure(Exception):
    """An expected failure: what is wrong, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NoPassage(MarginFailure):
    """Nothing is selected, or it is outside the text."""

    def __init__(self) -> None:
        super().__init__("There is no such passage in the text.", "Select some text first.")


class PassageChanged(MarginFailure):
    """The words that were selected are not in the text any more."""

    def __init__(self) -> None:
        super().__init__("The passage has just been changed.", "Select it again.")


class PassageTooLong(MarginFailure):
    """More than anybody talks about."""

    def __init__(self, most: int) -> None:
        super().__init__(f"The passage has more than {most:,} characters.", "Select less.")


class PassageNotText(MarginFailure):
    """The file is no text that can be followed."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"Nothing can be said beside {path}. {why}", "Use a chat instead.")

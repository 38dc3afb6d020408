"""What can be wrong with a Word document, or with what is asked of it."""


class WordFailure(Exception):
    """Expected, and said in a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotWord(WordFailure):
    """The file is not a Word document that can be read; `why` follows "because"."""

    def __init__(self, why: str) -> None:
        super().__init__(f"It is not a Word document that can be read: {why}.")


class EditRefused(WordFailure):
    """The document can be read, and this change to it can't be made."""


class PassageMissing(WordFailure):
    """The text to change is not there, or not just once."""


class NotReadable(WordFailure):
    """The document can't be read as text."""

    def __init__(self, why: str) -> None:
        super().__init__(f"It can't be read as text: {why}.")

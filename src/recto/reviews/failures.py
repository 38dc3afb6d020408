"""What can be wrong with a review.

ReviewFailure
├── NoReview     nothing waits under this id
├── NotPutBack   a file can't become what it was
└── NoVersion    there was no file at that moment
    └── VersionNotText  it can't be shown or restored as a text
"""


class ReviewFailure(Exception):
    """An expected failure: what is wrong, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NoReview(ReviewFailure):
    """Nothing waits under this id."""

    def __init__(self) -> None:
        super().__init__("This edit does not wait for a review any more.", "Reload the list.")


class NotPutBack(ReviewFailure):
    """A file can't become what it was before an edit."""

    def __init__(self, path: str, why: str, remedy: str) -> None:
        super().__init__(f"{path} can't be put back. {why}", remedy)


class NoVersion(ReviewFailure):
    """A version that can't be shown or restored."""


class VersionNotText(NoVersion):
    """A version that is no text."""

    def __init__(self) -> None:
        super().__init__("This is not a text.", "Undo the call in its chat instead.")

"""What can be wrong with a request about a project.

ProjectFailure
├── NotPlaced       the folder is missing or no folder
├── NotConfirmed    a deletion without the project's name
├── PathRefused     a path that is not one of the project's folder
└── TooManyFiles    more files than are counted at once
"""


class ProjectFailure(Exception):
    """An expected failure: what is wrong, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NotPlaced(ProjectFailure):
    """A project needs a folder that exists."""


class NotConfirmed(ProjectFailure):
    """Deleting a project's data must be confirmed with its name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Deleting removes the chats, contexts and settings of “{name}”, never its files.",
            "Confirm with the project's exact name.",
        )


class PathRefused(ProjectFailure):
    """A path that is not one of this folder."""


class TooManyFiles(ProjectFailure):
    """More files than are counted at once."""

    def __init__(self, named: int, most: int) -> None:
        super().__init__(f"These are {named:,} files.", f"Choose at most {most:,}.")


class LookAgain(ProjectFailure):
    """What was to be replaced is not what was looked at."""

    def __init__(self, *, too_much: bool) -> None:
        what = "There is more than can be replaced at once."
        super().__init__(
            what if too_much else "The files have changed since they were looked at.",
            "Narrow the search." if too_much else "Look again at what would be replaced.",
        )


class NothingToTakeBack(ProjectFailure):
    """There is no such replacement."""

    def __init__(self) -> None:
        super().__init__("Nothing is known of this replacement.", "Look at the versions instead.")

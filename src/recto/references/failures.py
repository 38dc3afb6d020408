"""What is expected to go wrong with references, in words for people and models."""


class ReferenceFailure(Exception):
    """Something about the library that somebody can mend; its words say how."""


class ReferenceInvalid(ReferenceFailure):
    """What is to be written can't stand in a library."""


class ReferenceNotFound(ReferenceFailure):
    """No entry has this key."""


class LibraryReadOnly(ReferenceFailure):
    """The entry is another program's, such as Zotero's."""


class LibraryUnreadable(ReferenceFailure):
    """A file of the library can't be understood."""


class ListNotInFormat(LibraryUnreadable):
    """A list is not what it is said to be."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The list is not in this format: {why}.")
        self.why = why

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

"""Everything that may go wrong with the user's folder, each with what to do about it.

WorkspaceFailure
    OutsideWorkspace   the path leads out of the folder
    NameRefused        the path or name is not one Recto accepts
    PathProtected      the path belongs to git or to Recto itself
        OwnRecords     it lies in the Recto home
    PathHidden         the path is kept from the AI
    PathNotFound       nothing is there
    NotAFile           it is a folder, a pipe, a device
    NotAFolder         it is not a folder
    PathExists         something is there already
    PathChanged        the file is not what the caller based its work on
    TooLarge           over the limit for reading or writing
    BinaryFile         it is not text
    NotRepresentable   the text has letters that the file's encoding lacks
    PathUnreadable     the system refuses to read it
    PathUnwritable     the system refuses to write it
    DiskFull           the disk or the quota is full
    RootGone           the folder itself was moved, replaced or removed
    SearchRefused      the search pattern is not valid
    SearchUnavailable  the search program is missing or failed
    WatchUnavailable   the system will not watch this folder
    GitRefused         git did not do what it was asked for
"""

import errno


class WorkspaceFailure(Exception):
    """Something expected went wrong; `message` says what, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class OutsideWorkspace(WorkspaceFailure):
    """The path leads out of the folder."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} leads out of this folder.",
            "Use a path inside it; links must be relative and stay inside.",
        )


class NameRefused(WorkspaceFailure):
    """The path or name is not one Recto accepts."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"{shown(path)} is not an accepted path: {why}.",
            "Use a relative path such as notes/plan.md.",
        )


class PathProtected(WorkspaceFailure):
    """The path belongs to git or to Recto itself."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} belongs to git or to Recto and is not changed from here.",
            "Change it with git, or in Recto's settings.",
        )


class OwnRecords(PathProtected):
    """The path lies in the Recto home: keys, sessions, records."""

    def __init__(self, path: str) -> None:
        WorkspaceFailure.__init__(
            self,
            f"{shown(path)} is among Recto's own records, which stay closed.",
            "Move the Recto home out of this folder, or use another folder.",
        )


class PathHidden(WorkspaceFailure):
    """The path is kept from the AI."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} is kept from the AI: it may hold secrets, or is not the AI's to see.",
            "Go on without it; the user can attach it to a message.",
        )


class PathNotFound(WorkspaceFailure):
    """Nothing is there."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{shown(path)} does not exist.", "Check the name, or reload the list.")


class NotAFile(WorkspaceFailure):
    """It is a folder, a pipe, a device."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{shown(path)} is not an ordinary file.", "Choose a file.")


class NotAFolder(WorkspaceFailure):
    """It is not a folder."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{shown(path)} is not a folder.", "Choose a folder.")


class PathExists(WorkspaceFailure):
    """Something is there already."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{shown(path)} exists already.", "Choose another name.")


class PathChanged(WorkspaceFailure):
    """The file is not what the caller based its work on."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} was changed or removed by someone else.",
            "Read it again and repeat the change.",
        )


class TooLarge(WorkspaceFailure):
    """Over the limit."""

    def __init__(self, path: str, limit: str, remedy: str = "Open it in another program.") -> None:
        super().__init__(f"{shown(path)} is over the limit of {limit}.", remedy)


class BinaryFile(WorkspaceFailure):
    """It is not text."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{shown(path)} is not a text file.", "Open it in another program.")


class NotRepresentable(WorkspaceFailure):
    """The text has letters that the file's encoding lacks."""

    def __init__(self, encoding: str, letter: str) -> None:
        super().__init__(
            f"The encoding {encoding} has no {letter!r}.", "Save the file as UTF-8 instead."
        )


class PathUnreadable(WorkspaceFailure):
    """The system refuses to read it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{shown(path)} can't be read: {why}.", "Check its permissions.")


class PathUnwritable(WorkspaceFailure):
    """The system refuses to write it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{shown(path)} can't be written: {why}.", "Check its permissions.")


class DiskFull(WorkspaceFailure):
    """The disk or the quota is full."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"There is no space left to write {shown(path)}; the old content is kept.",
            "Free some space and try again.",
        )


class RootGone(WorkspaceFailure):
    """The folder itself was moved, replaced or removed."""

    def __init__(self, root: str) -> None:
        super().__init__(
            f"The folder {root} was moved, replaced or removed.", "Open it again where it is now."
        )


class SearchRefused(WorkspaceFailure):
    """The search pattern is not valid."""

    def __init__(self, why: str) -> None:
        super().__init__(f"This search can't run: {why}.", "Correct the pattern.")


class SearchUnavailable(WorkspaceFailure):
    """The search program is missing or failed."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Search is not available: {why}.", "Reinstall Recto, or install ripgrep.")


class WatchUnavailable(WorkspaceFailure):
    """The system will not watch this folder."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"Changes in this folder can't be watched: {why.rstrip('.')}.",
            "Reload the list by hand, ignore large folders, "
            "or raise the system's limit (fs.inotify.max_user_watches).",
        )


def shown(path: str) -> str:
    """A path as people may see it: quoted, controls escaped, long ones cut."""
    text = path if len(path) <= 200 else path[:199] + "…"
    return repr(text) if not text.isprintable() or '"' in text else f'"{text}"'


def reading_failure(error: OSError, path: str) -> WorkspaceFailure:
    """The failure that a system error means for somebody who reads."""
    return common_failure(error, path) or PathUnreadable(path, error.strerror or "unknown reason")


def writing_failure(error: OSError, path: str) -> WorkspaceFailure:
    """The failure that a system error means for somebody who writes."""
    return common_failure(error, path) or PathUnwritable(path, error.strerror or "unknown reason")


def common_failure(error: OSError, path: str) -> WorkspaceFailure | None:
    """What an error means whoever meets it; None leaves it to the caller."""
    match error.errno:
        case errno.EXDEV:
            return OutsideWorkspace(path)
        case errno.ENOENT:
            return PathNotFound(path)
        case errno.ENOTDIR:
            return NotAFolder(path)
        case errno.EISDIR | errno.ENXIO | errno.ENODEV:
            return NotAFile(path)
        case errno.EEXIST | errno.ENOTEMPTY:
            return PathExists(path)
        case errno.ENAMETOOLONG:
            return NameRefused(path, "it is too long")
        case errno.ELOOP:
            return NameRefused(path, "its links lead in a circle")
        case errno.EINVAL | errno.EILSEQ:
            return NameRefused(path, "the file system refuses it")
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DiskFull(path)
        case _:
            return None


class GitRefused(WorkspaceFailure):
    """Git did not do what it was asked for, or should not."""

    def __init__(self, message: str, remedy: str = "Look at it with git in a terminal.") -> None:
        super().__init__(message, remedy)

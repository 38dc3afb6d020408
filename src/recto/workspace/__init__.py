"""The user's folder: path jail, reading, atomic writing, listing, search, watching, git.

`Workspace` is the only way in; the rest are the values it answers and the failures it raises.
"""

from recto.workspace.bulk import FileContent, FileIdentity
from recto.workspace.diffs import FileDiff
from recto.workspace.failures import (
    BinaryFile,
    DiskFull,
    GitRefused,
    NameRefused,
    NotAFile,
    NotAFolder,
    NotRepresentable,
    OutsideWorkspace,
    OwnRecords,
    PathChanged,
    PathExists,
    PathHidden,
    PathNotFound,
    PathProtected,
    PathUnreadable,
    PathUnwritable,
    RootGone,
    SearchRefused,
    SearchUnavailable,
    TooLarge,
    WatchUnavailable,
    WorkspaceFailure,
)
from recto.workspace.files import TextFile, as_text, content_hash
from recto.workspace.finder import NameIndex, NameMatch
from recto.workspace.git import FileState, GitState
from recto.workspace.git_commits import NotCommitted
from recto.workspace.listing import FolderEntry, Kind
from recto.workspace.names import is_protected, plain
from recto.workspace.parts import TextPart
from recto.workspace.path_states import PathState, is_same
from recto.workspace.replacing import ReplacementLine, ReplacementLines, ReplacementQuery
from recto.workspace.repository.changes import ChangedFile, GitChanges
from recto.workspace.repository.history import FileCommit, LineOrigin
from recto.workspace.repository.repository import FileDifference, Repository
from recto.workspace.ripgrep import program as search_program
from recto.workspace.search import SearchLimits, SearchMatch, SearchResult
from recto.workspace.text import Encoding, LineEnding, decode, encode
from recto.workspace.trash import TrashFolder, TrashItem
from recto.workspace.watch import Changes
from recto.workspace.workspace import Workspace

__all__ = [
    "PathExists",
    "BinaryFile",
    "PathChanged",
    "Changes",
    "FileContent",
    "Encoding",
    "FolderEntry",
    "FileDiff",
    "FileState",
    "SearchResult",
    "ChangedFile",
    "FileDifference",
    "FileCommit",
    "GitRefused",
    "GitState",
    "LineOrigin",
    "Repository",
    "GitChanges",
    "PathHidden",
    "FileIdentity",
    "Kind",
    "LineEnding",
    "SearchMatch",
    "NameMatch",
    "NameRefused",
    "NameIndex",
    "DiskFull",
    "NotAFile",
    "NotAFolder",
    "NotCommitted",
    "PathNotFound",
    "NotRepresentable",
    "OutsideWorkspace",
    "OwnRecords",
    "PathState",
    "PathProtected",
    "RootGone",
    "SearchLimits",
    "SearchRefused",
    "SearchUnavailable",
    "TextFile",
    "TextPart",
    "TooLarge",
    "TrashFolder",
    "TrashItem",
    "PathUnreadable",
    "ReplacementLine",
    "ReplacementLines",
    "ReplacementQuery",
    "PathUnwritable",
    "WatchUnavailable",
    "Workspace",
    "WorkspaceFailure",
    "as_text",
    "content_hash",
    "decode",
    "encode",
    "is_protected",
    "is_same",
    "plain",
    "search_program",
]

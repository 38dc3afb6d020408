"""The user's folder: path jail, reading, atomic writing, listing, search, watching, git.

`Workspace` is the only way in; the rest are the values it answers and the failures it raises.
"""

from recto.workspace.bulk import Content, Identity
from recto.workspace.committing import NotCommitted
from recto.workspace.diffs import FileDiff
from recto.workspace.failures import (
    AlreadyExists,
    BinaryFile,
    Changed,
    Hidden,
    NameRefused,
    NoSpace,
    NotAFile,
    NotAFolder,
    NotFound,
    NotRepresentable,
    OutsideWorkspace,
    Protected,
    RootGone,
    SearchRefused,
    SearchUnavailable,
    TooLarge,
    Unreadable,
    Unwritable,
    WatchUnavailable,
    WorkspaceFailure,
)
from recto.workspace.files import TextFile, as_text, content_hash
from recto.workspace.finder import NameMatch, Names
from recto.workspace.git import FileState, GitState
from recto.workspace.listing import Entry, Kind
from recto.workspace.names import is_protected, plain
from recto.workspace.ripgrep import program as search_program
from recto.workspace.search import Found, Match, SearchLimits
from recto.workspace.states import PathState, is_same
from recto.workspace.text import Encoding, LineEnding, decode, encode
from recto.workspace.watch import Changes
from recto.workspace.workspace import Workspace

__all__ = [
    "AlreadyExists",
    "BinaryFile",
    "Changed",
    "Changes",
    "Content",
    "Encoding",
    "Entry",
    "FileDiff",
    "FileState",
    "Found",
    "GitState",
    "Hidden",
    "Identity",
    "Kind",
    "LineEnding",
    "Match",
    "NameMatch",
    "NameRefused",
    "Names",
    "NoSpace",
    "NotAFile",
    "NotAFolder",
    "NotCommitted",
    "NotFound",
    "NotRepresentable",
    "OutsideWorkspace",
    "PathState",
    "Protected",
    "RootGone",
    "SearchLimits",
    "SearchRefused",
    "SearchUnavailable",
    "TextFile",
    "TooLarge",
    "Unreadable",
    "Unwritable",
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

"""The folders people work in: projects, their live workspaces, and the feed of what changed."""

from recto.projects.attachments import attachment_name, attachment_place
from recto.projects.citing_documents import FolderCitations
from recto.projects.committed_texts import CommittedTexts
from recto.projects.contexts import ContextPage, Contexts, CountedContext
from recto.projects.failures import (
    LookAgain,
    NotConfirmed,
    NothingToTakeBack,
    NotPlaced,
    PathRefused,
    ProjectFailure,
    TooManyFiles,
)
from recto.projects.feed import (
    Event,
    Feed,
    FeedFollower,
    FilesChanged,
    ResourceChanged,
    StoreAnswering,
)
from recto.projects.file_counts import FileCounts
from recto.projects.file_operations import FileDependents, FileOperations, NewKind
from recto.projects.kernel_rights import kernel_rights
from recto.projects.links.note_links import LinkPlan, LinksAround, NoteLinks
from recto.projects.notebook_drafts import read_publishable
from recto.projects.project_library import (
    AddedReference,
    CitationReport,
    ProjectLibrary,
    ReachOutOff,
)
from recto.projects.projects import Project, ProjectPage, Projects
from recto.projects.publications import Publication, Publications
from recto.projects.replacements import Replacements
from recto.projects.returned_drafts import ReturnedChanges, ReturnedDrafts
from recto.projects.source_texts import CheckedQuotation
from recto.projects.tokens import SelectionCounter, TokenSelection, TokenTally
from recto.projects.tracked_changes import DocumentChanges, TrackedChanges
from recto.projects.trash import Trash
from recto.projects.word_editors import EditedElsewhere
from recto.projects.word_pages import (
    PageChanges,
    PageSplice,
    TakenPart,
    WordPage,
    WordPages,
    account_name,
)
from recto.projects.word_work import NotAWordFile
from recto.projects.workspaces import Workspaces
from recto.storage import (
    BadCursor,
    DatabaseFull,
    NotStorable,
    RecordNotFound,
    StaleVersion,
    StorageFailure,
)
from recto.storage import Unavailable as StoreUnavailable

__all__ = [
    "CommittedTexts",
    "LookAgain",
    "NothingToTakeBack",
    "Replacements",
    "DocumentChanges",
    "EditedElsewhere",
    "LinkPlan",
    "LinksAround",
    "NotAWordFile",
    "PageChanges",
    "TakenPart",
    "PageSplice",
    "WordPage",
    "WordPages",
    "account_name",
    "attachment_name",
    "attachment_place",
    "kernel_rights",
    "read_publishable",
    "TrackedChanges",
    "AddedReference",
    "CheckedQuotation",
    "CitationReport",
    "ProjectLibrary",
    "ReachOutOff",
    "BadCursor",
    "TokenSelection",
    "ContextPage",
    "Contexts",
    "CountedContext",
    "Event",
    "Feed",
    "FileCounts",
    "FolderCitations",
    "FileOperations",
    "FilesChanged",
    "FeedFollower",
    "FileDependents",
    "NewKind",
    "DatabaseFull",
    "NotConfirmed",
    "NoteLinks",
    "RecordNotFound",
    "NotPlaced",
    "NotStorable",
    "PathRefused",
    "Project",
    "ProjectFailure",
    "ProjectPage",
    "Publication",
    "Publications",
    "ReturnedChanges",
    "ReturnedDrafts",
    "Projects",
    "ResourceChanged",
    "StaleVersion",
    "StorageFailure",
    "StoreAnswering",
    "StoreUnavailable",
    "TokenTally",
    "SelectionCounter",
    "TooManyFiles",
    "Trash",
    "Workspaces",
]

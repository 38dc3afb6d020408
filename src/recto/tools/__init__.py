"""What the AI can do in a folder: tools declared once, permissions, recorded changes."""

from recto.tools.builtin import DECLARATIONS, READ_SKILL, TOOL_NAMES, Runs, builtin_tools
from recto.tools.builtin.read_skill import ReadsSkill, read_skill
from recto.tools.control_files import is_control
from recto.tools.document import EDIT_DOCUMENT, DocumentSelection, DocumentTarget, document_tools
from recto.tools.effects import Change, Effect, FileState, Moved, reversed_changes
from recto.tools.feedback import (
    ADD_TASK,
    PROPOSE_EDIT,
    describe_task,
    edited,
    is_task_visible,
)
from recto.tools.files import Note, RecordedFiles, Texts
from recto.tools.known_documents import (
    KnownDocument,
    KnownDocuments,
    changed_document,
    found_document,
)
from recto.tools.margin import Margin, OpenTask, Option, ThreadSubject
from recto.tools.notebook import NOTEBOOK_DECLARATIONS, notebook_tools
from recto.tools.permission import CheckedCall, Permissions, PermissionVerdict, is_outward
from recto.tools.reading.pdf import pdf_text
from recto.tools.reading.picture import media_type as picture_type
from recto.tools.reading.word import read_word, who_has_open
from recto.tools.registry import Toolbox
from recto.tools.research import ResearchServices, SearchWeb
from recto.tools.rules import (
    RulesInvalid,
    ToolRule,
    ToolRules,
    folder_rules,
    read_rule,
    read_rules,
    write_rules,
)
from recto.tools.schema import Arguments, parameters_of
from recto.tools.shell import KernelSandbox, SandboxLevel, Shell, find_sandbox
from recto.tools.tool import (
    Artifact,
    Declaration,
    Elicit,
    Elicitation,
    ElicitationAnswer,
    Files,
    Group,
    NoSuchOutput,
    OutputStore,
    OutputSummary,
    ShortenedOutput,
    Summarise,
    Tell,
    Tool,
    ToolContext,
    ToolFailure,
    ToolOutcome,
    said,
)
from recto.tools.toolboxes import NoSuchTool, Toolboxes, ToolSetting
from recto.tools.wrapped_calls import CALL_TOOL, describe_tools, unwrapped

__all__ = [
    "Artifact",
    "pdf_text",
    "DECLARATIONS",
    "CALL_TOOL",
    "describe_tools",
    "unwrapped",
    "ADD_TASK",
    "EDIT_DOCUMENT",
    "NOTEBOOK_DECLARATIONS",
    "PROPOSE_EDIT",
    "READ_SKILL",
    "TOOL_NAMES",
    "DocumentTarget",
    "Arguments",
    "CheckedCall",
    "Change",
    "Declaration",
    "Effect",
    "Elicit",
    "Elicitation",
    "ElicitationAnswer",
    "FileState",
    "Files",
    "Group",
    "ToolContext",
    "KnownDocument",
    "KnownDocuments",
    "changed_document",
    "found_document",
    "SandboxLevel",
    "Margin",
    "Moved",
    "NoSuchOutput",
    "NoSuchTool",
    "Note",
    "OpenTask",
    "Option",
    "ToolOutcome",
    "OutputStore",
    "OutputSummary",
    "ShortenedOutput",
    "Summarise",
    "Permissions",
    "ReadsSkill",
    "RecordedFiles",
    "ToolRule",
    "ToolRules",
    "ResearchServices",
    "RulesInvalid",
    "Runs",
    "DocumentSelection",
    "SearchWeb",
    "Shell",
    "ThreadSubject",
    "Tell",
    "Texts",
    "Tool",
    "ToolFailure",
    "ToolSetting",
    "Toolbox",
    "Toolboxes",
    "PermissionVerdict",
    "builtin_tools",
    "describe_task",
    "document_tools",
    "edited",
    "KernelSandbox",
    "find_sandbox",
    "folder_rules",
    "is_control",
    "is_outward",
    "notebook_tools",
    "is_task_visible",
    "parameters_of",
    "picture_type",
    "read_rule",
    "read_rules",
    "read_skill",
    "read_word",
    "who_has_open",
    "reversed_changes",
    "said",
    "write_rules",
]

"""What the AI can do in a folder: tools declared once, permissions, recorded changes."""

from recto.tools.builtin import READ_SKILL, Runs, builtin_tools
from recto.tools.builtin.read_skill import ReadsSkill, read_skill
from recto.tools.controls import is_control
from recto.tools.document import EDIT_DOCUMENT, Aim, Selected, document_tools
from recto.tools.effects import Change, Effect, FileState, Moved, reversed_changes
from recto.tools.feedback import PROPOSE_EDIT, edited
from recto.tools.files import Note, RecordedFiles, Texts
from recto.tools.margin import Margin, OpenTask, Option, Subject
from recto.tools.permission import Asked, Permissions, Verdict, is_outward
from recto.tools.registry import Toolbox
from recto.tools.rules import (
    Rule,
    Rules,
    RulesInvalid,
    folder_rules,
    read_rule,
    read_rules,
    write_rules,
)
from recto.tools.schema import Arguments, parameters_of
from recto.tools.shell import Level, Shell, find_sandbox
from recto.tools.tool import (
    Declaration,
    Files,
    Group,
    Hands,
    NoSuchOutput,
    Outcome,
    Outputs,
    Tell,
    Tool,
    ToolFailure,
)
from recto.tools.toolboxes import NoSuchTool, Toolboxes, ToolSetting

__all__ = [
    "EDIT_DOCUMENT",
    "PROPOSE_EDIT",
    "READ_SKILL",
    "Aim",
    "Arguments",
    "Asked",
    "Change",
    "Declaration",
    "Effect",
    "FileState",
    "Files",
    "Group",
    "Hands",
    "Level",
    "Margin",
    "Moved",
    "NoSuchOutput",
    "NoSuchTool",
    "Note",
    "OpenTask",
    "Option",
    "Outcome",
    "Outputs",
    "Permissions",
    "ReadsSkill",
    "RecordedFiles",
    "Rule",
    "Rules",
    "RulesInvalid",
    "Runs",
    "Selected",
    "Shell",
    "Subject",
    "Tell",
    "Texts",
    "Tool",
    "ToolFailure",
    "ToolSetting",
    "Toolbox",
    "Toolboxes",
    "Verdict",
    "builtin_tools",
    "document_tools",
    "edited",
    "find_sandbox",
    "folder_rules",
    "is_control",
    "is_outward",
    "parameters_of",
    "read_rule",
    "read_rules",
    "read_skill",
    "reversed_changes",
    "write_rules",
]

"""The tools that Recto brings, one file each."""

from recto.tools.builtin import (
    create_file,
    delete_file,
    duplicate_file,
    edit_file,
    list_files,
    move_file,
    read_file,
    rename_file,
    search_content,
    write_file,
)
from recto.tools.builtin.read_skill import DECLARATION as READ_SKILL
from recto.tools.builtin.run_command import DECLARATION as RUN_COMMAND
from recto.tools.builtin.run_command import Runs, run_command
from recto.tools.feedback import FEEDBACK, PROPOSE_EDIT
from recto.tools.library import REFERENCE_DECLARATIONS, reference_tools
from recto.tools.notebook import NOTEBOOK_DECLARATIONS
from recto.tools.research import ResearchServices
from recto.tools.tool import Declaration, Tool
from recto.tools.web import WEB_DECLARATIONS, web_tools

OTHERS = (
    read_file.TOOL,
    write_file.TOOL,
    edit_file.TOOL,
    list_files.TOOL,
    search_content.TOOL,
    create_file.TOOL,
    rename_file.TOOL,
    move_file.TOOL,
    duplicate_file.TOOL,
    delete_file.TOOL,
    *FEEDBACK,
)
DECLARATIONS: tuple[Declaration, ...] = (
    RUN_COMMAND,
    *(tool.declaration for tool in (*OTHERS, PROPOSE_EDIT)),
    READ_SKILL,
    *REFERENCE_DECLARATIONS,
    *WEB_DECLARATIONS,
    *NOTEBOOK_DECLARATIONS,
)
"""Every tool that Recto brings, in the order in which they are shown."""
TOOL_NAMES = frozenset(declaration.name for declaration in DECLARATIONS)


def builtin_tools(shell: Runs, research: ResearchServices | None = None) -> tuple[Tool, ...]:
    """All of them, for a folder with this shell; without services, none that need them."""
    tools = (run_command(shell), *OTHERS)
    if research is None:
        return tools
    return (*tools, *reference_tools(research), *web_tools(research))

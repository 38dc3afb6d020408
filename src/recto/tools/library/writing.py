"""How tools change a file of the library: as any other file, noted and reviewed."""

from recto.references import FileWrite
from recto.tools.builtin.new_files import make_folders
from recto.tools.control_files import is_control
from recto.tools.tool import ToolContext, ToolFailure


async def write_library(write: FileWrite, context: ToolContext) -> None:
    """Write what the library answered. Raises ToolFailure, WorkspaceFailure."""
    if is_control(write.path):
        raise ToolFailure(f'"{write.path}" controls programs. Change it with edit_file.')
    if write.expected_hash is None:
        await make_folders(write.path, context)
    await context.files.write(write.path, write.data, expected_hash=write.expected_hash)

"""What the kernels of a project's notebooks may do: the choice that is kept with the project."""

from recto.notebooks import KernelRights
from recto.storage import Storage


async def kernel_rights(storage: Storage, root: str) -> KernelRights:
    """What was chosen for the project of a folder; the user's own rights where nothing was."""
    project = await storage.projects.by_path(root)
    match None if project is None else project.settings.get("kernel_rights"):
        case "sandbox":
            return "sandbox"
        case "network":
            return "network"
        case _:
            return "own"

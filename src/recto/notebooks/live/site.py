"""Where a live notebook lies."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotebookSite:
    """Where a notebook lies: its key among kernels, the folder of its project, its own."""

    key: str
    folder: str
    cwd: str


def site_of(root: str, key: str) -> NotebookSite:
    """Where a notebook lies, by its absolute path."""
    return NotebookSite(key, folder=root, cwd=key.rpartition("/")[0])


def is_below(key: str, folder: str) -> bool:
    """Whether a path is another one, or lies in it."""
    return key == folder or key.startswith(f"{folder}/")

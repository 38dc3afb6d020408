"""Which tab edits a Word document: one at a time, until it stops, leaves, or another takes over."""

from dataclasses import dataclass

from recto.clock import Clock
from recto.workspace import WorkspaceFailure

IDLE_MS = 60_000
"""Who has not changed anything for this long no longer keeps others from it."""


class EditedElsewhere(WorkspaceFailure):
    """Another tab edits the document."""

    def __init__(self) -> None:
        super().__init__("The document is edited in another tab.", "Take over, or wait.")


@dataclass(slots=True)
class WordEditor:
    """A tab, and when it last changed something."""

    tab: str
    at_ms: int


class WordEditors:
    """The tab that edits each document."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._editors: dict[tuple[str, str], WordEditor] = {}

    def is_elsewhere(self, project_id: str, path: str, tab: str) -> bool:
        """Whether another tab edits a document now."""
        found = self._editors.get((project_id, path))
        if found is None or found.tab == tab:
            return False
        return self._clock.now_ms() - found.at_ms < IDLE_MS

    def claim(self, project_id: str, path: str, tab: str) -> None:
        """Edit a document, if nobody else does. Raises EditedElsewhere."""
        if self.is_elsewhere(project_id, path, tab):
            raise EditedElsewhere
        self.take(project_id, path, tab)

    def take(self, project_id: str, path: str, tab: str) -> None:
        """Edit a document, whoever did before."""
        self._editors[project_id, path] = WordEditor(tab, self._clock.now_ms())

    def leave(self, project_id: str, path: str, tab: str) -> None:
        """Let others edit a document."""
        found = self._editors.get((project_id, path))
        if found is not None and found.tab == tab:
            del self._editors[project_id, path]

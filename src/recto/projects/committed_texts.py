"""Earlier states of a file, as git keeps them, put back into the live text."""

from collections.abc import Awaitable, Callable

from recto.documents import Documents, EditOrigin, ReadOnly
from recto.workspace import BinaryFile, GitRefused, Workspace

BY_A_PERSON = EditOrigin("person", way="typed")


class CommittedTexts:
    """Makes a text what it was in a commit, as an edit of a person's."""

    def __init__(
        self,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
    ) -> None:
        self._open_workspace = open_workspace
        self._open_documents = open_documents

    async def restore(self, project_id: str, commit: str, old_path: str, path: str) -> None:
        """Make a file's text what the file, as it was called then, was in a commit.

        Raises GitRefused when it was not in it, BinaryFile, and what saving raises.
        """
        workspace = await self._open_workspace(project_id)
        text = await workspace.repository.text_at(commit, old_path)
        if text is None:
            raise GitRefused(f"{old_path} is not in this commit.", "Choose another one.")
        documents = await self._open_documents(project_id)
        async with documents.using(path) as live:
            if isinstance(live, ReadOnly) or live.form is not None:
                raise BinaryFile(path)
            await live.become(text, origin=BY_A_PERSON)

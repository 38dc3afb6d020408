"""Tools change a file that people have open in the text they see, in the run's name."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recto.documents import Documents, EditedEvent, EditOrigin, Splice
from recto.tools import Change, Effect, FileState, RecordedFiles
from recto.workspace import PathHidden, content_hash
from tests.documents.folder import ANN, document, folder

pytestmark = pytest.mark.anyio
RUN = EditOrigin("run", "r1")


@dataclass
class OpenTexts:
    """Changes texts in their documents, in the run's name."""

    documents: Documents
    changes: list[Change] = field(default_factory=list[Change])

    async def checked(self, path: str, before: bytes | None, data: bytes) -> bytes:
        return data

    async def rewrite(self, path: str, data: bytes, *, expected_hash: str | None) -> str | None:
        return await self.documents.rewrite(path, data, expected_hash=expected_hash, origin=RUN)

    async def made(self, change: Change) -> None:
        self.changes.append(change)


async def test_an_open_file_is_changed_in_the_text_that_people_see(tmp_path: Path) -> None:
    noted: list[Change] = []

    async def note(changes: tuple[Change, ...]) -> None:
        noted.extend(changes)

    async with folder(tmp_path) as home:
        home.put("a.md", "one\ntwo\n")
        home.put(".env", "KEY=1\n")
        texts = OpenTexts(home.documents)
        files = RecordedFiles(home.workspace, note, texts=texts)
        async with document(home, "a.md") as live, document(home, ".env"):
            await live.edit([Splice(0, 3, "ONE")], ANN)
            with live.follow() as follower:
                await follower.news()
                seen = content_hash(b"one\ntwo\n")
                new = await files.write("a.md", b"one\n2\n", expected_hash=seen)
                edits = [item for item in await follower.news() if isinstance(item, EditedEvent)]
            assert [edit.origin for edit in edits] == [RUN]
            assert (live.text, home.disk("a.md")) == ("ONE\n2\n", b"ONE\n2\n")
            assert new == content_hash(b"ONE\n2\n")
            with pytest.raises(PathHidden):
                await files.write(".env", b"x", expected_hash=content_hash(b"KEY=1\n"))
        await files.write("new.md", b"new", expected_hash=None)
        assert home.disk("new.md") == b"new"
        assert len(noted) == 2
        assert texts.changes == noted


async def test_what_a_command_did_to_an_open_file_is_changed_in_its_text_with_its_mode(
    tmp_path: Path,
) -> None:
    async def note(changes: tuple[Change, ...]) -> None:
        pass

    async with folder(tmp_path) as home:
        home.put("run.sh", "echo\n")
        texts = OpenTexts(home.documents)
        files = RecordedFiles(home.workspace, note, texts=texts)
        before = FileState("file", b"echo\n", 0o644)
        both = Effect("run.sh", before, FileState("file", b"echo 2\n", 0o755))
        async with document(home, "run.sh") as live, document(home, "run.sh"):
            assert await files.apply((both,)) == ()
            assert (live.text, texts.changes) == ("echo 2\n", [both])
        assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755

"""Tools change a file that people have open in the text they see, in the run's name."""

from functools import partial
from pathlib import Path

import pytest

from recto.documents import Edited, Origin, Splice
from recto.tools import Change, RecordedFiles
from recto.workspace import Hidden, content_hash
from tests.documents.folder import ANN, document, folder

pytestmark = pytest.mark.anyio
RUN = Origin("run", "r1")


async def test_an_open_file_is_changed_in_the_text_that_people_see(tmp_path: Path) -> None:
    noted: list[Change] = []

    async def note(changes: tuple[Change, ...]) -> None:
        noted.extend(changes)

    async with folder(tmp_path) as home:
        home.put("a.md", "one\ntwo\n")
        home.put(".env", "KEY=1\n")
        rewrite = partial(home.documents.rewrite, origin=RUN)
        files = RecordedFiles(home.workspace, note, rewrite=rewrite)
        async with document(home, "a.md") as live, document(home, ".env"):
            await live.edit([Splice(0, 3, "ONE")], ANN)
            with live.follow() as follower:
                await follower.news()
                seen = content_hash(b"one\ntwo\n")
                new = await files.write("a.md", b"one\n2\n", expected_hash=seen)
                edits = [one for one in await follower.news() if isinstance(one, Edited)]
            assert [one.origin for one in edits] == [RUN]
            assert (live.text, home.disk("a.md")) == ("ONE\n2\n", b"ONE\n2\n")
            assert new == content_hash(b"ONE\n2\n")
            with pytest.raises(Hidden):
                await files.write(".env", b"x", expected_hash=content_hash(b"KEY=1\n"))
        await files.write("new.md", b"new", expected_hash=None)
        assert home.disk("new.md") == b"new"
        assert len(noted) == 2

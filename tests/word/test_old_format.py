"""Documents of Word before 2007, read by a LibreOffice that is held to one folder."""

import glob
import os
from pathlib import Path

import pytest

from recto.processes import run
from recto.word import WordFailure, foreign_text
from recto.word.old_format import SOCKETS, as_odt, command, find_office, read_made
from recto.word.ooxml.package import OLE_MARK
from tests.publishing.office import SOFFICE, needs_office
from tests.word.abstract import abstract

pytestmark = pytest.mark.anyio


def sockets() -> set[str]:
    """The sockets of every LibreOffice."""
    return set(glob.glob(f"{SOCKETS}/OSL_PIPE_*"))


@needs_office
async def test_an_old_document_reads_as_its_text_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(abstract())
    assert SOFFICE is not None
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    argv = [SOFFICE, "--headless", profile, "--convert-to", "doc", "--outdir", str(tmp_path)]
    argv.append(str(tmp_path / "a.docx"))
    await run(argv, cwd=str(tmp_path), timeout_s=120, max_bytes=10_000)
    data = (tmp_path / "a.doc").read_bytes()
    before = sockets()

    text = await foreign_text(data, ".doc")

    assert "# Results" in text
    assert "compared with the storms named by Météo-France of the winter of 2014." in text
    assert "list of storms" not in text  # what a tracked change deletes
    assert sockets() <= before
    for junk in (b"", OLE_MARK, OLE_MARK + b"x" * 4000, abstract()):
        with pytest.raises(WordFailure, match="no document of Word before 2007"):
            await foreign_text(junk, ".doc")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_it_leaves_is_read_only_if_it_is_a_file(kind: str, tmp_path: Path) -> None:
    """A hostile document may have it leave anything in its folder."""
    secret, made = tmp_path / "secret.odt", tmp_path / "document.odt"
    secret.write_bytes(b"the secret words")
    assert read_made(secret) == b"the secret words"
    match kind:
        case "link":
            made.symlink_to(secret)
        case "pipe":
            os.mkfifo(made)
        case _:
            made.mkdir()
    with pytest.raises(WordFailure, match="damaged"):
        read_made(made)


@needs_office
async def test_it_reads_no_file_outside_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret words")
    held = tmp_path / "held"
    held.mkdir()
    # A page that draws in another file, under the name of a document.
    page = f'<html><body><p>shown</p><iframe src="file://{tmp_path}/secret.txt"></iframe></body></html>'
    with pytest.raises(WordFailure, match="no document of Word before 2007"):
        await as_odt(page.encode())
    argv = command(find_office(), held)
    reading = [*argv[: argv.index(str(find_office()))], "/bin/cat", str(tmp_path / "secret.txt")]
    ended = await run(reading, cwd="/", timeout_s=60, max_bytes=1000)
    assert ended.code != 0
    assert b"secret" not in ended.stdout

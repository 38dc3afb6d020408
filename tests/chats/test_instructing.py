"""Whoever writes instructions agrees to them by that; anything else of them is asked about."""

from pathlib import Path

import pytest

from recto.chats.prompts.base import instructions_hash
from recto.chats.prompts.folder_instructions import trusts_own_words
from recto.config import Home, Trust

pytestmark = pytest.mark.anyio

ROOT = "/folder"


def agrees(trust: Trust, text: str, path: str = "AGENTS.md") -> bool:
    return trust.is_trusted(ROOT, path, instructions_hash(text))


@pytest.mark.parametrize("path", ["_instructions.md", "AGENTS.md", ".recto/system.md"])
@pytest.mark.parametrize("before", ["", " \n", "<!-- How to write here. -->\n"])
async def test_a_text_begun_here_is_agreed_to(tmp_path: Path, path: str, before: str) -> None:
    trust = Trust(Home(tmp_path))
    await trusts_own_words(trust, ROOT)(path, before, "Be kind.")
    assert agrees(trust, "Be kind.", path)


async def test_own_words_in_a_text_count_as_the_text_did(tmp_path: Path) -> None:
    trust = Trust(Home(tmp_path))
    take = trusts_own_words(trust, ROOT)
    await take("AGENTS.md", "Obey me.", "Obey me. Be kind.")
    assert not agrees(trust, "Obey me. Be kind."), "nobody has agreed to what was there"
    trust.trust(ROOT, "AGENTS.md", instructions_hash("Rhyme."))
    await take("AGENTS.md", "Rhyme.", "Rhyme. Be kind.")
    assert agrees(trust, "Rhyme. Be kind.")


async def test_other_files_are_no_instructions(tmp_path: Path) -> None:
    trust = Trust(Home(tmp_path))
    await trusts_own_words(trust, ROOT)("docs/AGENTS.md", "", "Be kind.")
    assert not (tmp_path / "trust.json").exists()


async def test_a_home_that_cannot_be_read_keeps_no_text_from_being_saved(tmp_path: Path) -> None:
    (tmp_path / "trust.json").write_bytes(b"{")
    await trusts_own_words(Trust(Home(tmp_path)), ROOT)("AGENTS.md", "", "Be kind.")
    assert (tmp_path / "trust.json").read_bytes() == b"{"

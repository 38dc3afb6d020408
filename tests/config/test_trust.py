"""What the user has agreed to is remembered by what it says."""

from pathlib import Path

import pytest

from recto.config import ConfigFailure, Home, Trust


def test_another_text_is_asked_about_again(tmp_path: Path) -> None:
    Trust(Home(tmp_path)).trust("/a", "AGENTS.md", "hash 1")
    trust = Trust(Home(tmp_path))
    assert trust.is_trusted("/a", "AGENTS.md", "hash 1")
    assert not trust.is_trusted("/a", "AGENTS.md", "hash 2")
    assert not trust.is_trusted("/b", "AGENTS.md", "hash 1")
    assert not trust.is_trusted("/a", "_instructions.md", "hash 1")


def test_going_back_to_an_earlier_text_need_not_ask(tmp_path: Path) -> None:
    trust = Trust(Home(tmp_path))
    for number in range(30):
        trust.trust("/a", "AGENTS.md", f"hash {number}")
    assert trust.is_trusted("/a", "AGENTS.md", "hash 20")
    assert not trust.is_trusted("/a", "AGENTS.md", "hash 1"), "not for ever"


def test_agreement_can_be_taken_back_from_one_text_alone(tmp_path: Path) -> None:
    trust = Trust(Home(tmp_path))
    for digest in ("hash 1", "hash 2"):
        trust.trust("/a", "SKILL.md", digest)
    trust.distrust("/a", "SKILL.md", "hash 1")
    assert trust.agreed("/a") == {"SKILL.md": ["hash 2"]}
    trust.distrust("/a", "SKILL.md", "never agreed to")
    assert trust.is_trusted("/a", "SKILL.md", "hash 2")
    assert trust.agreed("/b") == {}


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"folders": 1}', b'{"folders": {"/a": 1}}'])
def test_a_file_that_is_not_ours_is_not_taken_for_agreement(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "trust.json").write_bytes(data)
    with pytest.raises(ConfigFailure, match="Recto will ask again"):
        Trust(Home(tmp_path)).is_trusted("/a", "AGENTS.md", "hash")


def test_a_no_is_kept_until_the_user_agrees(tmp_path: Path) -> None:
    trust = Trust(Home(tmp_path))
    trust.trust("/a", "AGENTS.md", "hash 1")
    trust.decline("/a", "AGENTS.md", "hash 1")
    assert not trust.is_trusted("/a", "AGENTS.md", "hash 1")
    assert Trust(Home(tmp_path)).is_declined("/a", "AGENTS.md", "hash 1")
    assert not trust.is_declined("/a", "AGENTS.md", "hash 2")
    trust.trust("/a", "AGENTS.md", "hash 1")
    assert not trust.is_declined("/a", "AGENTS.md", "hash 1")

"""Settings that change while Recto works: kept in the file, which stays the user's own."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.config import (
    ChatSettings,
    ConfigFailure,
    EditorSettings,
    Home,
    OwnTransform,
    Preferences,
    PreferencesChanged,
    Settings,
    load_settings,
)

pytestmark = pytest.mark.anyio

FILE = """# Ada's
[server]
port = 9000 # not the usual one

[chats]
steps = 5 # enough
"""


def opened(folder: Path, text: str | None = FILE) -> Preferences:
    home = Home(folder)
    if text is not None:
        home.settings_file.write_bytes(text.encode())
    return Preferences(home, load_settings(home.settings_file))


async def test_other_values_hold_at_once_and_after_a_restart(tmp_path: Path) -> None:
    preferences = opened(tmp_path)
    editor = EditorSettings(
        suggest="pause", transforms=[OwnTransform(title="Rhyme", prompt='Make it\n"rhyme".')]
    )
    chats = ChatSettings(steps=7, minutes=2.5, review="direct")
    await preferences.save(editor, chats, tag=preferences.tag)
    again = opened(tmp_path, None)
    assert (preferences.editor, preferences.chats) == (editor, chats)
    assert (again.editor, again.chats, again.tag) == (editor, chats, preferences.tag)
    written = Home(tmp_path).settings_file.read_text(encoding="utf-8")
    assert written == (
        "# Ada's\n[server]\nport = 9000 # not the usual one\n\n"
        '[chats]\nsteps = 7 # enough\nminutes = 2.5\nreview = "direct"\n\n'
        '[editor]\nsuggest = "pause"\n'
        '[[editor.transforms]]\ntitle = "Rhyme"\nprompt = "Make it\\n\\"rhyme\\"."\n'
    )


async def test_without_a_file_one_is_made_that_says_only_what_is_not_as_always(
    tmp_path: Path,
) -> None:
    preferences = opened(tmp_path, None)
    await preferences.save(EditorSettings(suggest="off"), ChatSettings(), tag=preferences.tag)
    file = Home(tmp_path).settings_file
    assert file.read_bytes() == b'[editor]\nsuggest = "off"\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_the_same_values_again_write_nothing(tmp_path: Path) -> None:
    preferences = opened(tmp_path, None)
    await preferences.save(EditorSettings(), ChatSettings(), tag=preferences.tag)
    assert not Home(tmp_path).settings_file.exists()


async def test_values_that_were_changed_meanwhile_are_not_written_over(tmp_path: Path) -> None:
    preferences = opened(tmp_path)
    tag = preferences.tag
    await preferences.save(EditorSettings(suggest="off"), ChatSettings(), tag=tag)
    with pytest.raises(PreferencesChanged):
        await preferences.save(EditorSettings(), ChatSettings(), tag=tag)
    assert preferences.editor == EditorSettings(suggest="off")


async def test_what_is_written_by_hand_is_taken_over_and_never_lost(tmp_path: Path) -> None:
    preferences = opened(tmp_path)
    tag, file = preferences.tag, Home(tmp_path).settings_file
    file.write_text(FILE.replace("5", "6"), encoding="utf-8")
    with pytest.raises(PreferencesChanged):
        await preferences.save(EditorSettings(), ChatSettings(steps=7), tag=tag)
    assert preferences.chats == ChatSettings(steps=6)
    file.write_text(FILE.replace("5", "8"), encoding="utf-8")
    assert [await preferences.refresh(), await preferences.refresh()] == [True, False]
    assert preferences.chats == ChatSettings(steps=8)


async def test_a_file_that_is_removed_means_the_defaults(tmp_path: Path) -> None:
    preferences = opened(tmp_path)
    Home(tmp_path).settings_file.unlink()
    assert await preferences.refresh()
    assert preferences.chats == ChatSettings()


async def test_a_comment_more_is_no_change(tmp_path: Path) -> None:
    preferences = opened(tmp_path)
    Home(tmp_path).settings_file.write_text(FILE + "# more\n", encoding="utf-8")
    assert not await preferences.refresh()
    await preferences.save(EditorSettings(), ChatSettings(steps=6), tag=preferences.tag)
    written = Home(tmp_path).settings_file.read_text(encoding="utf-8")
    assert written == FILE.replace("5", "6") + "# more\n"


@pytest.mark.parametrize(
    "broken", ["[chats\n", "[chats]\nstepz = 1\n", "\ufeff", "a = 1\na = 2\n", "x = " + "[" * 9999]
)
async def test_a_broken_file_is_refused_and_left_alone(tmp_path: Path, broken: str) -> None:
    preferences = opened(tmp_path)
    file = Home(tmp_path).settings_file
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(ConfigFailure, match=r"settings\.toml"):
        await preferences.save(EditorSettings(), ChatSettings(), tag=preferences.tag)
    assert file.read_text(encoding="utf-8") == broken
    assert preferences.chats == ChatSettings(steps=5)


@given(st.one_of(st.binary(max_size=60), st.text("[chats].tep1 =\n#'\"{},", max_size=60)))
async def test_any_file_is_understood_or_left_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, content: bytes | str
) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    folder = tmp_path_factory.mktemp("home")
    file = Home(folder).settings_file
    preferences = Preferences(Home(folder), Settings())
    file.write_bytes(data)
    wanted = ChatSettings(commit_accepted=True)
    try:
        await preferences.refresh()
        await preferences.save(EditorSettings(), wanted, tag=preferences.tag)
    except ConfigFailure:
        assert file.read_bytes() == data
    else:
        assert load_settings(file).chats == wanted


async def test_a_link_to_a_file_elsewhere_stays_a_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles.toml"
    elsewhere.write_text(FILE, encoding="utf-8")
    (tmp_path / "home").mkdir()
    Home(tmp_path / "home").settings_file.symlink_to(elsewhere)
    preferences = opened(tmp_path / "home", None)
    await preferences.save(EditorSettings(), ChatSettings(steps=6), tag=preferences.tag)
    assert Home(tmp_path / "home").settings_file.is_symlink()
    assert elsewhere.read_text(encoding="utf-8") == FILE.replace("5", "6")


async def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    Home(tmp_path / "home").settings_file.symlink_to(tmp_path / "gone" / "settings.toml")
    preferences = opened(tmp_path / "home", None)
    with pytest.raises(ConfigFailure, match="can't be written"):
        await preferences.save(EditorSettings(), ChatSettings(steps=6), tag=preferences.tag)
    assert preferences.chats == ChatSettings()

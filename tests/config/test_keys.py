import copy
import logging
import pickle
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.config import ConfigFailure, Home, Secret, load_keys, save_keys

KEY = "sk-ant-0123456789abcdef"


def test_saved_keys_are_read_again(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": Secret("sk-1"), "ANTHROPIC_API_KEY": Secret(KEY)}
    save_keys(Home(tmp_path), keys)
    assert load_keys(Home(tmp_path)) == keys


def test_the_file_is_readable_by_the_user_alone_also_after_a_change(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for value in ("first", "second"):
        save_keys(home, {"A": Secret(value)})
        assert stat.S_IMODE(home.keys_file.stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path)
    save_keys(home, {"A": Secret(KEY)})
    home.keys_file.chmod(0o644)
    with pytest.raises(ConfigFailure, match="chmod 600") as caught:
        load_keys(home)
    assert KEY not in str(caught.value)


def test_a_hand_written_file_may_have_quotes_comments_and_spaces(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.keys_file.write_text("# mine\n\n A = 'one'\nB=\"two\"\nC=a=b\n", encoding="utf-8")
    home.keys_file.chmod(0o600)
    assert load_keys(home) == {"A": Secret("one"), "B": Secret("two"), "C": Secret("a=b")}


@pytest.mark.parametrize("line", ["nonsense", "lower=x", "A=", "A=two words", "=x", "A=\x00"])
def test_a_wrong_line_is_named_and_its_content_is_not(tmp_path: Path, line: str) -> None:
    home = Home(tmp_path)
    home.keys_file.write_text(f"A=b\n{line}\n", encoding="utf-8")
    home.keys_file.chmod(0o600)
    with pytest.raises(ConfigFailure, match="line 2 is not NAME=value"):
        load_keys(home)


@pytest.mark.parametrize("value", ["", "two words", "line\nbreak", "ünicode", "x" * 5000])
def test_a_value_that_cannot_be_a_key_is_refused_without_repeating_it(
    tmp_path: Path, value: str
) -> None:
    with pytest.raises(ConfigFailure) as caught:
        save_keys(Home(tmp_path), {"A": Secret(value)})
    assert not value or value not in str(caught.value)


@given(
    st.dictionaries(
        st.from_regex(r"[A-Z][A-Z0-9_]{0,20}", fullmatch=True),
        st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1),
    )
)
def test_any_keys_survive_the_file(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]
) -> None:
    home = Home(tmp_path_factory.mktemp("home"))
    keys = {name: Secret(value) for name, value in values.items()}
    save_keys(home, keys)
    if not any(value[0] == value[-1] in "\"'" and len(value) > 1 for value in values.values()):
        assert load_keys(home) == keys


def test_a_secret_cannot_be_shown_by_accident(caplog: pytest.LogCaptureFixture) -> None:
    secret = Secret(KEY)
    logging.getLogger("any").warning("%s %r", secret, secret)
    shown = [str(secret), repr(secret), f"{secret}", f"{secret!r:>40}", repr([secret]), caplog.text]
    assert not [text for text in shown if KEY in text]
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)


def test_a_hint_tells_long_keys_apart_and_never_gives_a_short_one_away() -> None:
    assert Secret(KEY).hint() == "…cdef"
    assert Secret("short").hint() == "…"

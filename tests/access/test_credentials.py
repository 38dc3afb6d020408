from pathlib import Path

import pytest

from recto.access import Credentials, KeyStatus, fingerprint, load_credentials
from recto.config import ConfigFailure, Home, Secret, save_keys

FILE = {"ANTHROPIC_API_KEY": Secret("from-file"), "OPENAI_API_KEY": Secret("from-file")}


def test_the_environment_wins_over_the_file() -> None:
    keys = Credentials({"ANTHROPIC_API_KEY": "from-environment\n"}, FILE)

    assert keys.find("ANTHROPIC_API_KEY") == Secret("from-environment")
    assert keys.find("OPENAI_API_KEY") == Secret("from-file")
    assert keys.find("GEMINI_API_KEY") is None


def test_an_empty_variable_is_no_key() -> None:
    assert Credentials({"ANTHROPIC_API_KEY": " "}, FILE).find("ANTHROPIC_API_KEY") == Secret(
        "from-file"
    )


def test_others_learn_which_keys_are_set_and_where_but_not_what_they_are() -> None:
    keys = Credentials({"ANTHROPIC_API_KEY": "canary"}, {"OPENAI_API_KEY": Secret("canary")})
    status = keys.status(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"])

    assert status == (
        KeyStatus("ANTHROPIC_API_KEY", "environment"),
        KeyStatus("OPENAI_API_KEY", "keys.env"),
        KeyStatus("GEMINI_API_KEY", None),
    )
    assert "canary" not in repr(status)


def test_keys_come_from_the_home(tmp_path: Path) -> None:
    home = Home(tmp_path)
    save_keys(home, FILE)

    assert load_credentials({}, home).find("OPENAI_API_KEY") == Secret("from-file")


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path)
    save_keys(home, FILE)
    home.keys_file.chmod(0o644)

    with pytest.raises(ConfigFailure, match="chmod 600"):
        load_credentials({}, home)


def test_an_account_is_told_apart_by_key_and_address_without_showing_either() -> None:
    account = fingerprint("https://a.example", Secret("canary"))

    assert account == fingerprint("https://a.example", Secret("canary"))
    others = {
        fingerprint("https://b.example", Secret("canary")),
        fingerprint("https://a.example", Secret("other")),
        fingerprint("https://a.example", None),
    }
    assert len(others | {account}) == 4
    assert len(account) == 12

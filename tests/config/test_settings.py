from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.config import ConfigFailure, ServerSettings, Settings, load_settings


def written(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == Settings()


def test_settings_are_read(tmp_path: Path) -> None:
    file = written(tmp_path, '[server]\nport = 9000\n[logs]\nlevel = "debug"\n')
    settings = load_settings(file)
    assert settings.server == ServerSettings(host="127.0.0.1", port=9000)
    assert settings.logs.level == "debug"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[server]\n\nport = "x"\n', "line 3: server.port must be a whole number, not 'x'"),
        ("[server]\nport = 70000\n", "line 2: server.port must be at most 65535, not 70000"),
        ("[server]\nprot = 1\n", "line 2: server.prot is not a setting. Allowed here: host, port"),
        ("[sever]\nport = 1\n", "line 1: sever is not a setting. Allowed here: chats, editor, gat"),
        ("server.port = true\n", "line 1: server.port must be a whole number, not True"),
        ('[logs]\nlevel = "loud"\n', "line 2: logs.level must be 'debug', 'info', 'warning' or"),
        ('[storage]\nurl = "mysql://x"\n', "line 2: storage.url must be empty or start with post"),
        (
            '[[editor.transforms]]\ntitle = "a"\nprompt = "b"\n[[editor.transforms]]\ntitel = ""\n',
            "line 5: editor.transforms.1.titel is not a setting. Allowed here: prompt, title",
        ),
        ("[server\n", "at line 1"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_is_allowed(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(ConfigFailure) as caught:
        load_settings(written(tmp_path, text))
    assert says in str(caught.value)
    assert "settings.toml" in str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigFailure, match="can't be read"):
        load_settings(file)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_with_words(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    outcome: Settings | ConfigFailure
    try:
        outcome = load_settings(file)
    except ConfigFailure as failure:
        outcome = failure
    assert isinstance(outcome, Settings) or (outcome.message and outcome.remedy)

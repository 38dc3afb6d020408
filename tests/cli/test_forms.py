"""What a person types into a server's form in a terminal."""

import io

import pytest

from recto.cli.forms import fill_in
from recto.tools import ElicitationAnswer

FORM = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "count": {"type": "integer"},
        "sure": {"type": "boolean", "default": True, "description": "Be\u200b sure."},
        "note": {"type": "string"},
    },
    "required": ["colour", "count"],
}


def asked(form: object = None, url: str | None = None) -> dict[str, object]:
    return {"server": "one", "message": "Which?", "form": form, "url": url}


def typed(monkeypatch: pytest.MonkeyPatch, words: str, *, is_there: bool = True) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(words))
    monkeypatch.setattr("recto.cli.forms.is_somebody_there", lambda: is_there)


def test_a_form_is_filled_in_field_by_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "accept\ngreen\nblue\nmany\n3\n\n\n")
    content = {"colour": "blue", "count": 3, "sure": True}
    assert fill_in(asked(FORM)) == ElicitationAnswer("accept", content)
    told = capsys.readouterr().err
    assert "Be\\u200b sure." in told
    assert "sure (boolean), or nothing for True:" in told


def test_to_decline_and_to_cancel_are_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "decline\n")
    assert fill_in(asked(FORM)) == ElicitationAnswer("decline")
    typed(monkeypatch, "cancel\n")
    assert fill_in(asked(FORM)) == ElicitationAnswer("cancel")
    typed(monkeypatch, "accept\nblue\n")  # the terminal is closed in the middle
    assert fill_in(asked(FORM)) == ElicitationAnswer("cancel")
    typed(monkeypatch, "", is_there=False)
    assert fill_in(asked(FORM)) == ElicitationAnswer("cancel")


def test_an_address_is_shown_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "accept\n")
    address = "https://sign.example/now?x=\u202e1"
    assert fill_in(asked(url=address)) == ElicitationAnswer("accept")
    assert "https://sign.example/now?x=\\u202e1" in capsys.readouterr().err

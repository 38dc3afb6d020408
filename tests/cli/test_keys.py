import json

from tests.cli.recto import Command

KEY = "sk-ant-0123456789abcdef"


def test_a_key_is_set_listed_and_removed_without_being_shown(recto: Command) -> None:
    done = recto.run_anew("keys", "set", "ANTHROPIC_API_KEY", typed=KEY + "\n")
    listed = recto.run("keys")
    as_json = json.loads(recto.run("keys", "--json").stdout)
    removed = recto.run("keys", "remove", "ANTHROPIC_API_KEY")
    empty = recto.run("keys")
    assert [item.returncode for item in (done, listed, removed, empty)] == [0, 0, 0, 0]
    assert KEY not in done.stdout + listed.stdout + removed.stdout
    assert as_json == [{"name": "ANTHROPIC_API_KEY", "hint": "…cdef"}]
    assert "No keys yet" in empty.stdout


def test_a_wrong_name_or_value_is_one_clear_line(recto: Command) -> None:
    for outcome in (
        recto.run("keys", "set", "lower", typed="x\n"),
        recto.run("keys", "set", "A", typed="\n"),
        recto.run("keys", "remove", "NOBODY"),
    ):
        assert outcome.returncode == 2
        assert len(outcome.stderr.splitlines()) == 1


def test_a_key_cannot_be_given_as_an_argument(recto: Command) -> None:
    outcome = recto.run("keys", "set", "A", KEY)
    assert outcome.returncode == 2
    assert not (recto.home / "keys.env").exists()

import json

from tests.cli.recto import Command


def test_it_says_how_everything_is(recto: Command) -> None:
    outcome = recto.run("doctor")
    assert outcome.returncode == 0, outcome.stdout
    assert "SQLite" in outcome.stdout


def test_a_script_can_read_it(recto: Command) -> None:
    checks = json.loads(recto.run("doctor", "--json").stdout)
    assert {"name": "Keys", "state": "ok", "detail": "None yet"}.items() <= checks[3].items()


def test_a_problem_is_named_with_its_remedy_and_fails(recto: Command) -> None:
    recto.run("keys", "set", "A", typed="abc\n")
    (recto.home / "keys.env").chmod(0o644)
    outcome = recto.run("doctor")
    assert outcome.returncode == 1
    assert "PROBLEM Keys" in outcome.stdout
    assert "chmod 600" in outcome.stdout

import json
from pathlib import Path

import pytest

from recto.access import load_file_list
from recto.llm.builtin.installed import installed_model
from tests.cli.recto import Command


def test_every_model_is_listed_with_what_it_needs(recto: Command) -> None:
    rows = {row["id"]: row for row in json.loads(recto.run("models", "--json").stdout)}
    assert rows["anthropic/claude-sonnet-4-6"]["state"] == "needs ANTHROPIC_API_KEY"
    assert rows["builtin/smollm2-135m"]["price"] == "free"
    assert [row["id"] for row in rows.values() if row["current"]] == ["builtin/smollm2-135m"]
    assert "* builtin/smollm2-135m" in recto.run("models").stdout


def test_a_model_is_chosen_by_its_id(recto: Command) -> None:
    assert recto.run("models", "use", "openai/gpt-6-sol").returncode == 0
    assert json.loads((recto.home / "models.json").read_text(encoding="utf-8"))["default"]
    wrong = recto.run("models", "use", "nobody/nothing")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)


def test_without_a_key_this_computer_is_checked(recto: Command) -> None:
    outcome = recto.run("models", "check")
    assert (outcome.returncode, outcome.stdout.split()) == (0, ["ok", "Built-in", "1", "model"])


def test_a_model_file_is_used_by_its_path_and_another_file_is_refused(
    recto: Command, tmp_path: Path
) -> None:
    weights = installed_model()
    assert weights is not None
    mine = tmp_path / "My model.gguf"
    mine.symlink_to(weights)
    (tmp_path / "notes.gguf").write_text("no model", encoding="utf-8")
    taken = recto.run("models", "get", str(mine))
    wrong = recto.run("models", "get", str(tmp_path / "notes.gguf"))
    rows = {row["id"]: row for row in json.loads(recto.run("models", "--json").stdout)}
    answer = recto.run("ask", "--model", "builtin/my-model", "--max-tokens", "4", "Say hello.")
    assert (taken.returncode, wrong.returncode) == (0, 2)
    assert len(wrong.stderr.splitlines()) == 1
    assert (rows["builtin/my-model"]["price"], rows["builtin/my-model"]["current"]) == (
        "free",
        True,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip()


def test_the_models_to_get_are_listed_with_what_they_take(recto: Command) -> None:
    lines = recto.run("models", "get").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [item.id for item in load_file_list()]
    assert all("Apache-2.0" in line for line in lines)


def test_a_model_of_nobody_is_one_clear_line(recto: Command) -> None:
    outcome = recto.run("models", "get", "nothing-4b")
    assert (outcome.returncode, len(outcome.stderr.splitlines())) == (2, 1)


def test_a_mistake_in_the_models_file_is_one_clear_line(recto: Command) -> None:
    recto.home.mkdir()
    (recto.home / "models.json").write_text('{\n "modles": []\n}', encoding="utf-8")
    outcome = recto.run("models")
    assert outcome.returncode == 2
    assert "line 2" in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


@pytest.mark.parametrize("month", ["2026-13", "november", "26-11"])
def test_a_month_that_is_none_is_refused(recto: Command, month: str) -> None:
    assert recto.run("usage", "--month", month).returncode == 2


def test_the_built_in_model_answers_alone_and_through_a_running_recto(
    recto: Command, tmp_path: Path
) -> None:
    alone = recto.run("ask", "--json", "--max-tokens", "8", "Say hello.")
    assert alone.returncode == 0, alone.stderr
    first = json.loads(alone.stdout)
    assert first["text"]
    assert first["metadata"]["confidence_source"] == "unknown", "it is sure of its babble"
    with recto.serving(tmp_path):
        joined = recto.run("ask", "--max-tokens", "8", "Say hello.")
        running = json.loads(recto.run("usage", "--json").stdout)
    after = json.loads(recto.run("usage", "--json").stdout)
    assert joined.returncode == 0, joined.stderr
    assert joined.stdout.strip()
    assert running == after
    assert after["totals"]["requests"] == 2
    assert {row["name"] for row in after["features"]} == {"ask", "api"}


def test_a_question_to_nobody_is_one_clear_line(recto: Command) -> None:
    outcome = recto.run("ask", "--model", "nobody/x", "Hello?")
    assert outcome.returncode == 2
    assert "There is no model" in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1

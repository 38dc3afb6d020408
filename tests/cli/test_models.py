import json
from pathlib import Path

import pytest

from tests.cli.recto import Command


def test_every_model_is_listed_with_what_it_needs(recto: Command) -> None:
    rows = {row["id"]: row for row in json.loads(recto.run_anew("models", "--json").stdout)}
    assert rows["anthropic/claude-sonnet-4-6"]["state"] == "needs ANTHROPIC_API_KEY"
    assert rows["builtin/smollm2-135m"]["price"] == "free"
    assert [row["id"] for row in rows.values() if row["current"]] == ["builtin/smollm2-135m"]
    assert "* builtin/smollm2-135m" in recto.run("models").stdout


def test_a_model_is_chosen_by_its_id(recto: Command) -> None:
    assert recto.run("models", "use", "openai/gpt-6-sol").returncode == 0
    assert json.loads((recto.home / "models.json").read_text(encoding="utf-8"))["default"]
    wrong = recto.run("models", "use", "nobody/nothing")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)


def test_without_a_key_there_is_nobody_to_check(recto: Command) -> None:
    outcome = recto.run("models", "check")
    assert (outcome.returncode, "No key is set" in outcome.stdout) == (0, True)


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
    alone = recto.run_anew("ask", "--json", "--max-tokens", "8", "Say hello.")
    assert alone.returncode == 0, alone.stderr
    first = json.loads(alone.stdout)
    assert first["text"]
    assert first["metadata"]["confidence_source"] == "logprobs"
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

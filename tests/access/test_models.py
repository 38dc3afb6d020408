from datetime import UTC
from decimal import Decimal
from pathlib import Path

import pytest

from recto.access import (
    BudgetFile,
    KeyElsewhere,
    KeyNotHere,
    Models,
    NoSuchLevel,
    NoSuchModel,
)
from recto.config import ConfigFailure, Home, Secret
from recto.llm import Provider
from recto.messages import Failure
from recto.workspace import Workspace
from tests.fakes import FakeClock

KEY = "ANTHROPIC_API_KEY"
pytestmark = pytest.mark.anyio


def models(home: Path, environment: dict[str, str] | None = None) -> Models:
    return Models(
        Home(home),
        environment or {},
        clock=FakeClock(1_794_700_000_000),
        zone=UTC,
        has_builtin=True,
    )


def source(found: Models) -> str | None:
    return next(
        provider.key_source for provider in found.providers() if provider.provider.key_name == KEY
    )


def test_without_a_key_the_built_in_model_answers(tmp_path: Path) -> None:
    access = models(tmp_path).resolve("chat")
    assert access is not None
    assert access.provider.id == "builtin"


def test_a_key_opens_its_provider_and_closing_it_goes_back(tmp_path: Path) -> None:
    found = models(tmp_path)
    found.set_key(KEY, Secret("sk-1"))
    access = found.resolve("chat")
    assert access is not None
    assert (access.provider.id, source(found)) == ("anthropic", "keys.env")
    found.remove_key(KEY)
    assert source(found) is None


def test_a_key_of_the_environment_is_not_ours_to_remove(tmp_path: Path) -> None:
    found = models(tmp_path, {KEY: "sk-env"})
    assert source(found) == "environment"
    with pytest.raises(KeyElsewhere):
        found.remove_key(KEY)
    with pytest.raises(KeyNotHere):
        found.remove_key("OPENAI_API_KEY")


def test_the_chosen_model_is_kept_and_read_again(tmp_path: Path) -> None:
    found = models(tmp_path, {"OPENAI_API_KEY": "sk"})
    chosen = next(offer.id for offer in found.offers() if offer.provider == "openai")
    found.choose(chosen)
    again = models(tmp_path, {"OPENAI_API_KEY": "sk"})
    access = again.resolve("chat")
    assert access is not None
    assert (again.default, access.id) == (chosen, chosen)
    with pytest.raises(NoSuchModel):
        found.choose("nobody/nothing")


def test_other_limits_are_kept(tmp_path: Path) -> None:
    found = models(tmp_path)
    assert found.limits.month_micros == 20_000_000
    found.set_budget(BudgetFile(monthly_limit_usd=Decimal("1.5"), warn_at=Decimal("0.5")))
    assert models(tmp_path).limits.month_micros == 1_500_000


def test_a_mistake_in_a_file_is_named_and_changes_nothing(tmp_path: Path) -> None:
    found = models(tmp_path)
    (tmp_path / "models.json").write_text('{"defualt": "x"}', encoding="utf-8")
    with pytest.raises(ConfigFailure, match="defualt"):
        found.reload()
    assert found.resolve("chat") is not None


async def test_a_check_finds_the_models_that_are_gone(tmp_path: Path) -> None:
    found = models(tmp_path, {KEY: "sk", "OPENAI_API_KEY": "sk"})
    there = {offer.model for offer in found.offers() if offer.provider == "anthropic"}
    lost = sorted(there)[0]

    async def ask(provider: Provider, key: Secret | None) -> frozenset[str] | Failure:
        assert key == Secret("sk")
        if provider.id == "openai":
            return Failure("auth", "The key is wrong.")
        return frozenset(there - {lost})

    checks = {item.provider.id: item for item in await found.check(ask)}
    assert [item.model for item in checks["anthropic"].gone] == [lost]
    assert checks["openai"].failure == Failure("auth", "The key is wrong.")
    assert set(checks) == {"anthropic", "openai", "builtin"}


@pytest.mark.parametrize(
    ("environment", "kept", "name", "value"),
    [
        ({"GOOGLE_API_KEY": "google"}, None, "GOOGLE_API_KEY", "google"),
        ({"GEMINI_API_KEY": "gemini"}, None, "GEMINI_API_KEY", "gemini"),
        (
            {"GOOGLE_API_KEY": "google", "GEMINI_API_KEY": "gemini"},
            None,
            "GEMINI_API_KEY",
            "gemini",
        ),
        ({"GOOGLE_API_KEY": "google"}, "kept", "GEMINI_API_KEY", "kept"),
    ],
)
def test_googles_key_has_two_names_and_that_of_gemini_wins(
    tmp_path: Path, environment: dict[str, str], kept: str | None, name: str, value: str
) -> None:
    found = models(tmp_path, environment)
    if kept is not None:
        found.set_key("GEMINI_API_KEY", Secret(kept))
    access = found.resolve("google/gemini-3.8-flash")
    google = next(provider for provider in found.providers() if provider.provider.id == "google")
    assert access is not None
    assert (access.key, google.key_name) == (Secret(value), name)
    offer = next(item for item in found.offers() if item.provider == "google")
    assert offer.missing_key is None


async def test_a_key_is_tested_under_each_of_its_names(tmp_path: Path) -> None:
    async def takes(provider: Provider, key: Secret) -> None:
        assert key == Secret("google")

    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        found = models(tmp_path, {name: "google"})
        (check,) = await found.test_key(name, takes)
        assert check.provider.id == "google"


def test_a_level_of_thinking_is_kept_for_a_model_and_taken_back(tmp_path: Path) -> None:
    found = models(tmp_path, {"OPENAI_API_KEY": "sk"})
    order = [offer.id for offer in found.offers()]
    model = next(
        offer for offer in found.offers() if offer.id.startswith("openai/") and offer.levels
    )
    assert (model.thinking, model.usual_thinking) == (None, "medium")
    found.set_thinking(model.id, "high")
    again = models(tmp_path, {"OPENAI_API_KEY": "sk"})
    access = again.resolve(model.id)
    assert access is not None
    assert access.effort == "high"
    assert [offer.id for offer in again.offers()] == order
    again.set_thinking(model.id, None)
    assert [offer for offer in again.offers() if offer.id == model.id] == [model]
    assert (tmp_path / "models.json").read_text(encoding="utf-8") == "{}\n"


def test_a_level_that_a_model_does_not_have_is_refused(tmp_path: Path) -> None:
    found = models(tmp_path)
    with pytest.raises(NoSuchLevel, match="It has none to choose"):
        found.set_thinking("builtin/smollm2-135m", "high")
    with pytest.raises(NoSuchModel):
        found.set_thinking("nobody/nothing", None)


async def test_a_folder_chooses_and_renames_the_users_models(tmp_path: Path) -> None:
    found = models(tmp_path, {KEY: "sk", "OPENAI_API_KEY": "sk"})
    workspace = await folder(
        tmp_path, '{"default": "openai/gpt-5", "models": [{"id": "openai/gpt-5", "name": "Ours"}]}'
    )
    chosen = await found.in_folder(workspace)
    access = found.resolve("chat", chosen)
    assert access is not None
    assert (access.id, access.name) == ("openai/gpt-5", "Ours")
    assert "Ours" in [offer.name for offer in found.offers(chosen)]
    assert "Ours" not in [offer.name for offer in found.offers()]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{\n"providers": {"anthropic": {"url": "https://evil.example"}}}', "line 2"),
        ('{"default": "nobody/nothing"}', "there is no model"),
    ],
)
async def test_a_folder_that_says_more_is_refused(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(ConfigFailure, match=words):
        await models(tmp_path).in_folder(await folder(tmp_path, content))


async def folder(tmp_path: Path, content: str) -> Workspace:
    place = tmp_path / "folder" / ".recto"
    place.mkdir(parents=True)
    (place / "models.json").write_text(content, encoding="utf-8")
    return await Workspace.open(tmp_path / "folder")

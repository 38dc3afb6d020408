from datetime import UTC
from decimal import Decimal
from pathlib import Path

import pytest

from recto.access import BudgetFile, KeyElsewhere, KeyNotHere, Models, NoSuchModel
from recto.config import ConfigFailure, Home, Secret
from recto.llm import Provider
from recto.messages import Failure
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
    return next(one.key_source for one in found.providers() if one.provider.key_name == KEY)


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
    chosen = next(one.id for one in found.offers() if one.provider == "openai")
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
    there = {one.model for one in found.offers() if one.provider == "anthropic"}
    lost = sorted(there)[0]

    async def ask(provider: Provider, key: Secret | None) -> frozenset[str] | Failure:
        assert key == Secret("sk")
        if provider.id == "openai":
            return Failure("auth", "The key is wrong.")
        return frozenset(there - {lost})

    checks = {one.provider.id: one for one in await found.check(ask)}
    assert [one.model for one in checks["anthropic"].gone] == [lost]
    assert checks["openai"].failure == Failure("auth", "The key is wrong.")
    assert set(checks) == {"anthropic", "openai"}

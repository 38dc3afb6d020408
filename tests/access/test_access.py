from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from recto.access import (
    BUILTIN,
    FREE,
    Access,
    Credentials,
    ModelEntry,
    ModelsFile,
    PriceEntry,
    ProviderEntry,
    Resolver,
    WorkspaceModels,
    load_catalogue,
    load_prices,
)
from recto.access.access import is_loopback
from recto.access.models_file import ProtocolId, RenamedModel
from recto.access.prices import price_of
from recto.config import Secret
from recto.llm import PROVIDERS, KeyHeader
from recto.messages import Origin

TODAY = date(2026, 11, 15)
CATALOGUE, PRICES = load_catalogue(), load_prices()
ALL_KEYS = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY")


def resolver(*keys: str, models: ModelsFile | None = None, has_builtin: bool = True) -> Resolver:
    credentials = Credentials({key: f"value of {key}" for key in keys}, {})
    return Resolver(CATALOGUE, PRICES, models or ModelsFile(), credentials, has_builtin=has_builtin)


def found(resolver: Resolver, wanted: str, today: date = TODAY) -> str | None:
    access = resolver.resolve(wanted, today=today)
    return access.id if access else None


def entry(id: str = "mine", provider: str = "ollama", model: str = "qwen3") -> ModelEntry:
    return ModelEntry(id=id, name=id.title(), provider=provider, model=model)


def served(
    url: str | None = None, *, key: str | None = None, protocol: ProtocolId | None = None
) -> ProviderEntry:
    return ProviderEntry(url=url, api_key_env=key, protocol=protocol)


def offered(provider: str, model: str, change: ProviderEntry | None = None) -> Access:
    """The access to a model of a provider, with every key set."""
    providers = {provider: change} if change else {}
    models = ModelsFile(models=[entry("mine", provider, model)], providers=providers)
    access = resolver(*ALL_KEYS, "WORK_KEY", models=models).resolve("mine", today=TODAY)
    assert access is not None
    return access


@pytest.mark.parametrize(
    ("wanted", "keys", "id"),
    [
        ("ghost", ALL_KEYS, "anthropic/claude-haiku-5-5"),
        ("ghost", ALL_KEYS[1:], "google/gemini-3.5-flash-lite"),
        ("ghost", ALL_KEYS[2:], "openai/gpt-5.4-nano"),
        ("ghost", (), "builtin/smollm2-135m"),
        ("cheapest", ALL_KEYS, "google/gemini-3.5-flash-lite"),
        ("cheapest", ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"), "anthropic/claude-haiku-5-5"),
        ("cheapest", ("OPENAI_API_KEY",), "openai/gpt-5.4-nano"),
        ("cheapest", (), "builtin/smollm2-135m"),
        ("chat", ALL_KEYS, "anthropic/claude-sonnet-5-5"),
        ("chat", ("GEMINI_API_KEY",), "google/gemini-3.8-flash"),
        ("chat", (), "builtin/smollm2-135m"),
    ],
)
def test_a_strategy_takes_the_first_model_whose_key_is_set(
    wanted: str, keys: tuple[str, ...], id: str
) -> None:
    assert found(resolver(*keys), wanted) == id


def test_without_a_key_and_without_the_built_in_model_there_is_nobody() -> None:
    assert found(resolver(has_builtin=False), "chat") is None


def test_a_retired_model_of_a_strategy_gives_way_to_its_successor() -> None:
    assert found(resolver("OPENAI_API_KEY"), "ghost", date(2027, 4, 1)) == "openai/gpt-6-luna"


def test_the_users_default_comes_first_in_chats_only() -> None:
    models = ModelsFile(default="mine", models=[entry()])
    mine = resolver(*ALL_KEYS, models=models)

    assert found(mine, "chat") == "mine"
    assert found(mine, "ghost") == "anthropic/claude-haiku-5-5"


def test_a_default_that_can_not_be_called_is_passed_over() -> None:
    models = ModelsFile(default="openai/gpt-6.1-sol")
    assert found(resolver("GEMINI_API_KEY", models=models), "chat") == "google/gemini-3.8-flash"


def test_a_workspace_chooses_and_renames() -> None:
    models = ModelsFile(models=[entry("a"), entry("b")], default="a")
    workspace = WorkspaceModels(default="b", models=[RenamedModel(id="b", name="Ours")])
    access = resolver(models=models).resolve("chat", today=TODAY, workspace=workspace)

    assert access is not None
    assert (access.id, access.name) == ("b", "Ours")


@pytest.mark.parametrize("id", ["anthropic/claude-opus-5-5", "nobody/model", "mine", "", "a/"])
def test_an_id_without_key_or_provider_resolves_to_nothing(id: str) -> None:
    assert found(resolver(), id) is None


def test_any_string_is_a_model_of_a_known_provider() -> None:
    access = resolver(*ALL_KEYS).resolve("anthropic/claude-next-1", today=TODAY)

    assert access is not None
    assert (access.model, access.name, access.price) == ("claude-next-1", "claude-next-1", None)


def test_an_access_has_everything_that_a_call_needs() -> None:
    access = resolver("ANTHROPIC_API_KEY").resolve("anthropic/claude-haiku-5-5", today=TODAY)
    family = CATALOGUE.family("anthropic", "claude-haiku-5-5")

    assert access is not None
    assert access == Access(
        id="anthropic/claude-haiku-5-5",
        name="Claude Haiku 5.5",
        model="claude-haiku-5-5",
        provider=PROVIDERS["anthropic"],
        key=Secret("value of ANTHROPIC_API_KEY"),
        origin=Origin("anthropic-messages", access.origin.account, "claude-haiku-5-5"),
        traits=family.traits,
        effort="off",
        window=1_000_000,
        max_output=64_000,
        price=PRICES.find("anthropic", "claude-haiku-5-5", TODAY),
    )
    assert "value of" not in repr(access)


def test_an_entry_says_how_hard_to_think_how_much_fits_and_what_it_costs() -> None:
    own = ModelEntry(
        id="mine",
        name="Mine",
        provider="anthropic",
        model="claude-sonnet-5-5",
        thinking="none",
        context_window=50_000,
        max_output=80_000,
        price=PriceEntry(input=Decimal(1), output=Decimal(2)),
    )
    access = resolver(*ALL_KEYS, models=ModelsFile(models=[own])).resolve("mine", today=TODAY)

    assert access is not None
    assert (access.effort, access.window, access.max_output) == ("off", 50_000, 50_000)
    assert access.price == price_of(input=Decimal(1), output=Decimal(2), source="models.json")


@pytest.mark.parametrize(
    ("provider", "change"),
    [
        ("builtin", None),
        ("ollama", None),
        ("vllm", served("http://[::1]:9000", key="WORK_KEY")),
        ("own", served("http://localhost:8080/v1", protocol="openai-chat")),
    ],
)
def test_what_runs_on_this_machine_is_free(provider: str, change: ProviderEntry | None) -> None:
    assert offered(provider, "llama", change).price == FREE


@pytest.mark.parametrize(
    ("provider", "change"),
    [
        ("ollama", served("http://10.0.0.7:11434")),
        ("own", served("https://models.example.com", protocol="openai-chat")),
        ("own", served("http://localhost:4000", protocol="openai-chat", key="WORK_KEY")),
        ("own", served("http://localhost.evil.example", protocol="openai-chat")),
    ],
)
def test_what_may_cost_something_is_never_taken_for_free(
    provider: str, change: ProviderEntry
) -> None:
    assert offered(provider, "llama", change).price is None


def test_a_known_provider_behind_a_local_proxy_keeps_its_price() -> None:
    proxied = offered("anthropic", "claude-opus-5", served("http://127.0.0.1:9"))

    assert proxied.provider.url == "http://127.0.0.1:9"
    assert proxied.price == PRICES.find("anthropic", "claude-opus-5", TODAY)


def test_another_protocol_brings_its_own_way_to_send_the_key() -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/openai"
    provider = offered("google", "gemini-3.8-flash", served(url, protocol="openai-chat")).provider

    assert provider == replace(
        PROVIDERS["google"], url=url, protocol="openai-chat", key_header=KeyHeader()
    )


def test_two_keys_are_two_accounts() -> None:
    def account(value: str) -> str:
        credentials = Credentials({"OPENAI_API_KEY": value}, {})
        found = Resolver(CATALOGUE, PRICES, ModelsFile(), credentials, has_builtin=False)
        access = found.resolve("openai/gpt-6-luna", today=TODAY)
        assert access is not None
        return access.origin.account

    assert account("one") == account("one") != account("two")


def test_the_list_says_which_key_is_missing() -> None:
    models = ModelsFile(models=[entry("mine", "anthropic", "claude-opus-5")])
    offers = {offer.id: offer for offer in resolver("GEMINI_API_KEY", models=models).offers(TODAY)}

    assert next(iter(offers)) == "mine"
    assert offers["mine"].missing_key == "ANTHROPIC_API_KEY"
    assert offers["google/gemini-3.8-flash"].missing_key is None
    assert offers["builtin/smollm2-135m"].provider == BUILTIN.id
    assert len(offers) == len(CATALOGUE.models) + 1


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9", True),
        ("http://[::1]/v1", True),
        ("http://localhost", True),
        ("http://x.localhost", True),
        ("http://0.0.0.0", False),
        ("http://192.168.0.1", False),
        ("https://127.0.0.1.example.com", False),
        ("", False),
    ],
)
def test_only_loopback_addresses_are_this_machine(url: str, is_local: bool) -> None:
    assert is_loopback(url) == is_local

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.access import (
    ModelEntry,
    ModelsFile,
    PriceEntry,
    ProviderEntry,
    WorkspaceModels,
    load_models,
    read_workspace_models,
    save_models,
)
from recto.access.json_file import line_of, parse_json
from recto.access.models_file import RenamedModel
from recto.config import ConfigFailure, Home

PROVIDERS = ("anthropic", "ollama")
HOME_FILE = Path("/home/ann/models.json")

WHOLE = """{
  "default": "quick",
  "models": [
    {
      "id": "quick",
      "name": "Quick one",
      "provider": "work",
      "model": "llama-4",
      "thinking": "none",
      "contextWindow": 64000,
      "maxOutput": 4000,
      "price": {"input": 0.1, "output": 2, "cacheRead": 0.01}
    }
  ],
  "providers": {
    "work": {
      "url": "https://models.example.com/v1/",
      "apiKeyEnv": "WORK_KEY",
      "protocol": "openai-chat"
    }
  }
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def load(home: Home, text: str) -> ModelsFile:
    (home.folder / "models.json").write_text(text, encoding="utf-8")
    return load_models(home, known_providers=PROVIDERS)


def failure(home: Home, text: str) -> str:
    with pytest.raises(ConfigFailure) as caught:
        load(home, text)
    return str(caught.value).replace(str(home.folder), "~")


def test_a_missing_file_is_an_empty_one(home: Home) -> None:
    assert load_models(home, known_providers=PROVIDERS) == ModelsFile()


def test_everything_that_can_be_said_is_read(home: Home) -> None:
    price = PriceEntry(input=Decimal("0.1"), output=Decimal(2), cache_read=Decimal("0.01"))
    assert load(home, WHOLE) == ModelsFile(
        default="quick",
        models=[
            ModelEntry(
                id="quick",
                name="Quick one",
                provider="work",
                model="llama-4",
                thinking="none",
                context_window=64000,
                max_output=4000,
                price=price,
            )
        ],
        providers={
            "work": ProviderEntry(
                url="https://models.example.com/v1",
                api_key_env="WORK_KEY",
                protocol="openai-chat",
            )
        },
    )


def test_what_was_saved_is_read_again(home: Home) -> None:
    before = load(home, WHOLE)
    save_models(home, before, known_providers=PROVIDERS)

    assert load_models(home, known_providers=PROVIDERS) == before
    assert json.loads((home.folder / "models.json").read_text(encoding="utf-8")) == {
        **json.loads(WHOLE),
        "providers": {
            "work": {
                "url": "https://models.example.com/v1",
                "apiKeyEnv": "WORK_KEY",
                "protocol": "openai-chat",
            }
        },
    }


def test_what_could_not_be_read_again_is_not_saved(home: Home) -> None:
    entry = ModelEntry(id="a", name="A", provider="nobody", model="m")
    with pytest.raises(ConfigFailure, match="there is no provider 'nobody'"):
        save_models(home, ModelsFile(models=[entry]), known_providers=PROVIDERS)

    assert not (home.folder / "models.json").exists()


def test_an_unknown_field_is_named_with_its_line_and_what_is_allowed(home: Home) -> None:
    text = WHOLE.replace('"model": "llama-4"', '"modle": "llama-4"')
    assert failure(home, text) == (
        "~/models.json, line 4: models.0.model is missing; "
        "line 8: models.0.modle is not known. Allowed here: "
        "contextWindow, id, maxOutput, model, name, path, price, provider, thinking. Fix the file."
    )


def test_a_value_of_the_wrong_kind_is_named_and_not_repeated(home: Home) -> None:
    text = WHOLE.replace('"WORK_KEY"', '"sk-canary-123"')
    said = failure(home, text)

    assert said.startswith(
        "~/models.json, line 18: providers.work.apiKeyEnv does not have the right form"
    )
    assert "canary" not in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"none"', '"off"', "line 9: models.0.thinking must be 'none', 'minimal', 'low'"),
        ("64000", "-1", "line 10: models.0.contextWindow must be at least 1"),
        ("64000", '"many"', "line 10: models.0.contextWindow must be a whole number"),
        ("0.1,", "-0.1,", "line 12: models.0.price.input must be at least 0"),
        ('"openai-chat"', '"soap"', "line 19: providers.work.protocol must be 'anthropic-mess"),
        ("https://models", "ftp://models", "line 17: providers.work.url: The address must begin"),
        ("https://models", "https://u:p@models", "line 17: providers.work.url: The address holds"),
        ("/v1/", "/v1?key=1", "line 17: providers.work.url: The address holds"),
        ('"Quick one"', '" "', "line 6: models.0.name: This must be text on one line"),
    ],
)
def test_each_mistake_is_found_at_its_line(home: Home, old: str, new: str, said: str) -> None:
    assert said in failure(home, WHOLE.replace(old, new))


def test_broken_json_is_named_with_its_line(home: Home) -> None:
    assert failure(home, '{\n  "default": \n}') == (
        "~/models.json, line 3: this is not JSON: Expecting value. Fix that line."
    )


def test_a_name_that_stands_twice_is_a_mistake(home: Home) -> None:
    assert "'default' stands twice" in failure(home, '{"default": "a", "default": "b"}')


def test_two_models_of_one_id_are_a_mistake(home: Home) -> None:
    row = '{"id": "a", "name": "A", "provider": "ollama", "model": "m"}'
    assert failure(home, '{"models": [\n' + row + ",\n" + row + "\n]}") == (
        "~/models.json, line 3: the id 'a' is taken by a model above. Give it another id."
    )


def test_a_new_provider_needs_an_address_and_a_protocol(home: Home) -> None:
    said = failure(home, '{"providers": {\n"work": {"url": "http://localhost:1"}}}')
    assert said.startswith("~/models.json, line 2: the provider 'work' needs a url and a protocol.")


def test_a_known_provider_may_change_only_its_address(home: Home) -> None:
    found = load(home, '{"providers": {"ollama": {"url": "http://10.0.0.7:11434"}}}')
    assert found.providers == {"ollama": ProviderEntry(url="http://10.0.0.7:11434")}


def test_a_workspace_may_choose_and_rename() -> None:
    text = '{"default": "quick", "models": [{"id": "quick", "name": "Ours"}]}'
    assert read_workspace_models(text, known=["quick"], home_file=HOME_FILE) == WorkspaceModels(
        default="quick", models=[RenamedModel(id="quick", name="Ours")]
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"providers": {"anthropic": {"url": "https://evil.example"}}}',
        '{"models": [{"id": "quick", "url": "https://evil.example"}]}',
        '{"models": [{"id": "quick", "apiKeyEnv": "ANTHROPIC_API_KEY"}]}',
        '{"models": [{"id": "quick", "provider": "evil"}]}',
        '{"models": [{"id": "quick", "price": {"input": 0, "output": 0}}]}',
    ],
)
def test_a_workspace_that_names_an_address_a_key_or_a_price_is_refused(text: str) -> None:
    with pytest.raises(ConfigFailure) as caught:
        read_workspace_models(text, known=["quick"], home_file=HOME_FILE)

    assert caught.value.message.startswith(".recto/models.json, line 1:")
    assert caught.value.remedy == (
        "A workspace may only choose models by id and rename them; "
        "addresses, keys and prices belong in /home/ann/models.json."
    )


def test_a_workspace_can_only_choose_what_the_user_has() -> None:
    text = '{\n"models": [\n{"id": "quick"},\n{"id": "other"}\n]}'
    with pytest.raises(ConfigFailure, match="line 4: there is no model 'other'"):
        read_workspace_models(text, known=["quick"], home_file=HOME_FILE)


@given(st.text())
def test_whatever_a_workspace_file_holds_it_is_read_or_refused(text: str) -> None:
    try:
        read_workspace_models(text, known=[], home_file=HOME_FILE)
    except ConfigFailure:
        return


def test_deeply_nested_json_is_refused() -> None:
    with pytest.raises(ConfigFailure, match="nested too deeply"):
        parse_json("[" * 100_000, "models.json", ModelsFile)


names = st.text(min_size=1, max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(names, values, min_size=1), st.data())
def test_the_line_of_anything_in_a_file_is_found(
    content: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(content, indent=1)
    name = data.draw(st.sampled_from(sorted(content)))
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if _opens(line, name)]

    assert line_of((name,), text) == lines[0]


def _opens(line: str, name: str) -> bool:
    """Only names of the outermost object stand one space from the edge."""
    return line.startswith(f" {json.dumps(name)}: ")

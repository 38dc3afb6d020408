"""The clients: how each is started, and which of its own tools a model has to call."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients.upstreams import Seen, Work
from tests.fakes.providers.scripts import Step, calls, says

READ = "tides.txt"
HELD = "High water is at noon."
CHANGED = "High water is at eleven."
ASKED = f"Read {READ}, then change noon to eleven in it."
DONE = "It is changed."


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client runs: its folder, a home of its own, and the way to the gateway."""

    folder: Path
    home: Path
    gateway: str
    key: str
    model: str


@dataclass(frozen=True, slots=True)
class Client:
    """One client."""

    name: str
    protocol: str
    """What it speaks."""
    command: Callable[[Path, Place], list[str]]
    """Its command line; the first argument is where the clients are installed."""
    environment: Callable[[Place], Mapping[str, str]]
    work: Callable[[Place], Work]
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """What it calls the model over a protocol; the protocol's own name unless said."""


def in_steps(tool: str, *steps: Step) -> Work:
    """Call one tool after another; asked for something else (a title), say some words."""

    def work(seen: Seen) -> tuple[Step, ...]:
        if tool not in seen.tools:
            return (says("Tides"),)
        done = len(seen.results)
        return (steps[done],) if done < len(steps) else (says(DONE),)

    return work


def claude_environment(place: Place) -> dict[str, str]:
    """An address and a key; and nothing is told to anybody."""
    return {
        "ANTHROPIC_BASE_URL": place.gateway,
        "ANTHROPIC_API_KEY": place.key,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


def claude_work(place: Place) -> Work:
    """Its tools take absolute paths."""
    path = str(place.folder / READ)
    return in_steps(
        "Edit",
        calls("Read", {"file_path": path}),
        calls("Edit", {"file_path": path, "old_string": "noon", "new_string": "eleven"}),
    )


CLAUDE_CODE = Client(
    "Claude Code",
    "anthropic-messages",
    lambda where, place: [
        str(where / "node_modules/.bin/claude"),
        *("--print", "--model", place.model, "--permission-mode", "acceptEdits"),
        ASKED,
    ],
    claude_environment,
    claude_work,
)


def codex_environment(place: Place) -> dict[str, str]:
    """Its settings are a file; the key is in a variable that the file names."""
    home = place.home / ".codex"
    home.mkdir()
    settings = f"""\
model = "{place.model}"
model_provider = "gateway"
check_for_update_on_startup = false

[model_providers.gateway]
name = "gateway"
base_url = "{place.gateway}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"

[analytics]
enabled = false

[features]
plugins = false
remote_plugin = false
apps = false
"""
    (home / "config.toml").write_text(settings, encoding="utf-8")
    return {"CODEX_HOME": str(home), "GATEWAY_KEY": place.key}


def codex_work(_: Place) -> Work:
    """What it offers depends on which model it takes this for."""
    read, patch = f"cat {READ}", f"*** Begin Patch\n*** Update File: {READ}\n@@\n-{HELD}\n"
    patch += f"+{CHANGED}\n*** End Patch\n"
    shown = f"text(await tools.exec_command({json.dumps({'cmd': read})}))"
    patched = f"text(await tools.apply_patch({json.dumps(patch)}))"
    ways = (
        in_steps(
            "functions__exec",
            calls("functions__exec", {"input": shown}),
            calls("functions__exec", {"input": patched}),
        ),
        in_steps(
            "apply_patch",
            calls("exec_command", {"cmd": read}),
            calls("apply_patch", {"input": patch}),
        ),
        in_steps(
            "exec_command",
            calls("exec_command", {"cmd": read}),
            calls("exec_command", {"cmd": f"sed -i s/noon/eleven/ {READ}"}),
        ),
    )
    offered = ("functions__exec", "apply_patch")

    def work(seen: Seen) -> tuple[Step, ...]:
        at = next((at for at, name in enumerate(offered) if name in seen.tools), len(offered))
        return ways[at](seen)

    return work


def codex(name: str, names: Mapping[str, str]) -> Client:
    """Codex, which offers other tools to models whose names it knows."""
    return Client(
        name,
        "openai-responses",
        lambda where, _: [
            str(where / "node_modules/.bin/codex"),
            *("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"),
            ASKED,
        ],
        codex_environment,
        codex_work,
        names,
    )


CODEX = codex("Codex", {})
CODEX_FREE_FORM = codex(
    "Codex, names it knows",
    {"anthropic-messages": "gpt-5.5", "openai-chat": "gpt-5.6-sol", "gemini": "gpt-6.1-sol"},
)


def opencode_environment(place: Place) -> dict[str, str]:
    """Its settings are a file."""
    folder = place.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    options = {"baseURL": f"{place.gateway}/v1", "apiKey": place.key}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "gateway",
        "options": options,
        "models": {place.model: {"name": place.model}},
    }
    settings = {
        "$schema": "https://opencode.ai/config.json",
        "provider": {"gateway": provider},
        "model": f"gateway/{place.model}",
        "small_model": f"gateway/{place.model}",
        "autoupdate": False,
        "share": "disabled",
    }
    (folder / "opencode.json").write_text(json.dumps(settings), encoding="utf-8")
    return {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        # It would fetch the package for plugins, whether there are any or not.
        "NPM_CONFIG_REGISTRY": "http://127.0.0.1:1",
    }


def opencode_work(place: Place) -> Work:
    """Its tools take absolute paths."""
    path = str(place.folder / READ)
    return in_steps(
        "edit",
        calls("read", {"filePath": path}),
        calls("edit", {"filePath": path, "oldString": "noon", "newString": "eleven"}),
    )


OPENCODE = Client(
    "OpenCode",
    "openai-chat",
    lambda where, _: [str(where / "node_modules/.bin/opencode"), "run", ASKED],
    opencode_environment,
    opencode_work,
)


def aider_environment(place: Place) -> dict[str, str]:
    """An address and a key, as for OpenAI itself."""
    prices = place.home / ".aider" / "caches" / "model_prices_and_context_window.json"
    prices.parent.mkdir(parents=True)
    # Else it fetches a list of prices; an empty one would not do.
    prices.write_text('{"no-model": {}}', encoding="utf-8")
    return {
        "OPENAI_API_BASE": f"{place.gateway}/v1",
        "OPENAI_API_KEY": place.key,
        "AIDER_ANALYTICS_DISABLE": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def aider_work(_: Place) -> Work:
    """It has no tools: it shows a file that the model names, and takes edits out of the words."""
    edit = f"{READ}\n```\n<<<<<<< SEARCH\n{HELD}\n=======\n{CHANGED}\n>>>>>>> REPLACE\n```\n"

    def work(seen: Seen) -> tuple[Step, ...]:
        return (says(edit) if HELD in seen.text else says(f"I need to see {READ}."),)

    return work


AIDER = Client(
    "aider",
    "openai-chat",
    lambda where, place: [
        str(where / "aider/bin/aider"),
        *("--model", f"openai/{place.model}", "--edit-format", "diff", "--yes-always"),
        *("--no-gitignore", "--no-auto-commits", "--no-dirty-commits", "--no-check-update"),
        *("--no-show-model-warnings", "--no-analytics"),
        *("--no-show-release-notes", "--message", ASKED),
    ],
    aider_environment,
    aider_work,
)

CLIENTS = (CLAUDE_CODE, CODEX, CODEX_FREE_FORM, OPENCODE, AIDER)

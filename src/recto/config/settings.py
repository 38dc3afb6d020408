"""The settings file: TOML, typed, every mistake named with its line and what is allowed."""

import re
import tomllib
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from recto.config.failures import ConfigFailure
from recto.config.validation import words_for

DEFAULT_PORT = 7457
GATEWAY_PORT = 7458
# Ollama, LM Studio, vLLM, llama.cpp.
USUAL_SERVERS = (
    "http://127.0.0.1:11434",
    "http://127.0.0.1:1234",
    "http://127.0.0.1:8000",
    "http://127.0.0.1:8080",
)
WEB_ADDRESS = r"^https?://\S+$"
FOLDER = r"^[^/\\\x00-\x1f\x7f][^\\\x00-\x1f\x7f]*$|^$"
LOOPBACK = r"^http://(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$"


class SettingsTable(BaseModel):
    """A table of the file; unknown names are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ServerSettings(SettingsTable):
    """Where the server listens."""

    host: str = "127.0.0.1"
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65535)


class StorageSettings(SettingsTable):
    """Where records are kept; empty means SQLite in the Recto home."""

    url: str = Field(default="", pattern=r"^(|postgres(ql)?://.+)$")
    request_days: int = Field(default=365, ge=1, le=36_500)
    """For how many days the exact requests and answers of turns are kept. What was said stays."""
    save_days: int = Field(default=90, ge=1, le=36_500)
    """For how many days the versions of files that people saved themselves are kept."""


class ChatSettings(SettingsTable):
    """How far a turn may go by itself, and what happens when a chat fills its window."""

    steps: int = Field(default=50, ge=1, le=1000)
    minutes: float = Field(default=60, gt=0, le=24 * 60)
    summarise: Literal["offer", "automatic"] = "offer"
    summarise_results: bool = False
    """Whether a model summarises what tools answer that is too long to be sent whole."""
    review: Literal["ask", "direct"] = "ask"
    """Whether edits of AI wait for a review, or hold at once."""
    ask_after_reading: bool = True
    """Whether commands, and what reaches out, ask again once the AI has read text of others."""
    commit_accepted: bool = False
    """Whether git keeps a commit of each run whose edits are all accepted."""


class OwnTransform(SettingsTable):
    """A quick transform of the user's own: what it is called, and what is asked."""

    title: str = Field(min_length=1, max_length=60)
    prompt: str = Field(min_length=1, max_length=2000)


class EditorSettings(SettingsTable):
    """How the AI helps while somebody writes, and what the selection toolbar offers besides."""

    suggest: Literal["asked", "pause", "off"] = "asked"
    """When text is suggested at the cursor: when asked for, after a pause in typing too, never."""
    suggest_pause_ms: int = Field(default=600, ge=100, le=60_000)
    suggest_hide_seconds: int = Field(default=3, ge=0, le=3600)
    """After how long an unused suggestion goes; 0 means never."""
    suggest_model: str = Field(default="", max_length=400)
    """Which model suggests; empty leaves it to Recto."""
    transforms: list[OwnTransform] = Field(default_factory=list[OwnTransform], max_length=20)
    attachments_folder: str = Field(default="attachments", max_length=200, pattern=FOLDER)
    """Where pictures go that are pasted or dropped; "./" and more is beside the note."""
    templates_folder: str = Field(default="templates", max_length=200, pattern=FOLDER)
    daily_folder: str = Field(default="daily", max_length=200, pattern=FOLDER)
    """Where the notes of days are, each called by its date."""
    daily_template: str = Field(default="", max_length=200, pattern=FOLDER)
    """Which template they begin with; empty: with their date."""


class ModelSettings(SettingsTable):
    """Where models are looked for besides providers."""

    servers: list[Annotated[str, Field(pattern=LOOPBACK)]] = Field(
        default_factory=lambda: list(USUAL_SERVERS), max_length=20
    )
    """Where on this computer a running server is looked for; none looks nowhere."""
    file_list: str = ""
    """A list of model files to fetch, in place of Recto's own."""


class OpenIdSettings(SettingsTable):
    """Another service that signs people in to the gateway (OpenID Connect)."""

    issuer: str = Field(default="", pattern=r"^(|https?://[^\s?#]+)$")
    """Its address, as it names itself; empty means none."""
    client_id: str = Field(default="", max_length=500)
    client_secret: str = Field(default="", max_length=200)
    """The name in keys.env under which the secret for it stands, if it wants one."""
    domains: list[str] = Field(default_factory=list[str], max_length=100)
    """Whoever has a verified address of one of these gets an account at their first sign-in."""
    subjects: list[str] = Field(default_factory=list[str], max_length=10_000)
    """Who else gets one, by the name that the service has for them."""


class SearchSettings(SettingsTable):
    """Who searches for the gateway's people, and what it costs them."""

    web: Literal["exa", "brave"] = "exa"
    openalex_url: str = Field(default="https://api.openalex.org", pattern=WEB_ADDRESS)
    exa_url: str = Field(default="https://api.exa.ai", pattern=WEB_ADDRESS)
    brave_url: str = Field(default="https://api.search.brave.com", pattern=WEB_ADDRESS)
    openalex_usd: float = Field(default=0.001, ge=0, le=10)
    """What a search for papers costs; looking up a DOI costs nothing."""
    web_usd: float = Field(default=0.007, ge=0, le=10)
    fetch_usd: float = Field(default=0, ge=0, le=10)


class ResearchSettings(SettingsTable):
    """Where papers, records and pages are looked for."""

    openalex_url: str = Field(default="https://api.openalex.org", pattern=WEB_ADDRESS)
    exa_url: str = Field(default="https://api.exa.ai", pattern=WEB_ADDRESS)
    crossref_url: str = Field(default="https://api.crossref.org", pattern=WEB_ADDRESS)
    datacite_url: str = Field(default="https://api.datacite.org", pattern=WEB_ADDRESS)
    arxiv_url: str = Field(default="https://export.arxiv.org", pattern=WEB_ADDRESS)
    pubmed_url: str = Field(default="https://eutils.ncbi.nlm.nih.gov", pattern=WEB_ADDRESS)
    openlibrary_url: str = Field(default="https://openlibrary.org", pattern=WEB_ADDRESS)
    zotero_url: str = Field(default="http://127.0.0.1:23119", pattern=WEB_ADDRESS)
    """Zotero's local API, on this computer."""
    mailto: str = Field(default="", max_length=200)
    """Where CrossRef may write to you; it answers sooner to whoever says."""


class NotebookSettings(SettingsTable):
    """Kernels of notebooks."""

    idle_minutes: float = Field(default=0, ge=0, le=60 * 24 * 30)
    """After how long without a run a kernel ends; 0 means never. One that is kept stays."""
    tcp_kernels: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default_factory=list[str], max_length=50
    )
    """Kernels that know no private sockets and are reached by ports of this computer."""


class ReferenceSettings(SettingsTable):
    """The library of references."""

    read_only: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default_factory=lambda: ["*zotero*"], max_length=50
    )
    """Names of files, with * for anything, that another program writes: nothing here does."""


class GatewaySettings(SettingsTable):
    """Where the gateway listens, and how long it waits."""

    host: str = "127.0.0.1"
    port: int = Field(default=GATEWAY_PORT, ge=0, le=65535)
    url: str = Field(default="", pattern=r"^(|https?://[^/\s]+)$")
    """The address that people know, when another server stands in front."""
    queue_seconds: float = Field(default=30, ge=0, le=600)
    """How long a call may wait for a place when its account or key has as many as it may."""
    drain_seconds: int = Field(default=120, ge=0, le=3600)
    """How long streams may go on when the gateway is told to stop."""
    markup_percent: Annotated[Decimal, Field(strict=False, ge=0, le=1000, decimal_places=2)] = (
        Decimal(0)
    )
    """What people are charged on top of what providers charge."""
    metrics_key: str = Field(default="", max_length=64)
    """The name in keys.env of the token that /metrics wants; empty: there are no metrics."""
    openid: OpenIdSettings = OpenIdSettings()
    search: SearchSettings = SearchSettings()


class LogSettings(SettingsTable):
    """How much the log says."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Settings(SettingsTable):
    """All settings, with their defaults."""

    server: ServerSettings = ServerSettings()
    storage: StorageSettings = StorageSettings()
    chats: ChatSettings = ChatSettings()
    editor: EditorSettings = EditorSettings()
    models: ModelSettings = ModelSettings()
    gateway: GatewaySettings = GatewaySettings()
    research: ResearchSettings = ResearchSettings()
    references: ReferenceSettings = ReferenceSettings()
    notebooks: NotebookSettings = NotebookSettings()
    logs: LogSettings = LogSettings()


def load_settings(file: Path) -> Settings:
    """Read the settings; a missing file means the defaults."""
    text = read_text(file)
    return Settings() if text is None else read_settings(text, file)


def read_text(file: Path) -> str | None:
    """The file with its line ends as they are; None when there is none."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigFailure(f"{file} can't be read: {error}.", "Fix or remove it.") from error


def read_settings(text: str, file: Path) -> Settings:
    """The settings that a text says. Raises ConfigFailure."""
    try:
        return Settings.model_validate(tomllib.loads(text))
    except ValidationError as error:
        problems = "; ".join(describe(detail, text) for detail in error.errors())
        raise ConfigFailure(f"{file}, {problems}.", "Fix the file.") from error
    except (ValueError, RecursionError) as error:
        raise ConfigFailure(f"{file}: {error}.", "Fix that line.") from error


def describe(detail: ErrorDetails, text: str) -> str:
    """One mistake in words: line, name, what is wrong, what is allowed."""
    names = [str(part) for part in detail["loc"]]
    place = f"line {line_of(names, text)}: {'.'.join(names)}"
    if detail["type"] == "extra_forbidden":
        return f"{place} is not a setting. Allowed here: {', '.join(allowed_names(names[:-1]))}"
    if names == ["storage", "url"]:
        return f"{place} must be empty or start with postgresql://"
    return f"{place} {words_for(detail)}, not {detail['input']!r}"


def allowed_names(section: list[str]) -> list[str]:
    """The settings a table knows."""
    model: type[BaseModel] = Settings
    for name in section:
        if name.isdigit():
            continue  # which one of a list of tables
        annotation = model.model_fields[name].annotation
        found = next(iter(get_args(annotation)), annotation)
        if not isinstance(found, type) or not issubclass(found, BaseModel):
            return []
        model = found
    return sorted(model.model_fields)


def line_of(names: list[str], text: str) -> int:
    """The line that sets this name (or opens its table): TOML's parser keeps no positions."""
    table: list[str] = []
    lists: Counter[str] = Counter()
    found = 1
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]", line):
            table = [part.strip().strip("\"'") for part in header[2].split(".")]
            if header[1] == "[[":
                name = ".".join(table)
                table.append(str(lists[name]))
                lists[name] += 1
            if table == names[: len(table)]:
                found = number
        elif key := re.match(r"\s*([^=#]+?)\s*=", line):
            path = table + [part.strip().strip("\"'") for part in key[1].split(".")]
            if path == names[: len(path)]:
                return number
    return found

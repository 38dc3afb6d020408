"""The Recto home: the folder with the database, the keys, the settings and the logs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from recto.config.failures import ConfigFailure
from recto.durable import replace_file


@dataclass(frozen=True, slots=True)
class Home:
    """The folder and what lies in it."""

    folder: Path

    @property
    def settings_file(self) -> Path:
        """The settings, written by people."""
        return self.folder / "settings.toml"

    @property
    def keys_file(self) -> Path:
        """The providers' keys, readable by the user alone."""
        return self.folder / "keys.env"

    @property
    def database_file(self) -> Path:
        """The SQLite database, unless the settings name another store."""
        return self.folder / "recto.db"

    @property
    def log_file(self) -> Path:
        """What the server did, one JSON object a line."""
        return self.folder / "recto.log"

    @property
    def sessions_file(self) -> Path:
        """Hashes of the signed-in browsers' cookies."""
        return self.folder / "sessions.json"

    @property
    def tools_file(self) -> Path:
        """What the AI may do without asking, and what it may not do at all."""
        return self.folder / "tools.json"

    @property
    def trust_file(self) -> Path:
        """Which instructions of folders the user has agreed to."""
        return self.folder / "trust.json"

    @property
    def mcp_file(self) -> Path:
        """The user's own MCP servers, written by people."""
        return self.folder / "mcp.json"

    @property
    def mcp_records_file(self) -> Path:
        """What the user said to MCP servers, and what was seen of their tools."""
        return self.folder / "mcp-records.json"

    @property
    def mcp_sign_ins_file(self) -> Path:
        """The tokens of MCP servers that the user has signed in to."""
        return self.folder / "mcp-sign-ins.json"

    @property
    def trash_folder(self) -> Path:
        """What people deleted in the page, for a while."""
        return self.folder / "trash"

    @property
    def sent_drafts_folder(self) -> Path:
        """Drafts as they were published for Word, until they come back."""
        return self.folder / "sent-drafts"

    @property
    def running_file(self) -> Path:
        """Where the running server says how to reach it."""
        return self.folder / "running.json"

    def replace(self, file: Path, data: bytes) -> None:
        """Write one of the home's files whole, readable by the user alone."""
        folder_fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            replace_file(folder_fd, file.name, data, mode=0o600)
        finally:
            os.close(folder_fd)


def find_home(environment: Mapping[str, str]) -> Home:
    """Where the home is: RECTO_HOME, or the platform's place for program data."""
    named = environment.get("RECTO_HOME")
    if named is None:
        return Home(user_data_path("recto", appauthor=False))
    if not named or not Path(named).expanduser().is_absolute():
        raise ConfigFailure(
            f"RECTO_HOME is {named!r}, which is not an absolute path.",
            "Set it to a folder such as /home/you/.recto, or unset it.",
        )
    return Home(Path(named).expanduser())


def open_home(environment: Mapping[str, str]) -> Home:
    """Find the home and make sure it exists and can be written, by the user alone."""
    home = find_home(environment)
    try:
        home.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = home.folder / ".write-test"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        raise ConfigFailure(
            f"The Recto home {home.folder} can't be written: {error.strerror}.",
            "Make it writable, or set RECTO_HOME to another folder.",
        ) from error
    return home

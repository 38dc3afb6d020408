"""The settings that people change while Recto works: read when used, kept in settings.toml.

Only values change in the file. One that can't be read is never written over.
"""

import hashlib
from pathlib import Path

import anyio

from recto.config.failures import ConfigFailure
from recto.config.home import Home
from recto.config.rewriting import with_list, with_value
from recto.config.settings import (
    ChatSettings,
    EditorSettings,
    Settings,
    read_settings,
    read_text,
)


class PreferencesChanged(ConfigFailure):
    """Somebody has changed them since they were read."""

    def __init__(self) -> None:
        super().__init__("The settings have changed meanwhile.", "Look at them again.")


class Preferences:
    """The settings of chats and of the editor, as they are in force now."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self._file = home.settings_file
        self._settings = settings
        self._text = read_text(self._file)
        self._lock = anyio.Lock()

    @property
    def chats(self) -> ChatSettings:
        """How turns go."""
        return self._settings.chats

    @property
    def editor(self) -> EditorSettings:
        """How the AI helps while somebody writes."""
        return self._settings.editor

    @property
    def tag(self) -> str:
        """Names these very values."""
        said = self.editor.model_dump_json() + self.chats.model_dump_json()
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    async def refresh(self) -> bool:
        """Take over what somebody has written into the file by hand; whether anything changed.

        Raises ConfigFailure, and leaves everything as it was.
        """
        async with self._lock:
            return await anyio.to_thread.run_sync(self._refresh)

    async def save(self, editor: EditorSettings, chats: ChatSettings, *, tag: str) -> None:
        """Keep other values, if `tag` still names those in force.

        Raises PreferencesChanged and ConfigFailure.
        """
        async with self._lock:
            await anyio.to_thread.run_sync(self._refresh)
            if tag != self.tag:
                raise PreferencesChanged
            await anyio.to_thread.run_sync(self._save, editor, chats)

    def _refresh(self) -> bool:
        text = read_text(self._file)
        if text == self._text:
            return False
        before = self.tag
        self._take(read_settings(text or "", self._file))
        self._text = text
        return self.tag != before

    def _save(self, editor: EditorSettings, chats: ChatSettings) -> None:
        text = self._text or ""
        there = read_settings(text, self._file)
        wanted = there.model_copy(update={"editor": editor, "chats": chats})
        if wanted != there:
            text = rewritten(text, there, wanted, self._file)
            write(self._file, text)
            self._text = text
        self._take(wanted)

    def _take(self, settings: Settings) -> None:
        update = {"editor": settings.editor, "chats": settings.chats}
        self._settings = self._settings.model_copy(update=update)


def rewritten(text: str, there: Settings, wanted: Settings, file: Path) -> str:
    """The file's text with other values. Raises ConfigFailure when it can't be done well."""
    for section in ("chats", "editor"):
        before = getattr(there, section).model_dump()
        for name, value in getattr(wanted, section).model_dump().items():
            if value == before[name]:
                continue
            change = with_list if name == "transforms" else with_value
            text = change(text, section, name, value)
    if read_settings(text, file) != wanted:
        raise ConfigFailure(
            f"{file} is written in a way that Recto can't change.", "Change it by hand."
        )
    return text


def write(file: Path, text: str) -> None:
    """Replace the file whole. A link, such as into a folder of dotfiles, stays one."""
    real = file.resolve()
    try:
        Home(real.parent).replace(real, text.encode())
    except OSError as error:
        raise ConfigFailure(
            f"{file} can't be written: {error.strerror}.", "Make it writable, then try again."
        ) from error

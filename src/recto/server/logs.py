"""The log: one JSON object a line, in the Recto home, without secrets and without content.

The words of an error may quote what was being read or stored: a row, a document, an answer. So of
an error only its kind, its code and its places in the program are written down.
"""

import errno
import json
import logging
import logging.handlers
import re
import traceback
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from recto.clock import Clock
from recto.config import Secret

MAX_BYTES = 5 * 1024 * 1024
KEPT_FILES = 3
LOOKS_SECRET = re.compile(
    r"(?i)(bearer\s+|(?:api[-_]?key|token|password|secret)[\"']?\s*[=:]\s*[\"']?|\b(?:sk|pk|rk|xox)-)"
    r"[^\s\"'&,;]{6,}"
)
OURS = "recto."
STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class JsonLines(logging.Formatter):
    """Writes a record with its extra fields; known and likely secrets are blotted out."""

    def __init__(self, secrets: Iterable[Secret], clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._secrets = [secret.reveal() for secret in secrets]

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        fields: dict[str, object] = {
            "time": self._clock.now_ms(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message_of(record),
        }
        fields |= {name: value for name, value in vars(record).items() if name not in STANDARD}
        if record.exc_info:
            fields["traceback"] = traceback_of(record.exc_info[1])
        return self.blot(json.dumps(fields, default=str))

    def blot(self, line: str) -> str:
        """The line without secrets."""
        for secret in self._secrets:
            line = line.replace(secret, "…")
        return LOOKS_SECRET.sub(lambda found: found[1] + "…", line)


def message_of(record: logging.LogRecord) -> str:
    """What is said; of others than us only the first line, for asyncio adds errors to it."""
    message = record.getMessage()
    return message if record.name.startswith(OURS) else message.partition("\n")[0]


def traceback_of(error: BaseException | None) -> str:
    """Where an error was raised, and those that it comes from; never their words."""
    if error is None:
        return ""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    places = "".join(traceback.format_tb(error.__traceback__))
    own = f"{places}{kind_of(error)}\n"
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        own += "".join(traceback_of(exception) for exception in group.exceptions)
    return own if before is None else f"{traceback_of(before)}\n{own}"


def kind_of(error: BaseException) -> str:
    """The name of an error, and its code if the system or a database gave it one."""
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    code: object = getattr(error, "sqlstate", None)
    if isinstance(error, OSError) and error.errno is not None:
        code = errno.errorcode.get(error.errno, error.errno)
    return name if code is None else f"{name} ({code})"


@contextmanager
def logging_to(file: Path, level: str, secrets: Iterable[Secret], clock: Clock) -> Generator[None]:
    """Send everything the program logs to the file, which only the user can read."""
    file.touch(mode=0o600, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        file, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8"
    )
    handler.setFormatter(JsonLines(secrets, clock))
    # Our own request log leaves addresses out; the web server's would write one-time links down.
    logging.getLogger("uvicorn.access").disabled = True
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()

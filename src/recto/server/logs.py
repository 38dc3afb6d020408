"""The log: one JSON object a line, in the Recto home, without secrets."""

import json
import logging
import logging.handlers
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from recto.clock import Clock
from recto.config import Secret

MAX_BYTES = 5 * 1024 * 1024
KEPT_FILES = 3
LOOKS_SECRET = re.compile(
    r"(?i)(bearer\s+|(?:api[-_]?key|token|password|secret)[\"']?\s*[=:]\s*[\"']?|\b(?:sk|pk|rk|xox)-)"
    r"[^\s\"'&,;]{6,}"
)
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
            "message": record.getMessage(),
        }
        fields |= {name: value for name, value in vars(record).items() if name not in STANDARD}
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return self.blot(json.dumps(fields, default=str))

    def blot(self, line: str) -> str:
        """The line without secrets."""
        for secret in self._secrets:
            line = line.replace(secret, "…")
        return LOOKS_SECRET.sub(lambda found: found[1] + "…", line)


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

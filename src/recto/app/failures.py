"""What can go wrong at the start; each says in one line what is wrong and what to do."""

from recto.app.server import CannotStart
from recto.config import ConfigFailure
from recto.server import PageMissing
from recto.server.listen import CannotListen
from recto.storage import StorageFailure

START_FAILURES = (CannotStart, CannotListen, ConfigFailure, PageMissing, StorageFailure)

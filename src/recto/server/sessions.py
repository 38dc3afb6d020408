"""Who may come in: one-time links, browser sessions, the token for scripts, a brake on guessing.

Only hashes are kept, in memory and in the file, so that neither a dump nor the file opens a door.
"""

import asyncio
import hashlib
import hmac
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from recto.clock import Clock, Ids
from recto.config import Secret

SESSION_DAYS = 30
LINK_MINUTES = 60
MAX_SESSIONS = 200
GUESSES = 20
GUESS_WINDOW_S = 60.0
DAY_MS = 24 * 60 * 60 * 1000
NEVER_MS = 1 << 62


@dataclass(slots=True, eq=False)
class Session:
    """One signed-in browser, or the holder of the token."""

    digest: str
    expires_ms: int
    browser: str = ""
    """What it called itself when it signed in."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def id(self) -> str:
        """What it is called on the list: enough to tell it from others, and no credential."""
        return self.digest[:16]

    @property
    def signed_in_ms(self) -> int:
        """When it was let in."""
        return self.expires_ms - SESSION_DAYS * DAY_MS


class Sessions:
    """Every credential Recto accepts."""

    def __init__(
        self,
        token: Secret,
        *,
        is_chosen: bool = True,
        clock: Clock,
        ids: Ids,
        saved: bytes = b"{}",
        save: Callable[[bytes], None],
    ) -> None:
        """A token that the user chose lets in those whom it let in before; another one, nobody."""
        self._token = digest_of(token.reveal())
        self._chosen = self._token if is_chosen else None
        self._clock = clock
        self._ids = ids
        self._save = save
        self.token_session = Session(self._token, NEVER_MS)
        self._links: dict[str, int] = {}
        self._wrong: deque[float] = deque()
        self._sessions = self._read(saved)

    @property
    def all(self) -> tuple[Session, ...]:
        """The browsers that are signed in, the latest first."""
        now = self._clock.now_ms()
        running = [session for session in self._sessions.values() if session.expires_ms > now]
        return tuple(sorted(running, key=lambda one: one.expires_ms, reverse=True))

    def new_link_code(self) -> str:
        """A code that signs in one browser, once, within the hour."""
        code = self._ids.secret()
        now = self._clock.now_ms()
        self._links = {digest: end for digest, end in self._links.items() if end > now}
        self._links[digest_of(code)] = now + LINK_MINUTES * 60_000
        return code

    def redeem(self, code: str, browser: str = "") -> str | None:
        """Trade a link's code for a session cookie; None if it is unknown, used or too old."""
        # Popped, whatever it was: a code that leaked into a history is worth nothing.
        expires = self._links.pop(digest_of(code), 0)
        return self._admit(browser) if expires > self._clock.now_ms() else None

    def sign_in(self, token: str, browser: str = "") -> str | None:
        """Trade the token for a session cookie."""
        return self._admit(browser) if self.is_token(token) else None

    def is_token(self, token: str) -> bool:
        """Whether this is the token for scripts."""
        # In constant time: how long it takes must not tell how much was right.
        return hmac.compare_digest(digest_of(token), self._token)

    def find(self, cookie: str) -> Session | None:
        """The session a cookie belongs to, if it still runs."""
        session = self._sessions.get(digest_of(cookie))
        if session is None or session.expires_ms <= self._clock.now_ms():
            return None
        return session

    def end(self, session: Session) -> None:
        """Sign a browser out; its open streams end at once."""
        if self._sessions.pop(session.digest, None):
            self._write()
        session.ended.set()

    def end_others(self, kept: Session) -> None:
        """Sign every other browser out, and let no link that is out sign in another."""
        self._links.clear()
        for session in tuple(self._sessions.values()):
            if session is not kept:
                self.end(session)

    def end_streams(self) -> None:
        """Let every open stream finish, because the server stops."""
        for session in (*self._sessions.values(), self.token_session):
            session.ended.set()

    def note_wrong(self) -> bool:
        """Count a wrong credential; true when there were too many of late."""
        now = self._clock.monotonic()
        while self._wrong and self._wrong[0] < now - GUESS_WINDOW_S:
            self._wrong.popleft()
        # Not counted further: else a flood of guesses would lock everybody out for ever.
        if len(self._wrong) >= GUESSES:
            return True
        self._wrong.append(now)
        return False

    def _admit(self, browser: str) -> str:
        cookie = self._ids.secret()
        expires = self._clock.now_ms() + SESSION_DAYS * DAY_MS
        session = Session(digest_of(cookie), expires, browser)
        self._sessions[session.digest] = session
        for oldest in sorted(self._sessions.values(), key=lambda one: one.expires_ms):
            if len(self._sessions) <= MAX_SESSIONS:
                break
            self.end(oldest)
        self._write()
        return cookie

    def _read(self, saved: bytes) -> dict[str, Session]:
        """The sessions of a file that was written under this token."""
        known = json.loads(saved)
        if known.get("token") != self._chosen:
            return {}
        now = self._clock.now_ms()
        return {
            digest: Session(digest, row["expires"], row["browser"])
            for digest, row in known.get("sessions", {}).items()
            if row["expires"] > now
        }

    def _write(self) -> None:
        rows = {
            session.digest: {"expires": session.expires_ms, "browser": session.browser}
            for session in self._sessions.values()
        }
        self._save(json.dumps({"token": self._chosen, "sessions": rows}).encode())


def digest_of(credential: str) -> str:
    """What is kept of a credential."""
    return hashlib.sha256(credential.encode("utf-8", "surrogatepass")).hexdigest()

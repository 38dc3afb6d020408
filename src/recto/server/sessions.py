"""Who may come in: one-time links, browser sessions, the token for scripts, a brake on guessing.

Only hashes are kept, in memory and in the file, so that neither a dump nor the file opens a door.

A browser sends its cookie to every port of this computer, so whoever listens on another one may
have it. What counts is the page's secret beside it: it is handed over once, behind the # of an
address, which no browser sends, and a page of another port can't read it.
"""

import asyncio
import hashlib
import hmac
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from recto.clock import Clock, Ids
from recto.config import Secret

SESSION_DAYS = 30
LINK_MINUTES = 60
MAX_SESSIONS = 200
GUESSES = 20
GUESS_WINDOW_S = 60.0
DAY_MS = 24 * 60 * 60 * 1000
NEVER_MS = 1 << 62


@dataclass(frozen=True, slots=True)
class PageSecret:
    """What a page of a signed-in browser shows beside the cookie."""

    secret: str
    ticket: str
    """Stands for the secret in addresses of what is only shown or saved."""

    @property
    def fragment(self) -> str:
        """How it is handed to the page."""
        return f"#page={self.secret}.{self.ticket}"


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
        known = json.loads(saved)
        self._page_key: str = known.get("page_key") or ids.secret()
        self._sessions = self._read(known)

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
        return self._admit(browser) if self.take_link(code) else None

    def take_link(self, code: str) -> bool:
        """Use up a link's code for a browser that is signed in; whether it was good."""
        return self._links.pop(digest_of(code), 0) > self._clock.now_ms()

    def page_secret(self, cookie: str) -> PageSecret:
        """What the page of this cookie must show beside it."""
        secret, ticket = (
            hmac.new(self._page_key.encode(), f"{use} {cookie}".encode(), "sha256").hexdigest()
            for use in ("page", "ticket")
        )
        return PageSecret(secret, ticket)

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

    def _read(self, known: dict[str, Any]) -> dict[str, Session]:
        """The sessions of a file that was written under this token."""
        # Pages of a file without the key have no secret: they sign in again.
        if known.get("token") != self._chosen or "page_key" not in known:
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
        kept = {"token": self._chosen, "page_key": self._page_key, "sessions": rows}
        self._save(json.dumps(kept).encode())


def digest_of(credential: str) -> str:
    """What is kept of a credential."""
    return hashlib.sha256(credential.encode("utf-8", "surrogatepass")).hexdigest()

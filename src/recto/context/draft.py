"""A prompt in the making: the conversation is walked through once, from its beginning.

Each decision (an old copy of a file that goes, turns that are left out, a text that is cut) is made
where a request was sent, from what came before, and stays. So the next request begins with what
this one sent, until something has to go again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from recto.context.conversation import Attachment, CacheRates, ConversationMessage, ModelFacts
from recto.context.pieces import (
    MessageCuts,
    PriorContent,
    PromptPiece,
    SliceOrigin,
    file_of,
    pieces_of,
    version_of,
)
from recto.context.repair import LEFT_OUT
from recto.context.tokens import MESSAGE_TOKENS
from recto.context.truncation import level
from recto.messages import Message, Text, ToolResult

TURNS_AHEAD = 10
"""How many more requests a conversation is expected to have, when it is asked what pays."""
SMALLEST = 200
"""The fewest tokens that a cut text is left with."""
UNCACHED = CacheRates(read=1.0, write=1.0)
GAP = Text(LEFT_OUT)
CUTTABLE: frozenset[SliceOrigin] = frozenset({"file", "selection", "skill", "names", "result"})


@dataclass(slots=True, eq=False)
class DraftMessage:
    """One message in the draft."""

    spoken: ConversationMessage
    index: int
    start: int
    """How many tokens had been added before it."""
    pieces: list[PromptPiece] = field(default_factory=list[PromptPiece])
    tokens: int = 0
    is_current: bool = False
    """Whether the pieces are what was decided last."""
    is_dropped: bool = False
    gone: dict[int, PromptPiece] = field(default_factory=dict[int, PromptPiece])
    """Copies that gave way to a newer one, by slot."""
    most: dict[int, int] = field(default_factory=dict[int, int])
    """How many tokens some pieces may have, by slot."""

    @property
    def is_plain(self) -> bool:
        """Whether its pieces are the same whatever else is sent."""
        return not (self.spoken.attachments or self.spoken.meta)

    def fill(self, pieces: Iterable[PromptPiece]) -> None:
        """Take other pieces."""
        self.pieces = list(pieces)
        self.is_current = True
        self.tokens = MESSAGE_TOKENS + sum(piece.tokens for piece in self.pieces)


Unit = list[DraftMessage]
"""Messages that stay or go together: a call with its results."""


@dataclass(slots=True, eq=False)
class DraftTurn:
    """A request of the user with everything up to the next one."""

    units: list[Unit] = field(default_factory=list[Unit])
    requests: list[DraftMessage] = field(default_factory=list[DraftMessage])
    """What the user said in it: more than once when words came together with results."""


class PromptDraft:
    """The messages of a prompt, and what was decided about them."""

    def __init__(self, model: ModelFacts, fixed: int) -> None:
        self._model = model
        self._fixed = fixed
        self._room = model.window.room
        self._seen = PriorContent()
        self._mentions: dict[str, list[DraftMessage]] = {}
        self._groups = [DraftTurn()]
        self._next = 1
        self._added = 0
        self._kept: list[DraftMessage] = []
        self._sent: list[Message] = []
        """What the first lines came to, as long as nothing of them goes."""
        self._sent_lines = 0
        self.lines: list[DraftMessage] = []
        self.injecting: list[DraftMessage] = []
        """The messages with which something went along."""
        self.lessened: dict[int, DraftMessage] = {}
        """The messages of which something may be missing, by index."""
        self.total = fixed

    def add(self, spoken: ConversationMessage) -> None:
        """Take in the next message; when it is too much, something goes."""
        # Before the message itself: its own copy must not count among the earlier ones.
        for attachment in spoken.attachments:
            self._settle(attachment)
        line = DraftMessage(spoken, len(self.lines), self._added)
        self.lines.append(line)
        self._kept.append(line)
        if not line.is_plain:
            self.injecting.append(line)
        self._place(line)
        self._render(line)
        if self.total > self._room:
            self._fit()

    def messages(self) -> Sequence[Message]:
        """The messages that are left, with a word where some are missing."""
        was_dropped = self._sent_lines > 0 and self.lines[self._sent_lines - 1].is_dropped
        for line in islice(self.lines, self._sent_lines, None):
            if not line.is_dropped:
                if was_dropped:
                    self._sent.append(Message("user", (GAP,)))
                parts = tuple(piece.part for piece in line.pieces)
                self._sent.append(Message(line.spoken.message.role, parts))
            was_dropped = line.is_dropped
        self._sent_lines = len(self.lines)
        return self._sent

    @property
    def last_request(self) -> DraftMessage | None:
        """The last thing that the user asked."""
        return next(reversed(self._groups[-1].requests), None)

    def _place(self, line: DraftMessage) -> None:
        """Put a message into its group, and results to their calls."""
        has_results = any(isinstance(part, ToolResult) for part in line.spoken.message.parts)
        group = self._groups[-1]
        if line.spoken.is_request and not has_results and group.requests:
            group = DraftTurn()
            self._groups.append(group)
        if has_results and group.units:
            group.units[-1].append(line)
        else:
            group.units.append([line])
        if line.spoken.is_request:
            group.requests.append(line)

    def _render(self, line: DraftMessage) -> None:
        """Make the pieces of a message, and count them in."""
        cuts = MessageCuts(line.gone.keys(), line.most)
        line.fill(pieces_of(line.spoken, self._model, self._seen, cuts))
        self._count_in(line)

    def _count_in(self, line: DraftMessage) -> None:
        """Add what a message takes, and note the files it has."""
        self.total += line.tokens
        self._added += line.tokens
        for piece in line.pieces:
            if piece.whole > piece.tokens or piece.lost:
                self.lessened[line.index] = line
            if piece.file is not None:
                self._mentions.setdefault(piece.file, []).append(line)

    def _send_anew(self) -> None:
        """Something of what was sent goes."""
        self._sent, self._sent_lines = [], 0

    def _render_again(self) -> None:
        """Make the pieces anew that may have changed, after something went."""
        self._send_anew()
        self._seen, self._mentions, self._added, self.total = (
            self._seen.again(),
            {},
            0,
            self._fixed,
        )
        self._kept = [line for line in self._kept if not line.is_dropped]
        for line in self._kept:
            if line.index and self.lines[line.index - 1].is_dropped:
                self.total += self._model.count(GAP)
            line.start = self._added
            if line.is_plain and line.is_current:
                self._count_in(line)
            else:
                self._render(line)

    def _settle(self, attachment: Attachment) -> None:
        """Decide whether earlier copies of a file give way to the one that comes now.

        The other way is to leave them and only add. Taking them out saves reading them in the
        requests to come, and costs writing everything after the first of them anew.
        """
        file = file_of(attachment)
        lines = self._mentions.get(file, [])
        # With bound thoughts an edited past costs every later thought: then copies stay.
        if not lines or self._model.binds_prefix or any(line.spoken.pinned for line in lines):
            return
        rates = self._model.cache or UNCACHED
        # Then the new message only refers to the old copy: nothing would be saved.
        is_unchanged = self._seen.files[file][0] == version_of(attachment)
        old = [piece for line in lines for piece in line.pieces if piece.file == file]
        saved = 0 if is_unchanged else sum(piece.tokens for piece in old)
        rewritten = self._added - lines[0].start
        # Written anew once, against read again in every request to come.
        if rewritten * (rates.write - rates.read) <= saved * rates.read * TURNS_AHEAD:
            self._give_way(file, lines)

    def _give_way(self, file: str, lines: list[DraftMessage]) -> None:
        """Take the earlier copies of a file out, and the words that refer to them."""
        self._send_anew()
        for line in lines:
            self.lessened[line.index] = line
            old = [piece for piece in line.pieces if piece.file == file]
            line.gone |= {piece.slot: piece for piece in old}
            self.total -= sum(piece.tokens for piece in old)
            line.fill(piece for piece in line.pieces if piece.file != file)
        del self._mentions[file], self._seen.files[file]

    def _fit(self) -> None:
        """Make room, or leave everything as it was when there is no way to."""
        following, kept = self._next, self._kept
        before = [(dict(line.gone), dict(line.most)) for line in kept]
        self._make_room()
        if self.total > self._room:
            self._next, self._kept = following, kept
            for line, (gone, most) in zip(kept, before, strict=True):
                # It does not fit anyway: say so with everything in place, not with half of it gone.
                line.is_dropped, line.is_current, line.gone, line.most = False, False, gone, most
            self._render_again()

    def _make_room(self) -> None:
        """The least painful way first, with some room to spare so that it holds for a while."""
        room = self._room
        self._drop_old_copies()
        self._cut(room * 9 // 10, smallest=room * 3 // 4)
        self._drop_groups(room * 3 // 4)
        self._cut(room * 9 // 10, smallest=room // 8)
        self._drop_steps(room * 3 // 4)
        self._cut(room * 9 // 10, smallest=SMALLEST)

    def _drop_old_copies(self) -> None:
        """Texts of files that a later message has in a newer version."""
        for file, lines in self._mentions.items():
            stale = [line for line in lines if is_stale(line, file, self._seen)]
            for line in stale:
                self.lessened[line.index] = line
                line.gone |= {piece.slot: piece for piece in line.pieces if piece.file == file}
        if self._mentions:
            self._render_again()

    def _drop_groups(self, target: int) -> None:
        """Leave out whole turns from the middle, the oldest first."""
        # Never the first turn, which says what all this is about, nor the last.
        while self.total > self._room and self._next < len(self._groups) - 1:
            while self.total > target and self._next < len(self._groups) - 1:
                for unit in self._groups[self._next].units:
                    self._drop(unit)
                self._next += 1
            self._render_again()

    def _drop_steps(self, target: int) -> None:
        """Leave out what followed the first request, then the older steps of the last."""
        if self.total <= self._room:
            return
        for unit in self._steps():
            if self.total <= target:
                break
            self._drop(unit)
        self._render_again()

    def _steps(self) -> Iterator[Unit]:
        """What may go of the turns that stay, in the order it goes."""
        last = self._groups[-1]
        for group in dict.fromkeys((self._groups[0], last)):
            units = group.units[:-1] if group is last else group.units
            for unit in units:
                if not any(line in group.requests for line in unit):
                    yield unit

    def _drop(self, unit: Unit) -> None:
        """Leave out messages that belong together, unless one of them is pinned."""
        # A call without its result, or the other way round, would be refused.
        if any(line.spoken.pinned or line.is_dropped for line in unit):
            return
        for line in unit:
            self.lessened[line.index] = line
            line.is_dropped = True
            self.total -= line.tokens

    def _cut(self, target: int, *, smallest: int) -> None:
        """Cut the largest texts that may be cut, none below the smallest size."""
        if self.total <= self._room:
            return
        smallest = max(smallest, SMALLEST)
        long = [(line, piece) for line, piece in self._cuttable() if piece.tokens > smallest]
        sizes = [piece.tokens for _, piece in long]
        most = max(level(sizes, target - self.total + sum(sizes)), smallest)
        for line, piece in long:
            if piece.tokens > most:
                line.most[piece.slot] = most
                line.is_current = False
        self._render_again()

    def _cuttable(self) -> Iterator[tuple[DraftMessage, PromptPiece]]:
        """Attachments and tool answers, and the words of the first request once it is not the last.

        What is pinned and what the user asks now stays as it is.
        """
        first = next(iter(self._groups[0].requests), None)
        for line in self._kept:
            if line.is_dropped or line.spoken.pinned:
                continue
            is_old_first = line is first and line is not self.last_request
            origins = CUTTABLE | {"message"} if is_old_first else CUTTABLE
            yield from ((line, piece) for piece in line.pieces if piece.origin in origins)


def is_stale(line: DraftMessage, file: str, seen: PriorContent) -> bool:
    """Whether a message has a file in another version than the newest before the model."""
    if line.spoken.pinned:
        return False
    newest = seen.files[file][0]
    return all(
        version_of(attachment) != newest
        for attachment in line.spoken.attachments
        if file_of(attachment) == file
    )

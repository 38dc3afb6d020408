"""A page that edits its own copy of a document, late or at once, and undoes what it may undo."""

from pycrdt import Doc, Text, TransactionEvent, UndoManager

from recto.documents import EditOrigin, LiveDocument, Splice
from recto.documents.offsets import to_utf8
from recto.documents.shared_text import NAME

TYPED = EditOrigin("person", way="typed")
UNDONE = EditOrigin("person", way="undone")


class Page:
    """What one tab has. It hears everything as undoable, as it does what AI writes."""

    def __init__(self, live: LiveDocument) -> None:
        self.live = live
        self._doc: Doc[Text] = Doc()
        self._text = self._doc.get(NAME, type=Text)
        self._doc.apply_update(live.updates_since(b"\0"))
        self._undo = UndoManager(scopes=[self._text], capture_timeout_millis=0)
        self._watching = self._doc.observe(self._on_change)
        self._made: list[bytes] = []
        self.unsent: list[tuple[bytes, EditOrigin]] = []

    @property
    def text(self) -> str:
        return str(self._text)

    def hear(self) -> None:
        """Take in what the server has."""
        self._doc.apply_update(self.live.updates_since(self._doc.get_state()))
        self._made.clear()

    def change(self, splice: Splice) -> None:
        """Edit without telling anybody yet."""
        text = self.text
        start, end = to_utf8(text, splice.start), to_utf8(text, splice.end)
        with self._doc.transaction():
            if end > start:
                del self._text[start:end]
            if splice.new:
                self._text.insert(start, splice.new)
        self._keep(TYPED)

    def take_back(self, *, again: bool = False) -> None:
        """Undo, or redo, without telling anybody yet."""
        if again:
            self._undo.redo()
        else:
            self._undo.undo()
        self._keep(UNDONE)

    async def send(self) -> None:
        """Tell the server what was done, in order."""
        while self.unsent:
            update, origin = self.unsent.pop(0)
            await self.live.apply_update(update, origin)

    async def edit(self, splice: Splice) -> None:
        self.change(splice)
        await self.send()

    async def undo(self) -> None:
        self.take_back()
        await self.send()

    async def redo(self) -> None:
        self.take_back(again=True)
        await self.send()

    def _keep(self, origin: EditOrigin) -> None:
        self.unsent += [(update, origin) for update in self._made]
        self._made.clear()

    def _on_change(self, event: TransactionEvent) -> None:
        self._made.append(event.update)

"""Chats as the rest of the program knows them."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace

from recto.chats.failures import Busy, NothingToDo
from recto.chats.history.entries import Accounting, Assistant, ChatEntry, Discard, Summary, User
from recto.chats.library.branches import branch_off, put_aside
from recto.chats.library.library import ChatLibrary
from recto.chats.library.opened_chat import PUBLIC, OpenedChat, WatchedEvent, open_view, tell
from recto.chats.library.repository import MODEL, as_it_was, find_chat
from recto.chats.preview import InclusionView, Preview, Previews, not_begun
from recto.chats.prompts.active_items import find_active_items, wanted_model
from recto.chats.prompts.attachments import UserMessage
from recto.chats.prompts.decisions import decisions_since_last_turn
from recto.chats.prompts.document import check_measured, gather_for, transforms_of
from recto.chats.prompts.folder_overview import overview_for
from recto.chats.prompts.inclusion import inclusion_meta
from recto.chats.prompts.mentions import with_changed_resources
from recto.chats.prompts.request import PINS
from recto.chats.prompts.turn_input import DOCUMENT_STEPS, Profile, TurnInput, input_of
from recto.chats.services import ChatServices
from recto.chats.turns.approvals import ApprovalAnswer, answer_approval
from recto.chats.turns.elicitations import answer_elicitation
from recto.chats.turns.queue import AdmittedTurn, TurnQueue, WriteAlongside
from recto.chats.turns.recovery import keep_recovering, recover
from recto.chats.turns.tool_runner import StoredOutputs
from recto.chats.undo import Undo, UndoOutcome
from recto.context import ToolInclusion, Transform
from recto.reviews import ReviewFailure, UnchangedPath
from recto.storage import Chat, NewEvent, RecordNotFound, Run, WriteTransaction
from recto.supervisor import Supervisor
from recto.tools import Change, ElicitationAnswer


class Chats(ChatLibrary):
    """Every chat of this Recto home: kept, talked in, undone."""

    def __init__(self, services: ChatServices, supervisor: Supervisor) -> None:
        super().__init__(services, TurnQueue(services, supervisor))
        self._previews = Previews(services)

    async def recover(self) -> int:
        """Bring turns that a crash cut off to an end; answers how many there were."""
        return await recover(self._services)

    async def keep_recovering(self) -> None:
        """Bring turns to an end that other processes leave behind, until cancelled."""
        await keep_recovering(self._services)

    async def view(self, chat_id: str) -> OpenedChat:
        """A chat's end, what goes on in it, and from where to follow it."""
        return await open_view(self._services, await self.get(chat_id))

    async def titles(self, chat_ids: Sequence[str]) -> dict[str, str]:
        """What people call these chats, also those that are deleted or not here."""
        found = {chat.id: chat for chat in await self._services.storage.chats.some(chat_ids)}
        return {chat_id: title_of(found.get(chat_id)) for chat_id in chat_ids}

    async def entries(self, chat_id: str, before: int, limit: int) -> tuple[list[ChatEntry], bool]:
        """Earlier entries of a chat, in order, and whether there are more."""
        await self.get(chat_id)
        return await self._services.archive.end(chat_id, before=before, limit=limit)

    async def discarded(self, chat_id: str, entry_id: str) -> list[ChatEntry]:
        """What an accounting entry has put aside."""
        entry = await self._services.archive.get(chat_id, entry_id)
        if not isinstance(entry.content, Accounting):
            raise NothingToDo("Nothing was put aside here.", "Choose another entry.")
        return await self._services.archive.discarded(chat_id, entry)

    async def follow(self, chat_id: str, after: int) -> AsyncGenerator[WatchedEvent]:
        """Everything that happens in a chat after a number, as long as somebody listens."""
        await self.get(chat_id)
        async with aclosing(self._services.journals.of(chat_id).follow(after)) as events:
            async for event in events:
                if event.kind in PUBLIC:
                    yield await tell(self._services, event)

    async def say(
        self, chat_id: str, said: UserMessage, *, alongside: WriteAlongside | None = None
    ) -> AdmittedTurn:
        """Store what a person said, then start a turn, or have it wait for the one that runs.

        `alongside` is stored together with it.
        """
        chat = await self.get(chat_id)
        given, user = await self._take(chat, said)
        return await self._turns.admit(chat, given, user, alongside=alongside)

    async def edit(self, chat_id: str, entry_id: str, said: UserMessage) -> AdmittedTurn:
        """Say something else instead of an earlier message; what followed no longer counts."""
        chat = await self.get(chat_id)
        entry = await self._own_message(chat_id, entry_id)
        given, user = await self._take(chat, said)
        account = await self._put_aside(chat_id, "edit", entry.seq)
        return await self._turns.admit(chat, given, user, before=(account,))

    async def retry(self, chat_id: str, entry_id: str, model: str | None) -> AdmittedTurn:
        """Ask again for what followed a message; the earlier answer no longer counts."""
        chat = await self.get(chat_id)
        entry = await self._services.archive.get(chat_id, entry_id)
        asked = entry
        if not isinstance(entry.content, User):
            found = await self._services.archive.last_user(chat_id, before=entry.seq)
            if found is None:
                raise NothingToDo("There is no message to answer.", "Send one.")
            asked = found
        account = await self._put_aside(chat_id, "retry", asked.seq + 1)
        before = await self._input_of(asked)
        given = TurnInput(
            model=model or before.skill_model or chat.meta.get(MODEL),
            document=before.document,
            comments=before.comments,
            offers=before.offers,
            skill_model=before.skill_model,
        )
        return await self._turns.admit(chat, given, None, before=(account,))

    async def branch(self, chat_id: str, entry_id: str) -> Chat:
        """A new chat that begins with everything up to an entry."""
        chat = await self.get(chat_id)
        return await branch_off(self._services, chat, entry_id)

    async def pin(self, chat_id: str, entry_ids: tuple[str, ...], *, pinned: bool) -> Chat:
        """Have entries sent whole whatever happens, or no longer; who watches is told."""

        async def work(write: WriteTransaction) -> Chat:
            chat = await self._storage.chats.get(chat_id, within=write)
            for entry_id in entry_ids:
                await self._storage.chats.entry(chat_id, entry_id, within=write)
            pins = set(chat.meta.get(PINS, ()))
            pins = pins | set(entry_ids) if pinned else pins - set(entry_ids)
            meta = {**chat.meta, PINS: sorted(pins)}
            return await self._storage.chats.update(write, chat_id, title=chat.title, meta=meta)

        pin_event = NewEvent("pin", {"entry_ids": list(entry_ids), "pinned": pinned})
        return await self._services.journals.of(chat_id).commit_with(work, lambda _: [pin_event])

    async def summarise(self, chat_id: str, model: str | None) -> AdmittedTurn:
        """Make a checkpoint. Raises Busy, NothingToDo."""
        chat = await self.get(chat_id)
        entries = await self._services.archive.since_checkpoint(chat_id)
        if not any(isinstance(entry.content, Assistant) for entry in entries):
            raise NothingToDo("There is nothing to summarise yet.", "Talk first.")
        asked = [entry for entry in entries if isinstance(entry.content, User)]
        # The model that a skill brought in remembers the conversation; the chat's own does not.
        wanted = (await self._input_of(asked[-1])).skill_model if asked else None
        given = TurnInput(model=model or wanted or chat.meta.get(MODEL), purpose="summary")
        return await self._turns.admit(chat, given, None)

    async def take_off(self, chat_id: str, entry_id: str) -> None:
        """Take a checkpoint off: what came before it is sent again. Raises Busy, NothingToDo."""
        async with self._turns.no_turn_in(chat_id):
            await self._take_off(chat_id, entry_id)

    async def _take_off(self, chat_id: str, entry_id: str) -> None:
        entry = await self._services.archive.get(chat_id, entry_id)
        if not isinstance(entry.content, Summary):
            raise NothingToDo("This is not a summary.", "Choose one.")
        account = await self._put_aside(chat_id, "checkpoint_removed", entry.seq)
        account = replace(account, about=entry_id, discarded=1)

        async def work(write: WriteTransaction) -> ChatEntry:
            return await self._services.archive.append(write, chat_id, account)

        await self._services.journals.of(chat_id).commit_with(
            work, lambda made: [NewEvent("entry", {"id": made.id, "seq": made.seq})]
        )

    async def preview(
        self, project_id: str, chat_id: str | None, said: UserMessage, *, edits: str | None = None
    ) -> Preview:
        """The request that saying this would send, also in a chat that has not begun.

        With `edits`, saying it in place of an earlier message. Raises NoModelAvailable,
        RecordNotFound.
        """
        await self._storage.projects.get(project_id)
        chat = not_begun(project_id)
        if chat_id is not None:
            chat = await self.find(project_id, chat_id)
        entry = None if edits is None else await self._own_message(chat.id, edits)
        given, user = await self._take(chat, said)
        return await self._previews.of(chat, given, user, edits=entry)

    async def inclusion(self, project_id: str, chat_id: str, model: str | None) -> InclusionView:
        """How a chat sends tools along, and what each other way would send and cost.

        Raises NoModelAvailable, RecordNotFound.
        """
        chat = await self.find(project_id, chat_id)
        return await self._previews.inclusion(chat, model or chat.meta.get(MODEL))

    async def include_tools(self, project_id: str, chat_id: str, wanted: ToolInclusion) -> Chat:
        """Have a chat send tools along in this way from its next turn on. Raises RecordNotFound."""
        async with self._storage.write() as write:
            chat = await find_chat(self._storage, project_id, chat_id, within=write)
            meta = {**chat.meta, **inclusion_meta(wanted)}
            return await self._storage.chats.update(write, chat_id, title=chat.title, meta=meta)

    async def undo_run(self, turn_id: str, *, dry_run: bool) -> UndoOutcome:
        """Take back what a turn did to files. Raises Busy, RecordNotFound, NothingToDo."""
        return await self._undo(turn_id, None, dry_run=dry_run)

    async def undo_call(self, turn_id: str, call_id: str, *, dry_run: bool) -> UndoOutcome:
        """Take back what one call did to files. Raises Busy, RecordNotFound, NothingToDo."""
        return await self._undo(turn_id, call_id, dry_run=dry_run)

    async def _undo(self, turn_id: str, call_id: str | None, *, dry_run: bool) -> UndoOutcome:
        run = await self._storage.runs.get(turn_id)
        undo = Undo(self._services, as_it_was(await self.get(run.chat_id), run.created_ms))
        async with self._turns.no_turn_in(run.chat_id):
            target = await undo.find(turn_id, call_id)
            return await undo.preview(target) if dry_run else await undo.do(target)

    async def take_back(
        self, project_id: str, chat_id: str, changes: tuple[Change, ...]
    ) -> tuple[UnchangedPath, ...]:
        """Take changes to files back that were rejected; what was left. Raises ReviewFailure."""
        chat = await self._storage.chats.get(chat_id)
        undo = Undo(self._services, replace(chat, project_id=project_id))
        try:
            async with self._turns.no_turn_in(chat_id):
                files = await undo.take_back(changes)
        except Busy as busy:
            raise ReviewFailure(busy.message, busy.remedy) from busy
        return tuple(
            UnchangedPath(file.path, file.words) for file in files if file.action == "conflict"
        )

    def no_turn_in(self, chat_id: str) -> AbstractAsyncContextManager[None]:
        """Let no turn begin while the block runs. Raises Busy when one runs in the chat."""
        return self._turns.no_turn_in(chat_id)

    async def stop(self, turn_id: str) -> None:
        """Stop a turn. Raises NotRunning."""
        await self._turns.stop(turn_id)

    async def steer(self, turn_id: str, text: str) -> AdmittedTurn:
        """Say something to a running turn. Raises NotRunning."""
        return await self._turns.steer(turn_id, text)

    async def remove(self, turn_id: str) -> None:
        """Take back a message that waits. Raises NothingToDo."""
        await self._turns.remove(turn_id)

    async def go_on(self, turn_id: str) -> AdmittedTurn:
        """Continue where a turn ended. Raises Busy."""
        return await self._turns.go_on(turn_id)

    async def answer(self, approval_id: str, answer: ApprovalAnswer) -> None:
        """Answer a tool that asks. Raises NoSuchApproval."""
        await answer_approval(self._storage, self._services.journals, approval_id, answer)

    async def answer_elicitation(self, elicitation_id: str, answer: ElicitationAnswer) -> None:
        """Answer a server that asks. Raises NoSuchApproval."""
        await answer_elicitation(self._storage, self._services.journals, elicitation_id, answer)

    async def image(self, chat_id: str, digest: str) -> bytes:
        """A picture of a chat. Raises RecordNotFound."""
        await self.get(chat_id)
        return await self._storage.blobs.get(digest)

    async def output(self, handle: str) -> str:
        """What a tool answered, kept whole. Raises NoSuchOutput."""
        return await StoredOutputs(self._storage).read(handle)

    def transforms(self) -> tuple[Transform, ...]:
        """The quick transforms of a passage."""
        return transforms_of(self._services)

    async def _take(self, chat: Chat, said: UserMessage) -> tuple[TurnInput, User]:
        """What a person said, as it is stored."""
        services, project_id = self._services, chat.project_id
        said = replace(said, decided=await decisions_since_last_turn(services, chat))
        on = await find_active_items(
            services, project_id, said.context_ids, said.skill_ids, said.additional_prompt
        )
        user, document = await gather_for(services, project_id, said, on)
        skill_model = None if said.model else wanted_model(services, on.skills)
        model = said.model or skill_model or chat.meta.get(MODEL)
        if document is None:
            user = await with_changed_resources(services, chat, user)
            user = await overview_for(services, chat, model, user)
        if said.transform is not None:
            check_measured(services, said.transform.id, model)
        given = TurnInput(
            user.text,
            model,
            said.plan,
            document=document,
            comments=tuple(said.comments),
            offers=on.offers,
            skill_model=skill_model,
        )
        return given, user

    async def _input_of(self, asked: ChatEntry) -> TurnInput:
        """What a message was about: one document, some comments, or nothing in particular."""
        assert isinstance(asked.content, User)
        try:
            run = await self._storage.runs.get(asked.content.turn)
        except RecordNotFound:
            return TurnInput()  # it was imported, and belongs to no turn of ours
        return input_of(run.body)

    async def _own_message(self, chat_id: str, entry_id: str) -> ChatEntry:
        """Something that a person said, to be said in other words. Raises NothingToDo."""
        entry = await self._services.archive.get(chat_id, entry_id)
        if not isinstance(entry.content, User):
            raise NothingToDo("Only your own messages can be edited.", "Choose one of those.")
        return entry

    async def _put_aside(self, chat_id: str, reason: Discard, from_seq: int) -> Accounting:
        """What an edit, a retry or a taken-off summary leaves behind. Raises Busy."""
        if self.is_running(chat_id):
            raise Busy
        return await put_aside(self._services, chat_id, reason, from_seq)


def model_of(chat: Chat) -> str | None:
    """The model that was chosen for a chat."""
    return chat.meta.get(MODEL)


def pins_of(chat: Chat) -> frozenset[str]:
    """The entries of a chat that are sent whole whatever happens."""
    return frozenset(chat.meta.get(PINS, ()))


def text_of(run: Run) -> str:
    """What a turn that waits was told."""
    return input_of(run.body).text


def profile_of(run: Run) -> tuple[Profile, str | None, int | None]:
    """The profile of a turn; for the document agent its document and its most steps."""
    given = input_of(run.body)
    if given.document is None:
        return given.profile, None, None
    return given.profile, given.document.path, DOCUMENT_STEPS


def title_of(chat: Chat | None) -> str:
    """A chat's title for people."""
    if chat is None:
        return "A deleted chat"
    title = chat.title or "Untitled chat"
    return title if chat.deleted_ms is None else f"{title} (deleted)"

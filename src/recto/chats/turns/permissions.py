"""What may be done without asking, and asking a person: about tools, and about instructions."""

from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from recto.chats.prompts.base import FolderInstruction
from recto.chats.prompts.turn_input import TurnInput
from recto.chats.services import ChatServices
from recto.chats.turns.approvals import (
    ANSWERED,
    ASKED,
    Approval,
    ApprovalAnswer,
    call_digest,
    wait_for_answer,
)
from recto.chats.turns.foreign_text import has_foreign_text
from recto.chats.turns.transcript import Transcript
from recto.chats.turns.unreviewed_code import unreviewed_code
from recto.messages import ToolCall
from recto.storage import Chat
from recto.tools import Toolbox, ToolRule, is_outward, read_rule
from recto.workspace import Workspace

GRANTS = "grants"
FOLLOWED, IGNORED = "followed", "ignored"
COMMAND = "run_command"
INSTRUCT = "follow_instructions"
REFUSED = "The user said no to this call. Don't try it in another way; ask what they want."
INSTRUCTS = (
    "This folder wants to tell the AI what to do. Agree only if you know where the text comes from."
)


class TurnPermissions:
    """The permissions of one turn, and the calls that a person agreed to."""

    def __init__(
        self,
        services: ChatServices,
        toolbox: Toolbox,
        workspace: Workspace,
        transcript: Transcript,
        chat: Chat,
        given: TurnInput,
    ) -> None:
        self._services = services
        self._toolbox = toolbox
        self._workspace = workspace
        self._transcript = transcript
        self._chat = chat
        self._given = given
        self._approved: Counter[str] = Counter()
        """How often each call may still run, by its digest: ids are the provider's, and repeat."""
        self._for_good = toolbox.permissions
        """Without what is allowed in this chat only, which must not be saved."""
        granted = [read_rule(rule, "this chat") for rule in chat.meta.get(GRANTS, ())]
        toolbox.permissions = toolbox.permissions.with_grants(granted)

    def take_approval(self, call: ToolCall) -> bool:
        """Whether a person agreed to this very call; each agreement is for one run of it."""
        digest = call_digest(call, self._transcript.turn)
        if not self._approved[digest]:
            return False
        self._approved[digest] -= 1
        return True

    async def permit(self, call: ToolCall) -> str | None:
        """Why a call may not run, or None when it may. Waits for a person where it must."""
        # Before the verdict: it is stricter once the model has read text that could steer it.
        await self._grow_wary(call)
        verdict = await self._toolbox.judge(call, self._workspace)
        if verdict.kind == "allow":
            return None
        if verdict.kind == "deny":
            return verdict.why
        rule = await self._toolbox.rule_for(call, self._workspace)
        unread = await unreviewed_code(self._services, self._workspace, self._chat.project_id, call)
        why = " ".join(filter(None, [verdict.why, unread]))
        answer = await self._ask(call, why, None if rule is None else str(rule))
        if answer == "deny":
            return REFUSED
        self._approved[call_digest(call, self._transcript.turn)] += 1
        tool = self._toolbox.find(call.name)
        if rule is not None and (answer != "once" or (tool is not None and tool.asks_once)):
            await self._remember(rule, for_good=answer == "always")
        return None

    async def _grow_wary(self, call: ToolCall) -> None:
        """Count text that was read before a call that it could have brought about."""
        permissions, tool = self._toolbox.permissions, self._toolbox.find(call.name)
        if permissions.wary or not self._services.preferences().asks_after_reading:
            return
        if (
            tool is not None
            and is_outward(tool)
            and await has_foreign_text(self._services, self._workspace, self._chat, self._given)
        ):
            self._toolbox.permissions = replace(permissions, wary=True)

    async def followed(self, brought: Sequence[FolderInstruction]) -> list[FolderInstruction]:
        """Those texts of the folder that the user agrees to, now or before."""
        return [instruction for instruction in brought if await self._may_instruct(instruction)]

    async def _may_instruct(self, text: FolderInstruction) -> bool:
        root, meta = self._workspace.root, self._chat.meta
        if self._services.trust.is_trusted(root, text.path, text.hash):
            return True
        if text.hash in meta.get(FOLLOWED, ()) or text.hash in meta.get(IGNORED, ()):
            # By content: a file that is changed later, by whomever, is asked about anew.
            return text.hash in meta.get(FOLLOWED, ())
        call = ToolCall(f"{INSTRUCT}:{text.path}", INSTRUCT, {"path": text.path, "text": text.text})
        answer = await self._ask(call, INSTRUCTS, f"{text.path} as it is now")
        if answer == "always":
            self._services.trust.trust(root, text.path, text.hash)
        elif answer != "once":
            await self._note(FOLLOWED if answer == "chat" else IGNORED, text.hash)
        return answer != "deny"

    async def agree(self, call: ToolCall, name: str, why: str, about: dict[str, str]) -> bool:
        """Ask about something that a call turned out to do when it ran."""
        return await self._ask(ToolCall(call.id, name, dict(about)), why, None) != "deny"

    async def _ask(self, call: ToolCall, why: str, rule: str | None) -> ApprovalAnswer:
        digest = call_digest(call, self._transcript.turn)
        approval = Approval(self._services.ids.new(), call.id, digest)
        try:
            # Read before the question is out: an answer that comes at once is not missed.
            after = await self._services.storage.events.latest(self._chat.id)
            question = self._question(approval, call, why, rule)
            await self._transcript.commit(self._transcript.event(ASKED, question))
            async with aclosing(self._transcript.follow(after)) as events:
                return await wait_for_answer(events, approval)
        except BaseException:
            # Pages show the question until it is answered; `add` has no await to be cut off at.
            self._transcript.add(ANSWERED, approval.body("cancelled"))
            raise

    def _question(
        self, approval: Approval, call: ToolCall, why: str, rule: str | None
    ) -> dict[str, object]:
        """What a person is asked; `rule` is what "always" would allow, if it can be allowed."""
        permissions = self._toolbox.permissions
        is_held = permissions.sandboxed or permissions.confined
        return {
            "approval_id": approval.id,
            "call_id": call.id,
            "digest": approval.digest,
            "name": call.name,
            "arguments": dict(call.arguments),
            "why": why,
            "rule": rule,
            "is_unsandboxed": call.name == COMMAND and not is_held,
        }

    async def _remember(self, rule: ToolRule, *, for_good: bool) -> None:
        if for_good:
            self._services.save_rules(self._for_good.remember(rule))
            self._for_good = self._for_good.with_grants([rule])
        else:
            await self._note(GRANTS, str(rule))
        self._toolbox.permissions = self._toolbox.permissions.with_grants([rule])

    async def _note(self, name: str, value: str) -> None:
        """Keep something that holds for this chat."""
        async with self._services.storage.write() as write:
            # As it is now: two questions of one turn, or another tab, may have added to it.
            chat = await self._services.storage.chats.get(self._chat.id, within=write)
            values = sorted({*chat.meta.get(name, ()), value})
            await self._services.storage.chats.update(
                write, chat.id, title=chat.title, meta={**chat.meta, name: values}
            )


def already_followed(
    services: ChatServices, root: str, chat: Chat, brought: Sequence[FolderInstruction]
) -> list[FolderInstruction]:
    """Those texts that the user has agreed to before: nobody is asked."""
    known = chat.meta.get(FOLLOWED, ())
    return [
        instruction
        for instruction in brought
        if instruction.hash in known
        or services.trust.is_trusted(root, instruction.path, instruction.hash)
    ]

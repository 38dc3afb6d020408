"""Whether a tool may run: by the rules, by what was allowed in this chat, or by asking a person."""

from recto.chats.approvals import Approval
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.messages import ToolCall
from recto.storage import Chat
from recto.tools import Rule, Toolbox, read_rule
from recto.workspace import Workspace

GRANTS = "grants"
COMMAND = "run_command"
REFUSED = "The user said no to this call. Don't try it in another way; ask what they want."


class Permits:
    """The permissions of one turn, and the calls that a person agreed to."""

    def __init__(
        self, means: Means, toolbox: Toolbox, workspace: Workspace, minutes: Minutes, chat: Chat
    ) -> None:
        self._means = means
        self._toolbox = toolbox
        self._workspace = workspace
        self._minutes = minutes
        self._chat = chat
        self._approved: set[str] = set()
        self._for_good = toolbox.permissions
        """Without what is allowed in this chat only, which must not be saved."""
        granted = [read_rule(rule, "this chat") for rule in chat.meta.get(GRANTS, ())]
        toolbox.permissions = toolbox.permissions.with_grants(granted)

    def was_approved(self, call: ToolCall) -> bool:
        """Whether a person agreed to this very call."""
        return call.id in self._approved

    async def permit(self, call: ToolCall) -> str | None:
        """Why a call may not run, or None when it may. Waits for a person where it must."""
        verdict = await self._toolbox.judge(call, self._workspace)
        if verdict.kind == "allow":
            return None
        if verdict.kind == "deny":
            return verdict.why
        rule = await self._toolbox.rule_for(call, self._workspace)
        approval = Approval(self._means.ids.new(), self._chat.id, call, verdict.why, rule)
        return await self._ask(approval)

    async def _ask(self, approval: Approval) -> str | None:
        self._means.approvals.ask(approval)
        try:
            question = self._minutes.event("approval", self._question(approval))
            await self._minutes.journal.commit(question)
            await approval.answered.wait()
        finally:
            self._means.approvals.close(approval)
            body = {
                "approval_id": approval.id,
                "call_id": approval.call.id,
                "answer": approval.answer or "cancelled",
            }
            # Written with the next commit: nothing that follows the answer is seen before it.
            self._minutes.add("approval_answered", body)
        if approval.answer == "deny":
            return REFUSED
        self._approved.add(approval.call.id)
        if approval.rule is not None and approval.answer != "once":
            await self._remember(approval.rule, for_good=approval.answer == "always")
        return None

    def _question(self, approval: Approval) -> dict[str, object]:
        sandboxed = self._toolbox.permissions.sandboxed
        return {
            "approval_id": approval.id,
            "call_id": approval.call.id,
            "name": approval.call.name,
            "arguments": dict(approval.call.arguments),
            "why": approval.why,
            "rule": None if approval.rule is None else str(approval.rule),
            "is_unsandboxed": approval.call.name == COMMAND and not sandboxed,
        }

    async def _remember(self, rule: Rule, *, for_good: bool) -> None:
        if for_good:
            self._means.save_rules(self._for_good.remember(rule))
            self._for_good = self._for_good.with_grants([rule])
        else:
            await self._grant(rule)
        self._toolbox.permissions = self._toolbox.permissions.with_grants([rule])

    async def _grant(self, rule: Rule) -> None:
        async with self._means.storage.write() as write:
            chat = await self._means.storage.chats.get(self._chat.id, within=write)
            grants = sorted({*chat.meta.get(GRANTS, ()), str(rule)})
            await self._means.storage.chats.update(
                write, chat.id, title=chat.title, meta={**chat.meta, GRANTS: grants}
            )

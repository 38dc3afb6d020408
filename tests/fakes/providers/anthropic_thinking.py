"""Anthropic's rules on thinking: which settings a model takes, and signatures that come back."""

from dataclasses import dataclass
from typing import Any, Literal

from tests.fakes.providers.anthropic_turns import Turn, bad, turns_of
from tests.fakes.providers.models import Claude
from tests.fakes.providers.shapes import inside
from tests.fakes.providers.signatures import Claim, digest, issue, open_token, without_key

BINDING_BETA = "thinking-binding-controls-2026-08-01"


@dataclass(frozen=True, slots=True)
class Thinking:
    """How an accepted request thinks."""

    mode: Literal["off", "adaptive", "enabled", "between_tools"]
    shown: bool
    drops_unbound: bool


def check_thinking(body: dict[str, Any], model: Claude, betas: frozenset[str]) -> Thinking:
    """Refuse settings a model does not take; tell how it will think."""
    config: dict[str, Any] = inside(body, "thinking")
    kind = config.get("type")
    effort: str | None = inside(body, "output_config").get("effort")
    _check_effort(effort, model)
    _check_kind(kind, effort, model)
    if kind == "enabled" and config["budget_tokens"] >= body.get("max_tokens", 1 << 40):
        raise bad("`max_tokens` must be greater than `thinking.budget_tokens`.")
    forced = inside(body, "tool_choice").get("type") in {"any", "tool"}
    if forced and not model.forced_tool:
        raise bad("tool_choice: forcing tool use is not supported on this model")
    if forced and kind == "enabled":
        raise bad("Thinking may not be enabled when tool_choice forces tool use.")
    binding = config.get("block_binding")
    if binding is not None and BINDING_BETA not in betas:
        raise bad(f"thinking.{kind}.block_binding: Extra inputs are not permitted")
    mode = kind or ("off" if model.default == "off" else "adaptive")
    display = config.get("display") or ("omitted" if model.hides_thinking else "summarized")
    return Thinking(
        "off" if mode == "disabled" or forced else mode,
        shown=display == "summarized",
        drops_unbound=bool(binding) and binding["prefix_mismatch_behavior"] == "drop_block",
    )


def _check_effort(effort: str | None, model: Claude) -> None:
    if effort is None or effort in model.efforts:
        return
    if not model.efforts:
        raise bad("This model does not support the effort parameter.")
    told = ", ".join(model.efforts)
    raise bad(f"This model does not support effort level '{effort}'. Supported levels: {told}.")


def _check_kind(kind: str | None, effort: str | None, model: Claude) -> None:
    if kind == "adaptive" and not model.adaptive:
        raise bad("adaptive thinking is not supported on this model")
    if kind == "enabled" and not model.manual:
        raise bad(
            '"thinking.type.enabled" is not supported for this model.'
            ' Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        )
    if kind in {"disabled", "between_tools"}:
        if kind != model.off:
            raise bad(f'"thinking.type.{kind}" is not supported for this model.')
        if model.off_up_to_high and effort in {"xhigh", "max"}:
            raise bad(f"\"thinking.type.{kind}\" is not supported with effort '{effort}'.")


def check_manual_loop(turns: list[Turn], thinking: Thinking) -> None:
    """In manual mode, a tool loop goes on only if its turn begins with thinking."""
    if thinking.mode != "enabled":
        return
    final = next((turn for turn in reversed(turns) if turn.role == "assistant"), None)
    if final is None or not final.of("tool_use"):
        return
    path, first = final.blocks[0]
    if first["type"] not in {"thinking", "redacted_thinking"}:
        raise bad(
            f"{path}.type: Expected `thinking` or `redacted_thinking`, but found `{first['type']}`."
            " When `thinking` is enabled, a final `assistant` message must start with a thinking"
            " block (preceding the lastmost set of `tool_use` and `tool_result` blocks)."
        )


@dataclass(frozen=True, slots=True)
class Signer:
    """Issues and checks the signatures of one account and model."""

    model: str
    account: str
    row: Claude

    def sign(self, kind: str, content: str, prefix: str) -> str:
        """A signature for thinking, or the data of redacted thinking."""
        bound = prefix if self.row.binds_prefix else ""
        return issue(
            Claim("anthropic", kind, self.model, self.account, digest(content), prefix=bound)
        )

    def check(self, body: dict[str, Any], turns: list[Turn], thinking: Thinking) -> list[str]:
        """Refuse signatures that don't hold; tell which blocks are dropped in silence."""
        dropped: list[str] = []
        for position, turn in enumerate(turns):
            for path, block in turn.blocks:
                if block["type"] in {"thinking", "redacted_thinking"}:
                    why = self._why_dropped(body, turns[:position], path, block, thinking)
                    dropped += [f"{path}: dropped, {why}"] if why else []
        return dropped

    def _why_dropped(
        self,
        body: dict[str, Any],
        before: list[Turn],
        path: str,
        block: dict[str, Any],
        thinking: Thinking,
    ) -> str | None:
        kind = block["type"]
        field, words = ("signature", block["thinking"]) if kind == "thinking" else ("data", "")
        claim = open_token(block[field])
        if claim is None or claim.provider != "anthropic" or claim.kind != kind:
            raise bad(f"{path}: Invalid `{field}` in `{kind}` block")
        if kind == "thinking" and claim.content != digest(words):
            raise bad(
                f"{path}: `thinking` or `redacted_thinking` blocks cannot be modified."
                " These blocks must remain as they were in the original response."
            )
        if claim.model != self.model:
            return "made by another model"
        if self.row.binds_account and claim.account != self.account:
            return "made for another account"
        if claim.prefix and claim.prefix != prefix_digest(body, before):
            if thinking.drops_unbound:
                return "bound to a different conversation"
            raise bad(f"{path}: this thinking block is bound to a different conversation")
        return None


def prefix_digest(body: dict[str, Any], before: list[Turn]) -> str:
    """The exact conversation up to a turn, without cache marks."""
    system: Any = body.get("system") or []
    told = {
        "system": [{"type": "text", "text": system}] if isinstance(system, str) else system,
        "tools": body.get("tools") or [],
        "turns": [[turn.role, [block for _, block in turn.blocks]] for turn in before],
    }
    return digest(without_key(told, "cache_control"))


def request_digest(body: dict[str, Any]) -> str:
    """The prefix that an answer to this request is bound to; what it goes on from is its own."""
    turns = turns_of(body["messages"])
    return prefix_digest(body, turns[:-1] if turns[-1].role == "assistant" else turns)

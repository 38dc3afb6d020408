"""Secrets in what tools answer: values that the folder keeps from the AI, keys and tokens.

The former are struck out. What looks like a private key or a token, whatever the file is called, a
person is asked about; without a yes it is struck out, too.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from recto.messages import Image, Text
from recto.tools.tool import ToolContext, ToolOutcome
from recto.workspace import Workspace

SHOW = "show_secret"
WHY = "What it read looks like a secret. The AI's provider would get it."
KINDS = {
    "a private key": re.compile(
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|.*)",
        re.DOTALL,
    ),
    "a token": re.compile(
        r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}"
        r"|glpat-[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{20,}|AIza[0-9A-Za-z_-]{35}"
        r"|sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,}|[sr]k_live_[A-Za-z0-9]{20,}"
        r"|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{60,}|dop_v1_[a-f0-9]{64})"
    ),
}


KEPT_BACK = "[kept from the AI]"


def without_values(text: str, secrets: Sequence[str]) -> str:
    """A text with what is kept from the AI struck out."""
    for secret in secrets:
        text = text.replace(secret, KEPT_BACK)
    return text


async def without_committed(outcome: ToolOutcome, workspace: Workspace) -> ToolOutcome:
    """An answer without the values of committed secrets, by whatever way they came into it.

    git gives them out to any command, and a command may have put them into other files.
    """
    texts = [part for part in outcome.content if isinstance(part, Text)]
    secrets = await workspace.committed_secrets() if texts else ()
    if not any(secret in part.text for secret in secrets for part in texts):
        return outcome
    kept = tuple(
        replace(part, text=without_values(part.text, secrets)) if isinstance(part, Text) else part
        for part in outcome.content
    )
    return replace(outcome, content=kept)


async def without_secrets(outcome: ToolOutcome, subject: str, context: ToolContext) -> ToolOutcome:
    """An answer with what a person lets the model see; `subject` is what the call was about."""
    found = kinds_in(outcome)
    if not found:
        return outcome
    asked = {"about": subject, "found": " and ".join(found)}
    if context.agree is not None and await context.agree(SHOW, WHY, asked):
        return outcome
    return replace(outcome, content=tuple(map(struck, outcome.content)))


def kinds_in(outcome: ToolOutcome) -> list[str]:
    """What kinds of secrets an answer seems to hold."""
    texts = [part.text for part in outcome.content if isinstance(part, Text)]
    return [kind for kind, form in KINDS.items() if any(map(form.search, texts))]


def struck(part: Text | Image) -> Text | Image:
    """A part without what looks like a secret."""
    if isinstance(part, Image):
        return part
    text = part.text
    for kind, form in KINDS.items():
        text = form.sub(f"[struck out: it looks like {kind}]", text)
    return replace(part, text=text)

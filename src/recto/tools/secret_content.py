"""Texts that look like a private key or a token, whatever the file is called.

Before a model gets one, a person is asked; without a yes it is struck out.
"""

import re
from dataclasses import replace

from recto.messages import Image, Text
from recto.tools.tool import ToolContext, ToolOutcome

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

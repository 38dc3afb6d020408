"""A disclosure statement: how much of a text AI wrote, in Markdown, to hand in with it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from recto.reviews.authorship import Authorship, PassageWriter, WriterKind

REST: dict[WriterKind, str] = {
    "typed": "typed by a person",
    "pasted": "pasted by a person",
    "ghost": "suggested while typing, and taken over by a person",
    "outside": "written with another program",
    "before": "in the file before Recto first opened it",
}
METHOD = (
    "Recto follows every character of this text. Written by AI are those that a model put here and "
    "that are still here. Edited since are those that a model put here and that a person, or "
    "another program, has changed or removed. What AI replaced itself, and what was rejected, "
    "is not counted. Pasted text may come from anywhere."
)


@dataclass(slots=True)
class ModelShare:
    """What one model contributed."""

    name: str
    edits: int
    characters: int
    first_ms: int
    last_ms: int


def statement(found: Authorship, *, now_ms: int, zone: tzinfo) -> str:
    """The statement for a text."""
    whole = len(found.text)
    wrote = found.by_ai + found.ai_edited_since
    lines = [
        f"# How AI was used in {code(found.path)}",
        "",
        f"As of {day(now_ms, zone)}.",
        "",
        f"- Written by AI: {part(found.by_ai, whole)}.",
        f"- Edited since, of what AI wrote here: {part(found.ai_edited_since, wrote)}.",
        *not_reviewed(found),
        *rest(found, whole),
        "",
        *table(shares(found), zone),
        METHOD,
    ]
    return "\n".join(lines) + "\n"


def not_reviewed(found: Authorship) -> list[str]:
    """What waits for a review, if something does."""
    if not found.not_reviewed:
        return []
    return [f"- Not yet reviewed: {part(found.not_reviewed, found.by_ai)} by AI."]


def rest(found: Authorship, whole: int) -> Iterable[str]:
    """What others than AI wrote."""
    counts = found.characters()
    for kind, words in REST.items():
        count = sum(
            counts[number] for number, writer in enumerate(found.writers) if writer.kind == kind
        )
        if count:
            by = suggested_by(found) if kind == "ghost" else ""
            yield f"- {words[0].upper()}{words[1:]}: {part(count, whole)}{by}."


def suggested_by(found: Authorship) -> str:
    """Which models suggested what people took over, as far as that is known."""
    known = (writer.suggestion for writer in found.writers)
    names = {full_name(item.model_name, item.model) for item in known if item is not None}
    return f", suggested by {', '.join(sorted(names))}" if names else ""


def shares(found: Authorship) -> list[ModelShare]:
    """What each model contributed to the text as it is, the largest part first."""
    by_model: dict[str, ModelShare] = {}
    for number, count in found.characters().items():
        writer = found.writers[number]
        if writer.kind == "ai":
            add(by_model, writer, count)
    return sorted(by_model.values(), key=lambda share: (-share.characters, share.name))


def add(by_model: dict[str, ModelShare], writer: PassageWriter, count: int) -> None:
    """Add what one edit contributed."""
    edit = writer.edit
    name = "A model that is not known any more"
    if edit is not None:
        name = full_name(edit.model_name, edit.model)
    at_ms = 0 if edit is None else edit.at_ms
    share = by_model.setdefault(name, ModelShare(name, 0, 0, at_ms, at_ms))
    share.edits += 1
    share.characters += count
    share.first_ms = min(share.first_ms, at_ms)
    share.last_ms = max(share.last_ms, at_ms)


def full_name(name: str, model: str) -> str:
    """A model by the name people know, and by the one that is exact."""
    return code(model) if name == model else f"{plain(name)} ({code(model)})"


def table(models: Sequence[ModelShare], zone: tzinfo) -> list[str]:
    """What each model contributed, as a table."""
    if not models:
        return []
    return [
        "| model | edits | characters | first | last |",
        "| --- | ---: | ---: | --- | --- |",
        *(
            f"| {model.name} | {model.edits:,} | {model.characters:,} "
            f"| {day(model.first_ms, zone)} | {day(model.last_ms, zone)} |"
            for model in models
        ),
        "",
    ]


def part(count: int, whole: int) -> str:
    """A share in words: "37 % (1,234 of 3,333 characters)"."""
    return f"{percent(count, whole)} ({count:,} of {whole:,} characters)"


def percent(count: int, whole: int) -> str:
    """A share as a whole number; something is never said to be nothing, nor a part all."""
    if not whole or not count:
        return "0 %"
    if count * 100 < whole:
        return "under 1 %"
    if count < whole and round(100 * count / whole) == 100:
        return "over 99 %"
    return f"{round(100 * count / whole)} %"


def day(at_ms: int, zone: tzinfo) -> str:
    """A date as people of every country read it; a moment that is not known has none."""
    if not at_ms:
        return "unknown"
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).strftime("%Y-%m-%d")


def code(text: str) -> str:
    """A name as it is, whatever characters are in it."""
    flat = " ".join(text.split()).replace("|", "\\|")
    marks = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    pad = " " if "`" in flat else ""
    return f"{marks}{pad}{flat}{pad}{marks}"


def plain(text: str) -> str:
    """A name in running text, without what Markdown would read into it."""
    flat = " ".join(text.split())
    return "".join(f"\\{item}" if item in "\\`*_{}[]<>#|" else item for item in flat)

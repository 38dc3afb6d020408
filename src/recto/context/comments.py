"""Several comments as one message, and the answer to each found in what came back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recto.context.blocks import digest, quoted
from recto.context.conversation import Attachment
from recto.context.meta import selection_attachment

MOST_PASSAGE = 4_000
"""The most characters of a passage that go along with its comment."""
EXCERPT = 60
FORM = (
    "Answer each comment in a section of its own, under the heading “### Comment” and its number"
    "{example}. Say nothing outside these sections."
)
HEADING = re.compile(
    r"[ ]{0,3}(?P<marks>#{1,6})[ \t]+[*_ ]*comment[ \t]+(?P<number>[0-9]{1,4})\b", re.IGNORECASE
)
LEAD_IN = re.compile(
    r"[ ]{0,3}\*\*comment[ \t]+(?P<number>[0-9]{1,4})\b[^*\n]{0,200}\*\*:?(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
OTHER_HEADING = re.compile(r"[ ]{0,3}(?P<marks>#{1,6})(?:[ \t]|$)")
FENCE = re.compile(r"[ ]{0,3}(?P<marks>`{3,}|~{3,})")
DEEPEST = 6
"""A section under bold words only ends at every real heading."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a passage, as it is sent."""

    path: str
    """Empty for a passage of an answer."""
    line: int | None
    """None when nobody knows where the passage is now."""
    before: str
    text: str
    after: str
    body: str

    @property
    def place(self) -> str:
        """Where it is, in words."""
        if not self.path:
            return "a passage of an answer"
        where = f"line {self.line}" if self.line is not None else "a passage that is gone now"
        return f"{quoted(self.path)}, {where} (“{excerpt(self.text)}”)"


def excerpt(text: str) -> str:
    """The first words of a passage, in one line."""
    words = " ".join(text.split())
    return words if len(words) <= EXCERPT else f"{words[: EXCERPT - 1].rstrip()}…"


def comments_request(text: str, comments: Sequence[Comment]) -> str:
    """The words of a message with comments. Passages of files go along as attachments."""
    parts = [text.strip()] if text.strip() else []
    parts += [
        f"Comment {number}, on {comment.place}:\n{quote(comment)}{comment.body.strip()}"
        for number, comment in enumerate(comments, 1)
    ]
    example = "" if len(comments) == 1 else f", 1 to {len(comments)}"
    return "\n\n".join([*parts, FORM.format(example=example)])


def quote(comment: Comment) -> str:
    """A passage of an answer, which is no file and so goes along with its comment."""
    if comment.path:
        return ""
    text, cut = comment.text[:MOST_PASSAGE], "…" if len(comment.text) > MOST_PASSAGE else ""
    return "".join(f"> {line}\n" for line in f"{text}{cut}".splitlines()) + "\n"


def comment_attachment(number: int, comment: Comment) -> Attachment:
    """The passage of a comment, with some of what stands around it."""
    words, cut = comment.text, None
    if len(words) > MOST_PASSAGE:
        cut = f"only the first {MOST_PASSAGE:,} of {len(words):,} characters"
        words = words[:MOST_PASSAGE]
    found = selection_attachment(comment.path, comment.before, words, comment.after)
    whole = f"The passage of comment {number}, {comment.place}.\n{found.text}"
    return Attachment(comment.path, whole, digest(whole), cut, "selection")


def read_comment_answers(answer: str, count: int) -> dict[int, str]:
    """The answer to each comment, by its number; none where the model did not keep to the form."""
    found: dict[int, list[str]] = {}
    lines: list[str] | None = None
    level = 0
    fence = ""
    for line in answer.split("\n"):
        fence, is_code = fenced(line, fence)
        begun = None if is_code else heading_of(line)
        if begun is not None and 1 <= begun.number <= count:
            lines, level = found.setdefault(begun.number, []), begun.level
            lines += ["", begun.rest]
        elif not is_code and ends(line, level):
            lines = None
        elif lines is not None:
            lines.append(line)
    texts = {number: "\n".join(some).strip() for number, some in sorted(found.items())}
    return {number: text for number, text in texts.items() if text}


@dataclass(frozen=True, slots=True)
class CommentHeading:
    """The beginning of a section on a comment."""

    number: int
    level: int
    rest: str
    """What the line says besides."""


def heading_of(line: str) -> CommentHeading | None:
    """The heading that a line is; some models only write it bold, and go on in the same line."""
    if (found := HEADING.match(line)) is not None:
        return CommentHeading(int(found["number"]), len(found["marks"]), "")
    if (found := LEAD_IN.match(line)) is not None:
        return CommentHeading(int(found["number"]), DEEPEST, found["rest"])
    return None


def fenced(line: str, fence: str) -> tuple[str, bool]:
    """The code fence that is open after a line, and whether the line belongs to code."""
    found = FENCE.match(line)
    if not fence:
        return (found["marks"], True) if found else ("", False)
    is_end = found is not None and found["marks"].startswith(fence)
    return ("" if is_end else fence), True


def ends(line: str, level: int) -> bool:
    """Whether a line is a heading that ends a section of some level."""
    found = OTHER_HEADING.match(line)
    return found is not None and len(found["marks"]) <= level

"""Comments added, answered and resolved, in the parts that Word keeps them in."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from recto.word.changes.hunks import WordHunk
from recto.word.changes.runs import ChangeAuthor, cut_out, set_text
from recto.word.changes.tracked_text import check_letters, within
from recto.word.failures import EditRefused, PassageMissing
from recto.word.ooxml.comments import COMMENTS, EXTENDED, PARAGRAPH_ID, WORD_2012, comment_threads
from recto.word.ooxml.document import CONTENT_TYPES, WordDocument, with_row
from recto.word.ooxml.names import Element, attribute, children, kind, make
from recto.word.view import ShownParagraph

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OFFICE_2011 = "http://schemas.microsoft.com/office/2011/relationships"
WORDPROCESSING = "application/vnd.openxmlformats-officedocument.wordprocessingml"
NEW_COMMENTS = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'mc:Ignorable="w14"></w:comments>'
)
NEW_EXTENDED = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    f'<w15:commentsEx xmlns:w15="{WORD_2012}" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'mc:Ignorable="w15"></w15:commentsEx>'
)
ANCHORS = ("commentRangeStart", "commentRangeEnd", "commentReference")


@dataclass(frozen=True, slots=True)
class PartKind:
    """A part that comments need: how the main part names it, and what it is."""

    relation: str
    type: str
    content_type: str
    file: str
    empty: str


COMMENTS_PART = PartKind(
    COMMENTS, f"{OFFICE}/comments", f"{WORDPROCESSING}.comments+xml", "comments.xml", NEW_COMMENTS
)
EXTENDED_PART = PartKind(
    EXTENDED, f"{OFFICE_2011}/commentsExtended", f"{WORDPROCESSING}.commentsExtended+xml",
    "commentsExtended.xml", NEW_EXTENDED,
)  # fmt: skip


def add_comment(
    document: WordDocument,
    paragraph: ShownParagraph,
    about: str | tuple[int, int],
    text: str,
    author: ChangeAuthor,
) -> str:
    """Say something about words of a paragraph, or about all of it; answers the comment's id."""
    document.check_editable("comment")
    if paragraph.story.name != document.main:
        raise EditRefused("Word has no comments on notes. Comment on the text that they are at.")
    segments = paragraph.segments
    if isinstance(about, tuple):
        segments = [item for item in segments if not item.is_mark]
        hunk = WordHunk(*about, "")
    else:
        start = paragraph.text.find(about)
        if start < 0 or (about and paragraph.text.find(about, start + 1) >= 0):
            raise PassageMissing(f'The paragraph has "{about[:60]}" not just once.')
        hunk = WordHunk(start, start + (len(about) or len(paragraph.text)), "")
    paragraph.story.touch(paragraph.element)
    runs: list[Element] = []
    for segment, first, last in reversed(within(segments, hunk)):
        if first < last and not segment.is_mark:
            runs = [*cut_out(segment, first, last), *runs]
    name = new_comment(document, text, author)
    anchor(paragraph.element, runs, name)
    return name


def anchor(paragraph: Element, runs: list[Element], name: str) -> None:
    """Put a comment's marks around runs, at the level of the paragraph."""
    first = top_of(runs[0], paragraph) if runs else None
    last = top_of(runs[-1], paragraph) if runs else None
    start = make(paragraph, "commentRangeStart", id=name)
    end = make(paragraph, "commentRangeEnd", id=name)
    if first is None or last is None:
        paragraph.append(start)
        paragraph.append(end)
    else:
        first.addprevious(start)
        end.tail, last.tail = last.tail, None
        last.addnext(end)
    end.addnext(reference(paragraph, name))


def top_of(run: Element, paragraph: Element) -> Element:
    """The child of a paragraph that a run is in."""
    found = run
    while (parent := found.getparent()) is not None and parent is not paragraph:
        found = parent
    return found


def reference(like: Element, name: str) -> Element:
    """The run that stands for a comment in the text."""
    run = make(like, "r")
    run.append(make(like, "commentReference", id=name))
    return run


def answer_comment(document: WordDocument, name: str, text: str, author: ChangeAuthor) -> str:
    """Answer a comment; answers the new one's id. Raises PassageMissing without such a comment."""
    document.check_editable("comment")
    first = first_comment(document, name)
    parent = paragraph_id(document, first)
    new = new_comment(document, text, author)
    extended = document.part_of(EXTENDED) or add_part(document, EXTENDED_PART)
    append_row(document, extended, new_paragraph_id(new, author), parent)
    for item in list(document.body.iter()):
        if attribute(item, "id") != first or kind(item) not in ANCHORS:
            continue
        document.story(document.main).touch(item)
        mark = item.getparent() if kind(item) == "commentReference" else item
        if mark is not None:
            made = reference(item, new) if mark is not item else make(item, kind(item), id=new)
            made.tail, mark.tail = mark.tail, None
            mark.addnext(made)
    return new


def resolve_comment(document: WordDocument, name: str, *, done: bool) -> None:
    """Mark a thread as resolved, or as open again. Raises PassageMissing."""
    document.check_editable("comment")
    own = paragraph_id(document, first_comment(document, name))
    extended = document.part_of(EXTENDED) or add_part(document, EXTENDED_PART)
    data = document.part(extended)
    row = re.search(rb'<(\w+):commentEx\b[^>]*?\1:paraId="' + own.encode() + rb'"[^>]*?/?>', data)
    state = b"1" if done else b"0"
    if row is None:
        append_row(document, extended, own, None, done=done)
        return
    old = row[0]
    new, changed = re.subn(rb'(:done=")[^"]*(")', rb"\g<1>" + state + rb"\g<2>", old)
    if not changed:
        prefix = row[1]
        new = re.sub(rb"\s*(/?>)$", b" " + prefix + b':done="' + state + rb'"\1', old)
    document.put(extended, data.replace(old, new, 1))


def first_comment(document: WordDocument, name: str) -> str:
    """The first comment of the thread that a comment is in."""
    for first, thread in comment_threads(document).items():
        if any(item.id == name for item in thread.comments):
            return first
    known = ", ".join(sorted(comment_threads(document))) or "none"
    raise PassageMissing(f"There is no comment {name[:20]}. There are: {known}.")


def paragraph_id(document: WordDocument, name: str) -> str:
    """The id that answers know a comment by; it gets one if it has none."""
    story = document.story(document.part_of(COMMENTS) or "")
    for item in children(story.root, "comment"):
        paragraphs = list(children(item, "p"))
        if attribute(item, "id") == name and paragraphs:
            known = paragraphs[-1].get(PARAGRAPH_ID)
            if known:
                return known
            made = new_paragraph_id(name, None)
            paragraphs[-1].set(PARAGRAPH_ID, made)
            story.touch(paragraphs[-1])
            return made
    raise EditRefused(f"Comment {name[:20]} has no paragraph.")


def new_paragraph_id(name: str, author: ChangeAuthor | None) -> str:
    """An id as Word wants it: eight digits, below 80000000."""
    seed = f"{name}/{author.name if author else ''}/{author.date if author else ''}"
    number = int.from_bytes(blake2b(seed.encode(), digest_size=4).digest()) & 0x7FFFFFFF
    return f"{max(number, 1):08X}"


def new_comment(document: WordDocument, text: str, author: ChangeAuthor) -> str:
    """A new comment that is not at any words yet; answers its id."""
    check_letters(text)
    part = document.part_of(COMMENTS) or add_part(document, COMMENTS_PART)
    story = document.story(part)
    used = [attribute(item, "id") for item in children(story.root, "comment")]
    name = str(max([-1, *(int(item) for item in used if item.isdecimal())]) + 1)
    initials = "".join(word[0] for word in author.name.split() if word[0].isalpha())[:3]
    comment = make(
        story.root, "comment", id=name, author=author.name, date=author.date, initials=initials
    )
    lines = text.split("\n")
    for line in lines:
        paragraph = make(story.root, "p")
        run = make(story.root, "r")
        node = make(story.root, "t")
        set_text(node, line)
        run.append(node)
        paragraph.append(run)
        comment.append(paragraph)
    comment[-1].set(PARAGRAPH_ID, new_paragraph_id(name, author))
    story.append(story.root, comment)
    return name


def add_part(document: WordDocument, part: PartKind) -> str:
    """Add an empty part, and tell the package of it; answers its name."""
    folder = document.main.rpartition("/")[0]
    name = f"{folder}/{part.file}" if folder else part.file
    if document.package.find(name) is not None:
        raise EditRefused(f"The document has a {part.file} that belongs to something else.")
    types = document.package.find(CONTENT_TYPES) or CONTENT_TYPES
    row = f'<Override PartName="/{name}" ContentType="{part.content_type}"/>'
    document.put(types, with_row(document.part(types), row, types))
    document.add_relation(part.relation, part.type, part.file, name)
    document.put(name, part.empty.encode())
    return name


def append_row(
    document: WordDocument, part: str, own: str, parent: str | None, *, done: bool = False
) -> None:
    """Tell which comment answers which."""
    above = f' w15:paraIdParent="{parent}"' if parent else ""
    row = (
        f'<w15:commentEx xmlns:w15="{WORD_2012}" w15:paraId="{own}"{above} w15:done="{int(done)}"/>'
    )
    document.put(part, with_row(document.part(part), row, part))

"""Makes a person's changes: tracked, or made tracked and accepted at once."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from recto.alike import same_end
from recto.word.changes.hunks import WordHunk, fixed_in, hunks
from recto.word.changes.paragraph_ends import join_with_next, split_paragraph
from recto.word.changes.revisions import resolve
from recto.word.changes.runs import ChangeAuthor
from recto.word.changes.text_merge import merge_texts, moved_place
from recto.word.changes.tidying import tidy
from recto.word.changes.tracked_paragraphs import add_paragraph, remove_paragraph
from recto.word.changes.tracked_text import apply, change_paragraph, check_hunk, check_letters
from recto.word.failures import EditRefused
from recto.word.numbering import NumberedTexts
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.names import Element, kind, parse
from recto.word.ooxml.segments import BY_FIELD, Segment, segments_of
from recto.word.page.edits import (
    AddParagraph,
    AddRow,
    BringBack,
    EditConflict,
    FormatText,
    JoinParagraphs,
    LinkText,
    PageEdit,
    RemoveParagraph,
    RemoveRow,
    SetText,
    SplitParagraph,
    StyleParagraph,
)
from recto.word.page.formatting import format_runs, style_paragraph
from recto.word.page.kept import (
    KeptBlock,
    KeptBlocks,
    about_to_go,
    around,
    deletion_of,
    forget_deletion,
    paragraphs_in,
    put_back_inside,
)
from recto.word.page.linking import link_runs
from recto.word.page.reader import page_text
from recto.word.page.rows import add_row, remove_row, row_of
from recto.word.view import DocumentView, ShownParagraph

GONE = "This can't be brought back as it was. What you see is still on the page: copy it."
DIRECT = "Recto, made at once"
"""In whose name a change is tracked that is accepted before it is saved."""


@dataclass(slots=True)
class PageEditor:
    """One document while changes are made to it."""

    view: DocumentView
    author: ChangeAuthor
    is_tracked: bool
    next_number: int
    kept: KeptBlocks = field(default_factory=KeptBlocks)
    gone: list[KeptBlock] = field(default_factory=list[KeptBlock])
    """What the changes may take away, as it was."""
    made: dict[int, int] = field(default_factory=dict[int, int])
    """The number that each new paragraph got, by the one it was asked for with."""
    conflicts: list[EditConflict] = field(default_factory=list[EditConflict])
    _paragraphs: dict[int, ShownParagraph] = field(default_factory=dict[int, ShownParagraph])
    _joined: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    _touched: dict[int, ShownParagraph] = field(default_factory=dict[int, ShownParagraph])

    def __post_init__(self) -> None:
        self._paragraphs = {item.number: item for item in self.view.paragraphs}
        if not self.is_tracked:
            self.author.name = DIRECT

    @property
    def document(self) -> WordDocument:
        """The document."""
        return self.view.document

    def make(self, edits: Sequence[PageEdit]) -> NumberedTexts:
        """Make all changes; answers the numbers of the paragraphs. Raises EditRefused."""
        self.document.check_editable("edit")
        if self.document.protection == "trackedChanges" and not self.is_tracked:
            raise EditRefused("The document is protected: all changes are tracked. Turn it on.")
        self.gone = about_to_go(edits, self._paragraphs)
        for edit in edits:
            self._makers()[type(edit)](edit)
        if self.is_tracked:
            for item in self._touched.values():
                tidy(item.story, item.element, self.author.name)
        else:
            for story in self.document.stories():
                resolve(story, accept=True, chosen=self._is_mine)
        return self._numbered()

    def _makers(self) -> dict[type, Callable[..., None]]:
        return {
            SetText: self._set_text,
            FormatText: self._format,
            SplitParagraph: self._split,
            JoinParagraphs: self._join,
            AddParagraph: self._add,
            BringBack: self._bring_back,
            RemoveParagraph: self._remove,
            StyleParagraph: self._style,
            AddRow: self._add_row,
            RemoveRow: self._remove_row,
            LinkText: self._link,
        }

    def _is_mine(self, mark: Element) -> bool:
        return any(
            str(key).endswith("}author") and text == DIRECT for key, text in mark.attrib.items()
        )

    def _numbered(self) -> NumberedTexts:
        """The numbers, each with the very paragraph that had it."""
        known = {item.element: number for number, item in self._paragraphs.items()}
        for first, following in self._joined:
            # Word keeps the second of two paragraphs that it joins, people think of the first.
            if not is_in_tree(self._paragraphs[first].element):
                known[self._paragraphs[following].element] = first
        view = DocumentView(self.document, self.view.untouched())
        numbers: list[int] = []
        for item in view.paragraphs:
            number = known.get(item.element)
            if number is None:
                number = self._new_number()
            numbers.append(number)
        texts = tuple(item.text for item in view.paragraphs)
        return NumberedTexts(tuple(numbers), texts, self.next_number)

    def _new_number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    def _find(self, number: int) -> ShownParagraph:
        found = self._paragraphs.get(self.made.get(number, number))
        if found is None:
            raise EditRefused(
                "A paragraph that was changed here is no longer in the document. "
                "What you wrote is still on the page: copy it, and open the document again."
            )
        self._touched[found.number] = found
        return found

    def _segments(self, item: ShownParagraph) -> list[Segment]:
        """What a paragraph shows now, without the marks of links."""
        if any(segment.locked == BY_FIELD for segment in item.segments):
            return [segment for segment in item.segments if not segment.is_mark]
        around = self.document.surroundings(self.document.note_labels(), item.story)
        item.segments = segments_of(item.element, around)
        return [segment for segment in item.segments if not segment.is_mark]

    def _place(self, item: ShownParagraph, base: str, at: int) -> int:
        """A place in how a paragraph read, in how it reads now."""
        return moved_place(base, page_text(item), at)

    def _set_text(self, edit: SetText) -> None:
        item = self._find(edit.paragraph)
        check_letters(edit.text)
        if page_text(item) == edit.base and self._puts_back(item, edit.text):
            return
        segments = self._segments(item)
        now = page_text(item)
        wanted = edit.text if now == edit.base else merge_texts(edit.base, edit.text, now)
        if wanted is None:
            self.conflicts.append(EditConflict(item.number, edit.text, now))
            return
        found = [trimmed(now, hunk, segments) for hunk in hunks(segments, wanted)]
        found = [hunk for hunk in found if hunk.start < hunk.end or hunk.new]
        for hunk in found:
            check_hunk(segments, hunk)
        if found:
            item.story.touch(item.element)
        for hunk in found:
            apply(item.element, segments, hunk, self.author)
        self._segments(item)

    def _puts_back(self, item: ShownParagraph, text: str) -> bool:
        """Whether a paragraph shall have things again that it had: then it is as it was."""
        was = self.kept.as_it_read(item.number, text)
        if was is None:
            return False
        around = self.document.surroundings(self.document.note_labels(), item.story)
        before = [one.text for one in segments_of(was, around) if not one.is_text]
        now = [one.text for one in self._segments(item) if not one.is_text]
        if not Counter(before) - Counter(now):
            return False
        put_back_inside(item, was)
        self._segments(item)
        return True

    def _format(self, edit: FormatText) -> None:
        item = self._find(edit.paragraph)
        for span in reversed(edit.spans):
            segments = self._segments(item)
            start, end = (self._place(item, edit.base, at) for at in (span.start, span.end))
            format_runs(
                item, segments, (start, end), span, self.author if self.is_tracked else None
            )
        self._segments(item)

    def _link(self, edit: LinkText) -> None:
        item = self._find(edit.paragraph)
        segments = self._segments(item)
        start, end = (self._place(item, edit.base, at) for at in (edit.start, edit.end))
        link_runs(self.document, item, segments, (start, end), edit.address)
        self._segments(item)

    def _split(self, edit: SplitParagraph) -> None:
        item = self._find(edit.paragraph)
        segments = self._segments(item)
        at = self._place(item, edit.base, edit.at)
        made = split_paragraph(item.story, item.element, segments, at, self.author)
        self._segments(item)
        self._know(edit.new, ShownParagraph(made, item.story, "", [], in_cell=item.in_cell))

    def _know(self, asked: int, new: ShownParagraph) -> None:
        new.number = self._new_number()
        self.made[asked] = new.number
        self._paragraphs[new.number] = new
        self._segments(new)
        self._touched[new.number] = new

    def _join(self, edit: JoinParagraphs) -> None:
        item, following = self._find(edit.paragraph), self._find(edit.following)
        most = min(len(edit.text), len(edit.following_base))
        kept = same_end(edit.text, edit.following_base, most)
        cut = len(edit.text) - kept
        self._set_text(SetText(item.number, edit.base, edit.text[:cut]))
        self._set_text(SetText(following.number, edit.following_base, edit.text[cut:]))
        join_with_next(item.story, item.element, following.element, self.author)
        self._joined.append((item.number, following.number))

    def _add(self, edit: AddParagraph) -> None:
        if edit.after == 0:
            self._add_before(edit)
            return
        before = self._find(edit.after)
        if any(kind(item) in ("footnote", "endnote") for item in before.element.iterancestors()):
            raise EditRefused("A note has one paragraph here. Change its words.")
        check_letters(edit.text)
        made = add_paragraph(before.story, before.element, "", self.document.styles, self.author)
        new = ShownParagraph(made, before.story, "", [], in_cell=before.in_cell)
        self._know(edit.new, new)
        if edit.text:
            change_paragraph(new.story, made, new.segments, edit.text, self.author)
        style_paragraph(self.document, new, StyleParagraph(new.number, edit.style), None)
        self._segments(new)

    def _add_before(self, edit: AddParagraph) -> None:
        """A new first paragraph: the one there is cut at its beginning."""
        first = self._find(edit.before)
        rest = split_paragraph(first.story, first.element, self._segments(first), 0, self.author)
        new = ShownParagraph(first.element, first.story, "", [], in_cell=first.in_cell)
        first.element = rest
        self._segments(first)
        self._know(edit.new, new)
        if edit.text:
            change_paragraph(new.story, new.element, new.segments, edit.text, self.author)
        style_paragraph(self.document, new, StyleParagraph(new.number, edit.style), None)
        self._segments(new)

    def _bring_back(self, edit: BringBack) -> None:
        block = self.kept.find(edit.paragraph)
        was = None if block is None else parse(block.xml, "a paragraph")
        if block is None or was is None or (kind(was) == "p" and self._is_tracked_anew(was)):
            if edit.what != "paragraph" or edit.beside_table:
                raise EditRefused(GONE)
            self._add(AddParagraph(edit.after, edit.text, edit.style, edit.paragraph, edit.before))
            return
        beside = self._find(edit.after or edit.before)
        found = deletion_of(beside.story, was, self.author.name) if self.is_tracked else None
        if found is not None:
            forget_deletion(beside.story, found, self.author.name)
        elif self.is_tracked:
            raise EditRefused(GONE)
        else:
            found = was
            place = place_of(beside.element, kind(was), beside_table=edit.beside_table)
            if edit.after:
                beside.story.add_after(place, was)
            else:
                beside.story.add_before(place, was)
        for number, inside in zip(block.numbers, paragraphs_in(found), strict=True):
            if number:
                self._paragraphs[number] = ShownParagraph(
                    inside, beside.story, "", [], number=number
                )
                self._segments(self._paragraphs[number])

    def _is_tracked_anew(self, was: Element) -> bool:
        """Whether a paragraph can only be put back as a new one."""
        if not self.is_tracked:
            return False
        stories = self.document.stories()
        return all(deletion_of(story, was, self.author.name) is None for story in stories)

    def _remove(self, edit: RemoveParagraph) -> None:
        item = self._find(edit.paragraph)
        segments = self._segments(item)
        now = page_text(item)
        if now != edit.base:
            self.conflicts.append(EditConflict(item.number, "", now))
            return
        remove_paragraph(item.story, item.element, segments, self.author)

    def _style(self, edit: StyleParagraph) -> None:
        item = self._find(edit.paragraph)
        style_paragraph(self.document, item, edit, self.author if self.is_tracked else None)

    def _add_row(self, edit: AddRow) -> None:
        item = self._find(edit.paragraph)
        row = add_row(item.story, item.element, self.author)
        for asked, paragraph in zip(edit.new, paragraphs_in(row), strict=False):
            self._know(asked, ShownParagraph(paragraph, item.story, "", [], in_cell=True))

    def _remove_row(self, edit: RemoveRow) -> None:
        item = self._find(edit.paragraph)
        remove_row(item.story, item.element, self.author)


def place_of(element: Element, name: str, *, beside_table: bool) -> Element:
    """Beside what a paragraph, a row or a table is put, given a paragraph there."""
    if name == "tr":
        return row_of(element)
    return next(iter(around(element, "tbl")), element) if beside_table else element


def is_in_tree(element: Element) -> bool:
    """Whether a paragraph is still in its part."""
    return any(kind(item) in ("body", "footnotes", "endnotes") for item in element.iterancestors())


def trimmed(old: str, hunk: WordHunk, segments: Sequence[Segment]) -> WordHunk:
    """A hunk without the letters that it leaves as they are: a person types letters, not words."""
    if any(item.start < hunk.end and hunk.start < item.end for item in fixed_in(segments)):
        return hunk
    start, end, new = hunk.start, hunk.end, hunk.new
    while start < end and new and old[start] == new[0]:
        start, new = start + 1, new[1:]
    while start < end and new and old[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return WordHunk(start, end, new)

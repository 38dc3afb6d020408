"""A Word document: its package, the parts with paragraphs, and what must not be changed in it."""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from recto.word.failures import EditRefused, NotWord
from recto.word.ooxml.names import (
    STRICT_WORD,
    WORD,
    Element,
    attribute,
    child,
    children,
    parse,
    within,
)
from recto.word.ooxml.package import Package
from recto.word.ooxml.renewal import renewed
from recto.word.ooxml.segments import Surroundings
from recto.word.ooxml.story import Story
from recto.word.ooxml.styles import Styles

ROOT_RELATIONS = "_rels/.rels"
USUAL_MAIN = "word/document.xml"
CONTENT_TYPES = "[Content_Types].xml"
RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
SIGNATURES = "_xmlsignatures/"
IDS = etree.XPath(
    "//@w:id | //@s:id", namespaces={"w": WORD, "s": STRICT_WORD}, smart_strings=False
)
SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part's relationship leads: another part, or an address that is never asked."""

    id: str
    kind: str
    target: str
    is_external: bool


class WordDocument:
    """A document that can be read, changed and saved. Raises NotWord."""

    def __init__(self, data: bytes) -> None:
        self.package = Package(data)
        self.main = self._main_part()
        self.relations = {item.id: item for item in self.relations_of(self.main)}
        self._stories: dict[str, Story] = {}
        self._changed: dict[str, bytes] = {}
        self._roots: dict[str, Element] = {}
        self.styles = Styles()
        if (styles := self.root_of("styles")) is not None:
            self.styles.add_styles(styles)
        if (numbering := self.root_of("numbering")) is not None:
            self.styles.add_numbering(numbering)

    def renew(self, data: bytes) -> bool:
        """Be the document that these bytes are, if only words of the body are others in it.

        Changes that were made to it are given up. Where it has to be read as a whole nothing is
        done. Raises NotWord.
        """
        package = Package(data)
        story = self.story(self.main)
        others = [item for item in self._stories.values() if item is not story]
        if self._changed or any(item.is_changed for item in others):
            return False
        if not package.is_but_for(self.main, self.package):
            return False
        content = package.read(self.main)
        is_same = content == story.data and not story.is_changed
        if not is_same and not renewed(story, self.body, content):
            return False
        self.package = package
        self._roots.pop(self.main, None)
        return True

    @property
    def body(self) -> Element:
        """What holds the document's blocks. Raises NotWord."""
        found = child(self.story(self.main).root, "body")
        if found is None:
            raise NotWord("it has no body")
        return found

    def story(self, name: str) -> Story:
        """A part with paragraphs."""
        if name not in self._stories:
            self._stories[name] = Story(name, self.part(name))
        return self._stories[name]

    def stories(self) -> list[Story]:
        """The parts whose text is shown: the body, then the notes."""
        names = [self.part_of(item) for item in ("footnotes", "endnotes")]
        return [self.story(name) for name in [self.main, *names] if name is not None]

    def part(self, name: str) -> bytes:
        """A part as it will be saved. Raises NotWord."""
        return self._changed[name] if name in self._changed else self.package.read(name)

    def put(self, name: str, content: bytes) -> None:
        """Change or add a part as a whole."""
        self._changed[name] = content
        self._stories.pop(name, None)
        self._roots.pop(name, None)

    def saved(self) -> bytes:
        """The document as bytes: the very ones it was read from, if nothing was changed."""
        changed = {
            story.name: story.saved() for story in self._stories.values() if story.is_changed
        }
        return self.package.saved({**self._changed, **changed})

    def part_of(self, relation: str) -> str | None:
        """The part that the main one has for something, such as "comments"."""
        for item in self.relations.values():
            if item.kind == relation and not item.is_external:
                return self.package.find(item.target) or (
                    item.target if item.target in self._changed else None
                )
        return None

    def root_of(self, relation: str) -> Element | None:
        """The tree of a part that the main one has for something: to read, and not to change."""
        name = self.part_of(relation)
        if name is None:
            return None
        if name not in self._roots:
            self._roots[name] = parse(self.part(name), name)
        return self._roots[name]

    def add_relation(self, relation: str, type_: str, target: str, part: str) -> None:
        """Have the main part name another one."""
        found, new = self.relations_file(), self.new_relation_id()
        data = self.part(found)
        row = f'<Relationship Id="{new}" Type="{type_}" Target="{target}"/>'
        self.put(found, with_row(data, row, found))
        self.relations[new] = Relation(new, relation, part, is_external=False)

    def relations_file(self) -> str:
        """The part that names what the main one has. Raises EditRefused."""
        folder, _, name = self.main.rpartition("/")
        found = self.package.find(f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
        if found is None:
            raise EditRefused("The document's main part has no relationships.")
        return found

    def new_relation_id(self) -> str:
        """An id that no relationship has yet."""
        return next(
            key for number in range(1, 100_000) if (key := f"rId{number}") not in self.relations
        )

    def relations_of(self, part: str) -> list[Relation]:
        """A part's relationships."""
        folder, _, name = part.rpartition("/")
        file = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
        found = self.package.find(file)
        if found is None:
            return []
        root = parse(self.package.read(found), found)
        return [relation_of(item, folder) for item in root.iter(RELATION)]

    def surroundings(self, notes: dict[tuple[str, str], str], story: Story) -> Surroundings:
        """What the paragraphs of a part need to be shown."""
        links = (
            self.relations.values() if story.name == self.main else self.relations_of(story.name)
        )
        return Surroundings({item.id: item.target for item in links if item.is_external}, notes)

    def note_labels(self) -> dict[tuple[str, str], str]:
        """The label of each note, by its kind and id, in the order in which they are kept."""
        found: dict[tuple[str, str], str] = {}
        for name, sign in (("footnote", ""), ("endnote", "e")):
            part = self.part_of(f"{name}s")
            if part is not None:
                notes = [item for item in children(self.story(part).root, name) if is_note(item)]
                for number, item in enumerate(notes, 1):
                    found[name, attribute(item, "id")] = f"{sign}{number}"
        return found

    @property
    def is_signed(self) -> bool:
        """Whether somebody signed it: every change breaks the signature."""
        return any(name.casefold().startswith(SIGNATURES) for name in self.package.names)

    @property
    def protection(self) -> str:
        """What Word lets people do: all if empty, else "readOnly", "comments" or the like."""
        settings = self.root_of("settings")
        if settings is None:
            return ""
        protection = child(settings, "documentProtection")
        if protection is not None and is_on(attribute(protection, "enforcement")):
            return attribute(protection, "edit") or "readOnly"
        writing = child(settings, "writeProtection")
        asks = writing is not None and any("hash" in str(key).casefold() for key in writing.attrib)
        return "readOnly" if asks else ""

    def notices(self) -> list[str]:
        """What readers should know before they change it."""
        found: list[str] = []
        if self.is_signed:
            found.append("[This document is signed. A change would break the signature.]")
        if self.protection:
            found.append(f"[This document is protected: {allowed(self.protection)}.]")
        if next(within(self.body, "ins", "del"), None) is not None:
            found.append("[It has tracked changes: what they delete is left out here.]")
        return found

    def check_editable(self, doing: str = "edit") -> None:
        """Refuse what would break a signature or go round a protection. Raises EditRefused."""
        if self.is_signed:
            raise EditRefused(
                "The document is signed, and any change breaks the signature. "
                "Change a copy (duplicate_file) or have the signature removed in Word."
            )
        fits = {"edit": ("", "trackedChanges"), "comment": ("", "trackedChanges", "comments")}
        if self.protection not in fits.get(doing, ("",)):
            raise EditRefused(
                f"The document is protected: {allowed(self.protection)}. "
                "Have the protection lifted in Word (Review, Restrict Editing) first."
            )

    def next_id(self, stories: Iterable[Story]) -> int:
        """A number that no change, comment or bookmark has yet."""
        # Asked of the parser itself: to look at each element from here takes four times as long.
        found = (str(text) for story in stories for text in IDS(story.root))
        ids = [int(text) for text in found if text.isdecimal()]
        largest = max((number for number in ids if number < 2**31 - 10_000), default=0)
        return largest + 1

    def _main_part(self) -> str:
        if self.package.find(ROOT_RELATIONS) is None:
            found = self.package.find(USUAL_MAIN)
            if found is None:
                raise NotWord("it is a zip package of something else")
            return found
        for item in self.relations_of(""):
            if item.kind == "officeDocument" and not item.is_external:
                name = self.package.find(item.target)
                if name is not None:
                    return name
        raise NotWord("it has no main part")


def relation_of(item: Element, folder: str) -> Relation:
    """One relationship; a target that climbs out of the package leads nowhere."""
    target = item.get("Target") or ""
    is_external = (item.get("TargetMode") or "").casefold() == "external"
    if not is_external:
        joined = target[1:] if target.startswith("/") else posixpath.join(folder, target)
        target = posixpath.normpath(joined)
    name = (item.get("Type") or "").rpartition("/")[2]
    return Relation(item.get("Id") or "", name, target, is_external)


def is_note(item: Element) -> bool:
    """Whether it is a note, and not one of the lines that Word draws above notes."""
    return attribute(item, "type") not in SEPARATORS


def is_on(text: str) -> bool:
    """A switch that is on."""
    return text in ("1", "true", "on")


def allowed(protection: str) -> str:
    """What a protection leaves, in words."""
    return {
        "readOnly": "it may only be read",
        "comments": "only comments may be added",
        "forms": "only its form fields may be filled in",
        "trackedChanges": "all changes are tracked",
    }.get(protection, "it may only be read")


def with_row(data: bytes, row: str, name: str) -> bytes:
    """A list in XML with one row more at its end."""
    at = data.rfind(b"</")
    if at < 0:
        raise EditRefused(f"{name} is written in a way that Recto can't change.")
    prefix = re.match(rb"</([\w.-]+:)?", data[at:])
    if row.startswith(("<Override", "<Relationship")) and prefix is not None and prefix[1]:
        row = f"<{prefix[1].decode()}{row[1:]}"
    return data[:at] + row.encode() + data[at:]

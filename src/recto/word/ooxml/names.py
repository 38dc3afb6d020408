"""Names in Word's XML, and reading it without anything that a document could define or fetch."""

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from recto.word.failures import NotWord

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_WORD = "http://purl.oclc.org/ooxml/wordprocessingml/main"
WORD_NAMESPACES = (WORD, STRICT_WORD)
WORD_2010 = "http://schemas.microsoft.com/office/word/2010/wordml"
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
STRICT_MATH = "http://purl.oclc.org/ooxml/officeDocument/math"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
STRICT_DRAWING = "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_RELATIONSHIPS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
XML = "http://www.w3.org/XML/1998/namespace"
FALLBACK = f"{{{COMPATIBILITY}}}Fallback"
SPACE = f"{{{XML}}}space"
DEFINES = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']+)["']""")
WORD_ENDINGS = (".docx", ".docm", ".dotx", ".dotm")

Element = etree._Element  # pyright: ignore[reportPrivateUsage]  # the only name lxml has for it


def is_word(path: str) -> bool:
    """Whether a file is a Word document by its name."""
    return path.casefold().endswith(WORD_ENDINGS)


def parse(data: bytes, name: str) -> Element:
    """The root of a part in UTF-8 that defines nothing. Raises NotWord."""
    if DEFINES.search(data):
        raise NotWord(f"{name} defines a document type")
    declared = ENCODING.match(data.removeprefix(b"\xef\xbb\xbf"))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise NotWord(f"{name} is not in UTF-8")
    if declared is not None and declared[1].lower() not in (b"utf-8", b"us-ascii"):
        raise NotWord(f"{name} is not in UTF-8")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        remove_blank_text=False, strip_cdata=False,
    )  # fmt: skip
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise NotWord(f"{name} is damaged ({error.msg})") from error


def kind(element: Element) -> str:
    """The name of one of Word's own elements; empty for any other, and for comments."""
    tag = element.tag
    return kind_of_tag(tag) if isinstance(tag, str) else ""


# Asked many times for each letter of a document, of a few hundred names.
@lru_cache(maxsize=4096)
def kind_of_tag(tag: str) -> str:
    """The same of a tag."""
    space, _, name = tag[1:].partition("}")
    return name if space in WORD_NAMESPACES else ""


def word_space(element: Element) -> str:
    """The namespace of Word's elements in this part: the usual one, or the strict one."""
    tag = str(element.getroottree().getroot().tag)
    return STRICT_WORD if tag.startswith(f"{{{STRICT_WORD}}}") else WORD


def named(element: Element, name: str) -> str:
    """A name of Word's in the namespace that an element's part uses."""
    return f"{{{word_space(element)}}}{name}"


# In either namespace: which one a part uses would be looked up for each of its elements.
def child(element: Element, name: str) -> Element | None:
    """The first child of this name of Word's."""
    return next(children(element, name), None)


def children(element: Element, name: str) -> Iterator[Element]:
    """The children of this name of Word's."""
    return element.iterchildren(f"{{{WORD}}}{name}", f"{{{STRICT_WORD}}}{name}")


def within(element: Element, *names: str) -> Iterator[Element]:
    """An element and all in it, of these names of Word's."""
    return element.iter(*(f"{{{space}}}{name}" for space in WORD_NAMESPACES for name in names))


def attribute(element: Element, name: str) -> str:
    """One of Word's attributes; empty without it."""
    return element.get(f"{{{WORD}}}{name}") or element.get(f"{{{STRICT_WORD}}}{name}") or ""


def value(element: Element | None, name: str = "") -> str:
    """The `val` of an element, or of its child of this name; empty without it."""
    found = element if element is None or not name else child(element, name)
    return "" if found is None else attribute(found, "val")


def make(like: Element, name: str, **attributes: str) -> Element:
    """A new element of Word's for the part that another one is in."""
    made = etree.Element(named(like, name), nsmap={"w": word_space(like)})
    for key, text in attributes.items():
        made.set(named(like, key), text)
    return made

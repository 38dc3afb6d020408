"""What the papers say of the tests' numbers is what the named commands do."""

import re
from pathlib import Path
from string import Formatter

from tests.faults.test_database_restarts import EVERY_S
from tests.llm.test_damaged_recordings import RECORDINGS

ROOT = Path(__file__).parent.parent
PAPERS = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md"]
DOCS = sorted((ROOT / "docs").glob("*.md"))
RESTART_MINUTES = "RESTART_MINUTES"
DAMAGED_IN_ALL = "DAMAGED_IN_ALL"

# Every sentence of a paper that has a number of `make soak`, or of a test that it makes longer: in
# capitals what the Makefile says, in lower case what the test does otherwise.
SENTENCES = {
    "README.md": (
        "`make soak`: {HISTORIES} random histories |",
        "`make soak`: {SCHEDULES} schedules |",
    ),
    "SECURITY.md": (
        "`pytest tests/faults` kills the server {write_kills} times while it writes and"
        " {turn_kills} times at random in the middle of turns"
        " (`make soak`: {WRITE_KILLS} and {TURN_KILLS})",
        "`make soak`: {FRAMES} random frames and {DAMAGED_FILES} damaged files",
    ),
    "CONTRIBUTING.md": (
        "{HISTORIES} random histories, {SCHEDULES} budget schedules, {TURN_KILLS} kills in turns,"
        " {DAMAGED_IN_ALL} damaged recordings,"
        f" PostgreSQL restarted every {EVERY_S} s for {{RESTART_MINUTES}} minutes |",
    ),
    "models-and-keys.md": ("`make soak` sends {HISTORIES} random histories to strict",),
}
NUMBER = re.compile(r"\b\d[\d,]*\b")


def soak() -> dict[str, str]:
    """What `make soak` sets, by the name without `RECTO_`."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = text.partition("\nsoak:")[2].partition("\n\n")[0]
    return dict(re.findall(r"\bRECTO_(\w+)=(\w+)", recipe))


def defaults() -> dict[str, str]:
    """What the tests do when nothing is set, by the same names."""
    found: dict[str, str] = {}
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name, value in re.findall(r'"RECTO_(\w+)"(?:, "(\w+)"\))?', text):
            found[name] = value or found.get(name, "")
    return found


def numbers() -> dict[str, int]:
    """Everything that a sentence can name."""
    long = {name: int(value) for name, value in soak().items() if value.isdigit()}
    short = {name.lower(): int(value) for name, value in defaults().items() if value.isdigit()}
    derived = {
        RESTART_MINUTES: long["RESTART_S"] // 60,
        DAMAGED_IN_ALL: long["DAMAGED"] * len(RECORDINGS),
    }
    return {**long, **short, **derived}


def written(sentence: str) -> str:
    """A sentence with its numbers as people write them."""
    known = numbers()
    names = [name for _, name, _, _ in Formatter().parse(sentence) if name]
    return sentence.format(**{name: f"{known[name]:,}" for name in names})


def test_the_papers_name_the_numbers_of_the_command_that_they_name() -> None:
    papers = {path.name: path.read_text(encoding="utf-8") for path in [*PAPERS, *DOCS]}
    sentences = [(name, written(item)) for name, some in SENTENCES.items() for item in some]
    assert [(name, item) for name, item in sentences if item not in papers[name]] == []


def test_no_other_number_is_told_of_the_long_runs() -> None:
    for path in [*PAPERS, *DOCS]:
        text = path.read_text(encoding="utf-8")
        for sentence in SENTENCES.get(path.name, ()):
            text = text.replace(written(sentence), "")
        told = [line for line in text.splitlines() if "make soak" in line]
        assert [line for line in told if NUMBER.search(line.lstrip("0123456789. "))] == [], path


def test_the_long_runs_set_only_what_tests_read_and_run_only_what_is_there() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nsoak:")[2]
    paths = re.findall(r"(?<!\S)(tests/\S+)", recipe.partition("\n\n")[0])
    assert set(soak()) - set(defaults()) == set()
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_paper_on_security_names_tests_that_there_are() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert named
    for path, test in named:
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), (path, test)
    pages = re.findall(r"`(web/src/[\w/.-]+\.test\.ts)`", text)
    assert [page for page in pages if not (ROOT / page).is_file()] == []


def test_every_sentence_of_the_paper_on_security_names_a_test() -> None:
    """One sentence a line; headings, and what nobody promises, have none."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promised = text.partition("\n## What Recto promises\n")[2]
    promised = promised.partition("\n## What it does not protect against")[0]
    silent = re.compile(r"$|## |\d+\. \*\*|\| what |\| --- |What none of them holds: ")
    lines = [line for line in promised.splitlines() if not silent.match(line)]
    form = re.compile(
        r"(?: {3}- |- |\| ).*`(?:tests/[\w/]+\.py::\w+|web/src/\S+\.test\.ts)`(?: \|)?"
    )
    assert len(lines) > 50
    assert [line for line in lines if not form.fullmatch(line)] == []


def test_the_long_runs_are_as_long_as_promised() -> None:
    known = numbers()
    wanted = {
        "TURN_KILLS": 5_000,
        DAMAGED_IN_ALL: 100_000,
        RESTART_MINUTES: 5,
        "FRAMES": 100_000,
        "DAMAGED_FILES": 10_000,
    }
    assert {name: known[name] for name in wanted} == wanted


def test_a_table_says_each_thing_once() -> None:
    """A merge that kept both sides left two rows for one thing, one of them out of date."""
    for path in [*PAPERS, ROOT / "ARCHITECTURE.md", ROOT / "GLOSSARY.md", *DOCS]:
        for table in re.findall(r"(?:^\|.*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE):
            first = [row.split("|")[1].strip() for row in table.splitlines()]
            named = [cell for cell in first if cell]
            assert [cell for cell in named if named.count(cell) > 1] == [], path


def test_the_architecture_names_files_that_there_are() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    places = [ROOT, ROOT / "src" / "recto", ROOT / "web"]
    named = re.findall(r"`((?:[\w-]+/)+[\w.-]*\.(?:py|ts|svelte|json|toml))`", text)
    assert len(named) > 100
    assert [name for name in named if not any((place / name).is_file() for place in places)] == []

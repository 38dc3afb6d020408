"""A library of 20,000 entries: opened, searched, one entry edited; beside other readers of BibTeX.

    python -m benchmarks.references [--entries 20000]

Everything runs on one file in one run. bibtexparser and pybtex only read; they are told by how long
that takes, if build/rivals has them. What the library does is judged by the time that it takes of
the processor, which other programs don't lengthen. Targets: opened in under 1 s, searched in under
20 ms, an edit changes its entry alone; 200 citations as they will print in under 500 ms, and at
once when asked for again. Printing is pandoc's work: pandoc alone is measured beside it, on the
same citations. Where that takes longer than 500 ms on this machine, no more than 1.3 times as long
as pandoc alone counts.
"""

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recto.processes import find_pandoc
from recto.publishing import CitationPreviews
from recto.publishing.styles import find_style
from recto.references import Libraries, Library, cited_entries
from recto.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
RIVAL_PYTHON = ROOT / "build" / "rivals" / "bin" / "python"
OPEN_S, SEARCH_MS, PRINT_MS = 1.0, 20.0, 500.0
MOST_OVER_PANDOC = 1.3
ROUNDS = 5
CITATIONS = 200
RIVALS = {
    "bibtexparser": "import bibtexparser; n = len(bibtexparser.load(open(path)).entries)",
    "pybtex": "from pybtex.database import parse_file; n = len(parse_file(path).entries)",
}
TIMED = (
    "import sys, time; path = sys.argv[1]; t = time.perf_counter(); {work};"
    " print(n, time.perf_counter() - t)"
)


def make_library(entries: int) -> str:
    """A file like a researcher's: abstracts, LaTeX accents, several authors."""
    chance = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(chance.choices(letters, k=chance.randrange(3, 10))) for _ in range(8000)]

    def some(count: int) -> str:
        return " ".join(chance.choices(words, k=count))

    def entry(number: int) -> str:
        authors = " and ".join(
            f'M{{\\"u}}{chance.choice(words)}, {chance.choice(words).title()}' for _ in range(3)
        )
        return (
            f"@article{{key{number},\n  title = {{{some(9)}}},\n  author = {{{authors}}},\n"
            f"  journal = {{Journal of {some(1)}}},\n  year = {{{chance.randrange(1950, 2026)}}},\n"
            f"  volume = {{{number % 90}}},\n  pages = {{1--{number}}},\n"
            f"  doi = {{10.1000/{number}}},\n  abstract = {{{some(90)}}},\n"
            f"  keywords = {{{some(1)}, {some(1)}}},\n}}\n\n"
        )

    return "".join(entry(number) for number in range(entries))


async def measure(folder: Path, entries: int, text: str) -> bool:
    """Open, search and edit; whether the targets are met."""
    async with await Workspace.open(folder) as workspace:
        began, looked = time.process_time(), time.perf_counter()
        library = await Libraries().open(workspace)
        opened, opened_wall = time.process_time() - began, time.perf_counter() - looked
        began = time.process_time()
        library.search("first", limit=10)
        indexed = time.process_time() - began
        middle = library.reference(entries // 2)
        queries = [
            "muller 1999", "the", middle.title, middle.doi, "e", middle.abstract[:60], "qqqq",
        ]  # fmt: skip
        times: list[float] = []
        for query in queries * 5:
            began = time.process_time()
            library.search(query, limit=10)
            times.append((time.process_time() - began) * 1000)
        began = time.process_time()
        write = library.edit(f"key{entries // 2}", {"year": "2020"})
        edited = time.process_time() - began
        citations = [f"[@key{number}, p. {number}]" for number in range(CITATIONS)]
        printed, again, alone = await print_citations(workspace, library, citations)
    changed = write.data.decode()
    entry = library.entry(f"key{entries // 2}").entry
    is_alone = changed.startswith(text[: entry.start]) and changed.endswith(text[entry.end :])
    print(f"  Recto: opened in {opened:.2f} s, by the clock {opened_wall:.2f} s")
    print(f"  Recto: index made at the first search in {indexed:.2f} s")
    print(f"  Recto: searched in {statistics.median(times):.1f} ms (slowest {max(times):.1f} ms)")
    print(f"  Recto: edit prepared in {edited * 1000:.0f} ms, other bytes the same: {is_alone}")
    print(f"  Recto: {CITATIONS} citations printed in {printed:.0f} ms, again {again:.1f} ms")
    print(f"  pandoc alone: {alone:.0f} ms; Recto takes {printed / alone:.2f} times as long")
    for name, seconds in rivals(folder / "references" / "library.bib"):
        print(f"  {name}: read in {seconds:.2f} s, {seconds / opened_wall:.0f} times as long")
    is_soon = printed < PRINT_MS or (alone >= PRINT_MS and printed <= MOST_OVER_PANDOC * alone)
    is_printed = is_soon and again < SEARCH_MS
    return opened < OPEN_S and statistics.median(times) < SEARCH_MS and is_alone and is_printed


async def print_citations(
    workspace: Workspace, library: Library, citations: list[str]
) -> tuple[float, float, float]:
    """How long printing takes, once more, and by pandoc alone: medians of turns, in ms."""
    first: list[float] = []
    again: list[float] = []
    alone: list[float] = []
    style = await find_style(workspace, "draft.md", "", "")
    keys = [f"key{number}" for number in range(len(citations))]
    for _ in range(ROUNDS):
        previews = CitationPreviews()
        # What pandoc prints takes time outside this process, what is kept takes none there.
        for times, clock in ((first, time.perf_counter), (again, time.process_time)):
            began = clock()
            await previews.render(workspace, library, "draft.md", "", citations)
            times.append((clock() - began) * 1000)
        alone.append(pandoc_alone(style.data, cited_entries(library, keys).bibtex, citations))
    return statistics.median(first), statistics.median(again), statistics.median(alone)


def pandoc_alone(style: bytes, bibtex: str, citations: list[str]) -> float:
    """How long pandoc takes to print the same citations, with no sandbox and nobody around it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "style.csl").write_bytes(style)
        (folder / "cited.bib").write_text(bibtex, encoding="utf-8")
        command = [
            str(find_pandoc()), "--citeproc", f"--csl={folder / 'style.csl'}",
            f"--bibliography={folder / 'cited.bib'}", "--from", "markdown", "--to", "html",
        ]  # fmt: skip
        began = time.perf_counter()
        text = "\n\n".join(citations).encode()
        subprocess.run(command, input=text, capture_output=True, check=True)
        return (time.perf_counter() - began) * 1000


def rivals(file: Path) -> list[tuple[str, float]]:
    """How long others take to read the same file; none where they are not installed."""
    if not RIVAL_PYTHON.is_file():
        print("  bibtexparser and pybtex are not in build/rivals: nothing to compare with")
        return []
    found: list[tuple[str, float]] = []
    for name, work in RIVALS.items():
        command = [RIVAL_PYTHON, "-c", TIMED.format(work=work), file]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append((name, float(answer.stdout.split()[-1])))
    return found


def main() -> None:
    """Print the figures; fail when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=20_000)
    entries: int = parser.parse_args().entries
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "references").mkdir()
        text = make_library(entries)
        (folder / "references" / "library.bib").write_text(text, encoding="utf-8")
        print(f"  {entries:,} entries, {len(text) / 1e6:.0f} MB")
        if not asyncio.run(measure(folder, entries, text)):
            sys.exit("references: a target is missed.")


if __name__ == "__main__":
    main()

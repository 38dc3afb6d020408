"""Sets one document by Typst, in a process with caps: into a PDF, or into pictures of its pages.

It reads a line of JSON, its orders, from its input; what it makes lies in the private folder, and
its answer, the number of pages, is a line of JSON, too.
"""

import json
import resource
import sys
from pathlib import Path

import typst

MAX_CPU_S = 110
MAX_FILE = 500_000_000
MOST_PAGES = 60
PREVIEW_PPI = 110.0


def main() -> None:
    """Read, set, end. A document that can't be set ends it with the reason on the error output."""
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, MAX_FILE))
    order = json.loads(sys.stdin.buffer.readline())
    folder = Path(order["folder"])
    source = folder / "document.typ"
    # A package that is not there would be fetched; there is none here, and nowhere to put one.
    nowhere = str(folder / "packages")
    try:
        if order["kind"] == "pdf":
            typst.compile(
                str(source),
                output=str(folder / "document.pdf"),
                root=str(folder),
                format="pdf",
                package_path=nowhere,
                package_cache_path=nowhere,
            )
            answer(0)
            return
        pages = typst.compile(
            str(source),
            root=str(folder),
            format="png",
            ppi=PREVIEW_PPI,
            package_path=nowhere,
            package_cache_path=nowhere,
        )
        made = [bytes(page) for page in pages] if isinstance(pages, list) else [bytes(pages or b"")]
        for number, page in enumerate(made[:MOST_PAGES], 1):
            (folder / f"page{number}.png").write_bytes(page)
        answer(len(made))
    except (typst.TypstError, RuntimeError, ValueError) as error:
        sys.exit(str(error) or type(error).__name__)


def answer(pages: int) -> None:
    """Say how many pages were drawn."""
    sys.stdout.write(json.dumps({"pages": pages}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

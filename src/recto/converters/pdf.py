"""Takes the text out of one PDF, in a process with little memory and time.

It reads eight bytes of length and the file from its input, and prints the pages' text, each with a
form feed behind it.
"""

import io
import logging
import resource
import sys

import pypdf
from pypdf.errors import PyPdfError

MAX_MEMORY = 1 << 30
MAX_CPU_S = 25
MAX_PAGES = 2000


def main() -> None:
    """Read, print, end. A file that is no PDF ends it with its reason on the error output."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    logging.disable()
    size = int.from_bytes(sys.stdin.buffer.read(8))
    data = sys.stdin.buffer.read(size)
    try:
        print_pages(pypdf.PdfReader(io.BytesIO(data)))
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError, MemoryError) as error:
        sys.exit(str(error) or type(error).__name__)


def print_pages(reader: pypdf.PdfReader) -> None:
    """Print the text of each page."""
    if reader.is_encrypted and not reader.decrypt(""):
        sys.exit("it needs a password")
    for number, page in enumerate(reader.pages):
        if number == MAX_PAGES:
            sys.exit(f"it has over {MAX_PAGES:,} pages")
        text = page.extract_text().replace("\f", "\n")
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\f")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

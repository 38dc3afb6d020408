"""Takes what people read out of one HTML page, in a process with little memory and time.

It reads eight bytes of length and the page from its input, and prints Markdown.
"""

import logging
import resource
import sys

import trafilatura

MAX_MEMORY = 1 << 30
MAX_CPU_S = 25


def main() -> None:
    """Read, print, end. What goes wrong ends it; the last line of its errors is told."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    logging.disable()
    size = int.from_bytes(sys.stdin.buffer.read(8))
    html = sys.stdin.buffer.read(size).decode("utf-8", "replace")
    sys.stdout.buffer.write(read(html).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def read(html: str) -> str:
    """The page as Markdown, with title and date at its head where it says them."""
    text = trafilatura.extract(
        html, output_format="markdown", include_links=True, include_tables=True
    )
    if not text:
        return ""
    about = trafilatura.extract_metadata(html)
    head = [f"# {about.title}"] if about.title and about.title not in text[:500] else []
    head += [f"Date: {about.date}"] if about.date else []
    return "\n\n".join([*head, text])


if __name__ == "__main__":
    main()

"""The files that Word and LibreOffice put beside a document that they have open."""

import posixpath


def lock_files(path: str) -> tuple[str, ...]:
    """Where the lock of a document may be."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    # Word puts its two signs before a short name, and in the place of a longer one's beginning.
    cut = 0 if len(stem) <= 6 else 1 if len(stem) == 7 else 2
    names = (f"~${name[cut:]}", f".~lock.{name}#")
    return tuple(posixpath.join(folder, item) for item in names)


def opened_by(data: bytes, path: str) -> str:
    """Who has the document open, as far as its lock says."""
    if path.endswith("#"):
        parts = data.decode("utf-8", "replace").split(",")
        who = next((part.strip() for part in parts[:2] if part.strip()), "")
        return f"LibreOffice ({who})" if who else "LibreOffice"
    length = data[0] if data else 0
    who = data[1 : 1 + length].decode("utf-8", "replace").strip() if 0 < length < 55 else ""
    return f"Word ({who})" if who.isprintable() and who else "Word"

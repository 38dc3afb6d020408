"""How a picture is called that comes from a clipboard, and where it goes."""

import re
from datetime import UTC, datetime, tzinfo

from recto.projects.links.folder_names import beside

ENDINGS = {"image/jpeg": "jpg", "image/svg+xml": "svg", "image/x-icon": "ico"}
# What a link could not say, or another system could not store.
REFUSED = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\\/:*?\"<>|\[\]#^%]+")
NAMELESS = {"", "image", "blob", "clipboard"}
MOST = 100


def attachment_place(folder: str, note: str) -> str:
    """The folder for what is put into a note, by the setting."""
    if folder == "." or folder.startswith(("./", "../")):
        return beside(note, folder) or ""
    return folder.strip("/")


def attachment_name(name: str, media_type: str, now_ms: int, zone: tzinfo) -> str:
    """A name that links and systems can bear; one without any is named by the time."""
    ending = ENDINGS.get(media_type) or media_type.rpartition("/")[2]
    tail = re.split(r"[/\\]", name)[-1]
    stem, dot, given = tail.rpartition(".")
    if not dot or len(given) > 5:
        stem, given = tail, ""
    stem = REFUSED.sub("-", stem).strip(" .-")[:MOST].strip()
    if stem.lower() in NAMELESS:
        moment = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
        return f"picture {moment:%Y-%m-%d %H.%M.%S}.{ending}"
    is_same = given.lower() in {ending, "jpeg" if ending == "jpg" else ending}
    return f"{stem}.{given.lower() if is_same else ending}"

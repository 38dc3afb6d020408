"""Three-way merging of files: what one side changed and what the other changed, both kept.

Where both changed the same lines, and not to the same, there is no merge: nobody is overruled.
"""

import anyio.to_thread

from recto.documents import MergeConflict, merge_texts, spliced
from recto.word import MergeDocuments, WordFailure, ask_worker, is_word

ANY_BYTES = "surrogateescape"
"""Bytes that are no text go through as they are."""


async def merge_files(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes | None:
    """What both sides made of the base; None where they contradict each other."""
    if not is_word(path):
        return await anyio.to_thread.run_sync(merge, base, ours, theirs)
    try:
        return (await ask_worker(MergeDocuments(), base, ours, theirs)).data or None
    except WordFailure:
        return None  # one of them is no document any more: then there is nothing to merge


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What both sides made of the base; None where they contradict each other."""
    # Most often nobody else touched it: no need to compare line by line.
    if ours in (base, theirs):
        return theirs
    base_text, our_text, their_text = [
        side.decode("utf-8", ANY_BYTES) for side in (base, ours, theirs)
    ]
    added = merge_texts(base_text, our_text, their_text)
    return (
        None
        if isinstance(added, MergeConflict)
        else spliced(our_text, added).encode("utf-8", ANY_BYTES)
    )

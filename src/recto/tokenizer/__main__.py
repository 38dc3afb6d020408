"""A process that counts for another, which has better things to do than to wait.

It is told how long each of some texts is, as a line of JSON, and then the texts, in UTF-8. It
answers with a line of JSON: the two counts of each. It ends with its input.
"""

import sys
from json import dumps, loads
from typing import BinaryIO

from recto.tokenizer.cut import tokenize


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Count as long as there is something to count."""
    while line := source.readline():
        counts = [tokenize(source.read(length).decode()) for length in loads(line)]
        target.write(dumps([(count.ascii, count.other) for count in counts]).encode() + b"\n")
        target.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

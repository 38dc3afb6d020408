"""What cells answered, as the notebook's file has it."""

from typing import Any

from recto.notebooks.kernels.outputs import CellOutputs

MAX_IN_FILE = 1_000_000
"""Characters of a printed text that go to the file; the rest is kept until the next run."""


def for_file(outputs: CellOutputs) -> list[dict[str, Any]]:
    """Outputs as they go to the file: of a long printed text, its beginning and its end."""
    return [
        {**output, "text": cut(output["text"])}
        if output["output_type"] == "stream"
        else dict(output)
        for output in outputs.outputs()
    ]


def cut(text: str) -> str:
    """A text that a file can hold."""
    if len(text) <= MAX_IN_FILE:
        return text
    half = MAX_IN_FILE // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out.]\n{text[-half:]}"

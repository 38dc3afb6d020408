"""Notebooks made by chance, and what a JSON writer makes of them: the oracle of every edit."""

import copy
import json
from dataclasses import dataclass
from random import Random
from typing import Any

Json = dict[str, Any]
WORDS = (
    "x = 1",
    "print('é')",
    "",
    "# Title",
    "α β",
    '"quoted"',
    "a\tb",
    "\\u00e9",
    "π\u2028π",
    "💧",
)


@dataclass(frozen=True)
class Spelling:
    """How a file is written."""

    indent: int | str | None
    separators: tuple[str, str]
    ascii_only: bool
    newline: str
    final_newline: bool
    bom: bool
    sort_keys: bool

    def write(self, notebook: Json) -> bytes:
        text = json.dumps(
            notebook,
            indent=self.indent,
            separators=self.separators,
            ensure_ascii=self.ascii_only,
            sort_keys=self.sort_keys,
        )
        text = text.replace("\n", self.newline) + (self.newline if self.final_newline else "")
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode()


JUPYTER = Spelling(1, (",", ": "), False, "\n", True, False, True)


def spelling(chance: Random) -> Spelling:
    indent = chance.choice([1, 1, 2, 4, "\t", None])
    comma = "," if indent is not None else chance.choice([",", ", "])
    return Spelling(
        indent,
        (comma, chance.choice([":", ": "])),
        chance.random() < 0.3,
        chance.choice(["\n", "\r\n"]) if indent is not None else "\n",
        chance.random() < 0.7,
        chance.random() < 0.1,
        chance.random() < 0.8,
    )


def source(chance: Random) -> str:
    return "\n".join(chance.choices(WORDS, k=chance.randrange(5)))


def output(chance: Random) -> Json:
    kind = chance.choice(["stream", "execute_result", "error"])
    if kind == "stream":
        return {"name": "stdout", "output_type": kind, "text": source(chance).splitlines(True)}
    if kind == "error":
        lines = ["\x1b[31mE\x1b[0m", source(chance)]
        return {"ename": "E", "evalue": "v", "output_type": kind, "traceback": lines}
    data = {"text/plain": source(chance).splitlines(True), "application/json": {"b": 1, "a": [2]}}
    return {
        "data": data,
        "execution_count": chance.randrange(9),
        "metadata": {},
        "output_type": kind,
    }


def cell(chance: Random, number: int, *, ids: bool) -> Json:
    kind = chance.choice(["code", "code", "markdown", "raw"])
    found: Json = {"cell_type": kind}
    if kind == "code":
        found["execution_count"] = chance.choice([None, 1, 22])
    if ids:
        found["id"] = f"cell-{number}"
    found["metadata"] = chance.choice([{}, {"tags": ["a", "b"]}, {"deep": {"n": 1.5e-7}}])
    if kind == "code":
        found["outputs"] = [output(chance) for _ in range(chance.randrange(3))]
    # A pair of spellings that nbformat allows: one text, or its lines.
    text = source(chance)
    found["source"] = text if chance.random() < 0.2 else text.splitlines(True)
    return found


def notebook(chance: Random, *, ids: bool = True) -> Json:
    return {
        "cells": [cell(chance, at, ids=ids) for at in range(1 + chance.randrange(5))],
        "metadata": {"kernelspec": {"name": "python3"}, "é": "a\u00e9b"},
        "nbformat": 4,
        "nbformat_minor": 5 if ids else 4,
    }


def with_source(found: Json, at: int, text: str) -> Json:
    """The notebook with another source of a cell, in the form that it had."""
    found = copy.deepcopy(found)
    old = found["cells"][at]["source"]
    found["cells"][at]["source"] = text if isinstance(old, str) else text.splitlines(True)
    return found

"""The outputs of a running cell, made of what its kernel sends: merged, updated, cleared, bounded.

What a kernel sends is not trusted: a message of another form than it should have becomes words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from recto.notebooks.kernels.stream_text import StreamText

MAX_CELL = 50_000_000
"""Characters that the outputs of one cell may have, about; more is counted and left out."""
MAX_OUTPUTS = 10_000
MAX_DISPLAYS = 1_000
MAX_DEPTH = 100
"""Deeper values are no output that anybody shows, and could not be written."""
TAKEN = frozenset(
    {"stream", "display_data", "execute_result", "error", "update_display_data", "clear_output"}
)
Output = dict[str, Any]


class Displays:
    """Outputs that were given a name, so that later ones can take their place."""

    def __init__(self) -> None:
        self._named: dict[str, list[tuple[CellOutputs, Output]]] = {}
        self._names: dict[int, str] = {}
        """The names by the outputs' identity: what is named is kept, so that it stays theirs."""

    def name(self, display_id: str, owner: "CellOutputs", output: Output) -> None:
        """An output was shown under a name."""
        self._named.setdefault(display_id, []).append((owner, output))
        self._names[id(output)] = display_id
        while len(self._named) > MAX_DISPLAYS:
            for _, gone in self._named.pop(next(iter(self._named))):
                del self._names[id(gone)]

    def update(self, display_id: str, content: Mapping[str, Any]) -> None:
        """All outputs of a name show something else now, in whichever cell they are."""
        for owner, output in self._named.get(display_id, ()):
            owner.replace(output, data_and_metadata(content))

    def name_of(self, output: Output) -> str | None:
        """The name under which an output was shown, if it has one."""
        return self._names.get(id(output))

    def forget(self, owner: "CellOutputs") -> None:
        """The outputs of a cell are gone."""
        for display_id, shown in list(self._named.items()):
            left = [item for item in shown if item[0] is not owner]
            for gone in shown:
                if gone[0] is owner:
                    del self._names[id(gone[1])]
            if left:
                self._named[display_id] = left
            else:
                del self._named[display_id]


class CellOutputs:
    """What one run of a cell has answered so far."""

    def __init__(self, displays: Displays, *, limit: int = MAX_CELL, left_out: int = 0) -> None:
        self._displays = displays
        self._limit = limit
        self._size = 0
        self._outputs: list[Output | tuple[str, StreamText]] = []
        self._clears = False
        self._left_out = left_out
        self.execution_count: int | None = None
        self.is_changed = False
        """Whether something came, or was updated, since somebody last said False here."""

    @property
    def error(self) -> Output | None:
        """The last error, if there was one."""
        errors = [item for item in self._outputs if is_error(item)]
        return cast(Output, errors[-1]) if errors else None

    def outputs(self) -> list[Output]:
        """The outputs as files have them."""
        found: list[Output] = []
        left_out = self._left_out
        for item in self._outputs:
            if isinstance(item, dict):
                found.append(item)
                continue
            name, text = item
            left_out += text.dropped
            found.append({"name": name, "output_type": "stream", "text": text.value})
        if left_out:
            words = f"[{left_out:,} more characters are left out: this is too much for a cell.]\n"
            found.append({"name": "stderr", "output_type": "stream", "text": words})
        return found

    @property
    def items(self) -> Sequence["Output | tuple[str, StreamText]"]:
        """The outputs as they are kept: a printed text goes on growing."""
        return self._outputs

    @property
    def is_full(self) -> bool:
        """Whether there is no room for a printed text any more."""
        return self._size >= self._limit

    @property
    def left_out(self) -> int:
        """How many characters found no room."""
        texts = sum(item[1].dropped for item in self._outputs if isinstance(item, tuple))
        return self._left_out + texts

    def take(self, kind: str, content: Mapping[str, Any]) -> str:
        """Take a message of the kernel; the words that it printed, if any."""
        if kind == "execute_input":
            count = content.get("execution_count")
            self.execution_count = count if type(count) is int else None
        if kind not in TAKEN:
            return ""
        self.is_changed = True
        if kind == "clear_output":
            self._clears = True
            if content.get("wait") is not True:
                self._clear()
            return ""
        if self._clears:
            self._clear()
        if kind == "stream":
            return self._print(content)
        self._show(kind, content)
        return ""

    def replace(self, output: Output, content: Output) -> None:
        """One of these shows something else now, if there is room for it."""
        self.is_changed = True
        grown = (size_of(content) or 0) - (size_of(data_and_metadata(output)) or 0)
        if self._size + grown > self._limit:
            self._left_out += grown
            return
        self._size += grown
        output |= content

    def messages(self) -> list[tuple[str, Output]]:
        """The messages of a kernel that would have made these outputs: as few as can be."""
        found: list[tuple[str, Output]] = []
        if self.execution_count is not None:
            found.append(("execute_input", {"execution_count": self.execution_count}))
        for item in self._outputs:
            if isinstance(item, tuple):
                found.append(("stream", {"name": item[0], "text": item[1].printed_again}))
                continue
            content = {key: value for key, value in item.items() if key != "output_type"}
            name = self._displays.name_of(item)
            if name is not None:
                content["transient"] = {"display_id": name}
            found.append((item["output_type"], content))
        if self._clears:
            found.append(("clear_output", {"wait": True}))
        return found

    def _clear(self) -> None:
        self._displays.forget(self)
        self._outputs.clear()
        self._clears = False
        self._size = self._left_out = 0

    def _print(self, content: Mapping[str, Any]) -> str:
        name = "stderr" if content.get("name") == "stderr" else "stdout"
        words = content.get("text")
        words = words if isinstance(words, str) else repr(words)
        last = self._outputs[-1] if self._outputs else None
        if not isinstance(last, tuple) or last[0] != name:
            if len(self._outputs) >= MAX_OUTPUTS:
                self._left_out += len(words)
                return words
            last = (name, StreamText(self._limit - self._size))
            self._outputs.append(last)
        before = len(last[1])
        last[1].add(words)
        self._size += len(last[1]) - before
        return words

    def _show(self, kind: str, content: Mapping[str, Any]) -> None:
        size = size_of(content)
        if size is None:
            content, size = {"data": {"text/plain": "[an output that is nested too deeply]"}}, 0
            kind = "display_data"
        display_id = mapping(content.get("transient")).get("display_id")
        if kind == "update_display_data":
            if isinstance(display_id, str):
                self._displays.update(display_id, content)
            return
        if self._size + size > self._limit or len(self._outputs) >= MAX_OUTPUTS:
            self._left_out += size
            return
        self._size += size
        output = output_of(kind, content)
        self._outputs.append(output)
        if isinstance(display_id, str):
            self._displays.name(display_id, self, output)


def output_of(kind: str, content: Mapping[str, Any]) -> Output:
    """A message as an output of a file."""
    if kind == "error":
        traceback = content.get("traceback")
        lines = cast(list[Any], traceback) if isinstance(traceback, list) else []
        return {
            "ename": str(content.get("ename", "")),
            "evalue": str(content.get("evalue", "")),
            "output_type": "error",
            "traceback": [str(line) for line in lines],
        }
    output: Output = {**data_and_metadata(content), "output_type": kind}
    if kind == "execute_result":
        count = content.get("execution_count")
        output["execution_count"] = count if type(count) is int else None
    return output


def data_and_metadata(content: Mapping[str, Any]) -> Output:
    """What is shown, in several forms, and what is said of it."""
    return {key: dict(mapping(content.get(key))) for key in ("data", "metadata")}


def size_of(value: Any) -> int | None:
    """How many characters a value has, about; None when it is nested too deeply."""
    size, level = 0, [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            size += len(item) if isinstance(item, str) else 8
            if isinstance(item, dict):
                below += cast(dict[str, Any], item).values()
            elif isinstance(item, list):
                below += cast(list[Any], item)
        if not below:
            return size
        level = below
    return None


def is_error(item: "Output | tuple[str, StreamText]") -> bool:
    """Whether an output is an error."""
    return isinstance(item, dict) and item.get("output_type") == "error"


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one in the place of anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}

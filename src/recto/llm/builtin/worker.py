"""The process that runs the model: `python -m recto.llm.builtin.worker MODEL.gguf [IDLE_SECONDS]`.

One JSON object a line. It is told {"id", "kind": "chat" | "text", "body"}, ids ascending, and
{"cancel": id}, which holds for all requests up to that one. It tells {"id", "read", "total"}, the
tokens of the prompt that it has read, of none while it loads the model; {"id", "chunk"}, each a
Chat Completions chunk or error; and {"id", "end": true}. It ends when nobody talks to it any more.
"""

import json
import os
import queue
import signal
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, BinaryIO

from recto.llm.builtin.circles import goes_round
from recto.llm.builtin.model_file import InvalidModelFile, read_model_file

BATCH = 64
"""Tokens of a prompt that are read in one go, before a cancellation is seen."""
MOST_THREADS = 4
PROMPT_CACHE_MIB = 128
ERRORS_ONLY = 1
END: dict[str, object] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
"""The last chunk of an answer that is ended here."""


def main() -> None:
    """Serve until the input ends."""
    idle_s = float(sys.argv[2]) if len(sys.argv) > 2 else None
    # The engine prints as it likes. Its words go to the error output: the output is ours alone.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker(Path(sys.argv[1]), out, idle_s)
    Thread(target=worker.listen, args=(sys.stdin.buffer,), daemon=True).start()
    worker.serve()


class Worker:
    """Answers requests in turn. The model is loaded for the first, and again after a rest."""

    def __init__(self, path: Path, out: BinaryIO, idle_s: float | None) -> None:
        self._path = path
        self._out = out
        self._idle_s = idle_s
        self._engine: Any = None
        self._asked: queue.Queue[dict[str, Any]] = queue.Queue()
        self._cancelled = 0

    def listen(self, lines: BinaryIO) -> None:
        """Take requests and cancellations, beside the answer under way."""
        for line in lines:
            message: dict[str, Any] = json.loads(line)
            if "cancel" in message:
                self._cancelled = max(self._cancelled, message["cancel"])
            else:
                self._asked.put(message)
        # Not sys.exit: the main thread may be deep in the engine for minutes.
        os._exit(0)

    def serve(self) -> None:
        """Answer for ever."""
        while True:
            try:
                asked = self._asked.get(timeout=self._idle_s)
            except queue.Empty:
                # After a rest its memory goes back; the next request loads it again.
                self._engine = None
                asked = self._asked.get()
            self._answer(asked)

    def _answer(self, asked: dict[str, Any]) -> None:
        number: int = asked["id"]
        said = ""

        def on_chunk(chunk: dict[str, Any]) -> bool:
            """Tell a chunk; True stops the answer."""
            nonlocal said
            if number <= self._cancelled:
                return True
            if progress := chunk.get("prompt_progress"):
                read, total = progress["processed"], progress["total"]
                self._tell({"id": number, "read": read, "total": total})
            else:
                self._tell({"id": number, "chunk": as_chat_chunk(chunk)})
                said += text_of(chunk)
                if goes_round(said):
                    self._tell({"id": number, "chunk": END})
                    return True
            return False

        if number > self._cancelled:
            self._generate(asked, on_chunk)
        self._tell({"id": number, "end": True})

    def _generate(self, asked: dict[str, Any], on_chunk: Any) -> None:
        try:
            if self._engine is None:
                self._tell({"id": asked["id"], "read": 0, "total": 0})
                self._engine = load(self._path)
        except (InvalidModelFile, RuntimeError) as failure:
            on_chunk(as_error(why_not_loaded(self._path, failure), "not_found_error"))
            return
        body = {**asked["body"], "return_progress": True}
        if asked["kind"] == "chat":
            # On a few processors, thoughts before the answer would take minutes.
            body["chat_template_kwargs"] = {"enable_thinking": False}
        if body.get("logprobs") is True:
            body["top_logprobs"] = 1
        chat, text = self._engine.handle_chat_completions, self._engine.handle_completions
        try:
            (chat if asked["kind"] == "chat" else text)(body, on_chunk)
        except (ValueError, RuntimeError) as error:
            on_chunk(as_error(str(error), "invalid_request_error"))

    def _tell(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps(line).encode() + b"\n")


def load(path: Path) -> Any:
    """Load a model. Raises InvalidModelFile, and RuntimeError when the engine does not want it."""
    engine: Any = import_module("xllamacpp")
    params = engine.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.n_ctx = read_model_file(path).window
    # The engine would divide the window among its slots.
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams_batch.n_threads, params.cpuparams.n_threads = threads()
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.fit_params = params.warmup = params.ui = params.ctx_shift = False
    params.verbosity = ERRORS_ONLY
    with TemporaryDirectory() as folder:
        # The engine insists on listening. Nobody reaches a socket whose folder is gone.
        params.hostnames = [f"{folder}/unreachable.sock"]
        server = engine.Server(params)
    # The engine takes this signal for itself, and then does not end.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return server


def threads() -> tuple[int, int]:
    """As many as help: for reading a prompt, and for writing, which leaves one processor free.

    The engine's threads wait for each other after every small piece of work, by spinning. In
    writing the pieces are so small that one thread too many makes all of them crawl.
    """
    most = min(MOST_THREADS, os.cpu_count() or 1)
    return most, max(1, min(most, (os.cpu_count() or 1) - 1))


def as_chat_chunk(chunk: dict[str, Any]) -> dict[str, Any]:
    """A chunk of a plain continuation in the shape of a chat; our words for a prompt too long."""
    error = chunk.get("error", {})
    if error.get("type") == "exceed_context_size_error":
        sizes = f"{error.get('n_prompt_tokens')} tokens, and {error.get('n_ctx')} fit"
        return as_error(f"The prompt is too long for this model: {sizes}.", error["type"])
    for choice in chunk.get("choices", ()):
        if "text" in choice:
            choice["delta"] = {"content": choice.pop("text")}
    return chunk


def text_of(chunk: dict[str, Any]) -> str:
    """The words of a chunk."""
    return "".join(choice["delta"].get("content") or "" for choice in chunk.get("choices", ()))


def as_error(message: str, kind: str) -> dict[str, Any]:
    """An error in the place of a chunk."""
    return {"error": {"message": message, "type": kind}}


def why_not_loaded(path: Path, failure: InvalidModelFile | RuntimeError) -> str:
    """What is wrong with a model, in words for people."""
    if isinstance(failure, InvalidModelFile):
        return str(failure)
    return f"{path} can't be loaded: it is damaged, or this engine does not know its kind."


if __name__ == "__main__":
    main()

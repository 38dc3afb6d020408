"""`recto ask "…"`: a question to a model, answered in the terminal as it comes."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from recto.app import START_FAILURES, ask_chunks
from recto.cli.failures import CommandFailed
from recto.cli.running_server import stream_chunks
from recto.cli.terminal import tame
from recto.config import ConfigFailure, Home, find_running, load_settings, open_home

EXAMPLES = """\
examples:
  recto ask "What is the Rayleigh criterion?"
  git diff | recto ask "Write a commit message for this."
  recto ask --model anthropic/claude-sonnet-4-6 "…"
  recto ask --json "…"        the answer, its usage and where it comes from
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto ask`."""
    parser = argparse.ArgumentParser(
        prog="recto ask",
        description="Asks a model and prints its answer as it comes.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("question", nargs="+", metavar="QUESTION")
    parser.add_argument("--model", default="", help="default: the one for chats (see recto models)")
    parser.add_argument("--max-tokens", type=int, default=2048, help="the longest answer")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    return parser


def run(options: argparse.Namespace) -> int:
    """Ask through the Recto that runs already, or by ourselves."""
    body = question_body(options)
    answer = AnswerPrinter(options.json)
    try:
        home = open_home(os.environ)
        running = find_running(home)
        if running is None:
            asyncio.run(ask_alone(home, body, answer))
        else:
            for chunk in stream_chunks(running, "/api/ai/chat", body):
                answer.take(chunk)
    except (ConfigFailure, *START_FAILURES) as failure:
        raise CommandFailed(str(failure)) from failure
    except KeyboardInterrupt:
        print()
        return 130
    return answer.end()


def question_body(options: argparse.Namespace) -> dict[str, object]:
    """The question in OpenAI's format; what is piped in stands before it."""
    question = " ".join(options.question)
    if not sys.stdin.isatty():
        piped = sys.stdin.read()
        question = f"{piped}\n\n{question}" if piped.strip() else question
    return {
        "model": options.model,
        "messages": [{"role": "user", "content": question}],
        "max_tokens": options.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def ask_alone(home: Home, body: Mapping[str, object], answer: "AnswerPrinter") -> None:
    """Ask without a server: the records are ours for the moment."""
    settings = load_settings(home.settings_file)
    async for chunk in ask_chunks(home, settings, json.dumps(body).encode()):
        answer.take(chunk)


class AnswerPrinter:
    """Prints an answer as its chunks come."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._text: list[str] = []
        self._usage: object = None
        self._metadata: object = None
        self._error: str | None = None

    def take(self, chunk: Mapping[str, Any]) -> None:
        """One chunk: words, usage, metadata or an error."""
        if "error" in chunk:
            self._error = chunk["error"]["message"]
        self._usage = chunk.get("usage") or self._usage
        self._metadata = chunk.get("metadata") or self._metadata
        for choice in chunk.get("choices") or ():
            text = choice["delta"].get("content")
            if text:
                self._text.append(text)
                if not self._as_json:
                    print(tame(text), end="", flush=True)

    def end(self) -> int:
        """The end of the answer; what failed is one line on the error output."""
        if self._as_json:
            fields = {
                "text": "".join(self._text),
                "usage": self._usage,
                "metadata": self._metadata,
                "error": self._error,
            }
            print(json.dumps(fields))
        elif self._text:
            print()
        if self._error is not None:
            if self._as_json:
                return 1
            raise CommandFailed(self._error)
        return 0

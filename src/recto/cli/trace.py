"""`recto trace REQUEST_ID`: exactly what was sent to a model and what came back, without the key."""  # noqa: E501

import argparse
import asyncio
import base64
import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

from recto.app import START_FAILURES, Trace, trace_request
from recto.chats import ChatFailure
from recto.cli.failures import CommandFailed
from recto.config import ConfigFailure, load_settings, open_home

EXAMPLES = """\
examples:
  recto trace 01m7g7wmyrwy4xmars54463zvf
  recto trace --json 01m7g7wmyrwy4xmars54463zvf

The request id of an answer stands in its details, beside the confidence.
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto trace`."""
    parser = argparse.ArgumentParser(
        prog="recto trace",
        description="Prints exactly what was sent and received for an answer, without keys.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("request", metavar="REQUEST_ID")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print what went over the wire."""
    try:
        home = open_home(os.environ)
        settings = load_settings(home.settings_file)
        trace = asyncio.run(trace_request(home, settings, options.request, os.environ))
    except (ConfigFailure, ChatFailure, *START_FAILURES) as failure:
        raise CommandFailed(str(failure)) from failure
    if options.json:
        print(json.dumps(fields_of(trace), indent=2))
    else:
        print_trace(trace)
    return 0


def fields_of(trace: Trace) -> dict[str, Any]:
    """A trace as JSON; bytes that are no text are base64."""
    return {
        "requestId": trace.request_id,
        "runId": trace.run_id,
        "step": trace.step,
        "answeredAt": trace.answered_ms,
        "tries": [
            {
                "request": shown(attempt.request),
                "head": attempt.head,
                "answer": shown(attempt.answer),
            }
            for attempt in trace.tries
        ],
    }


def shown(data: bytes) -> dict[str, str]:
    """Bytes in JSON."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def print_trace(trace: Trace) -> None:
    """Every try: the bytes sent, the head of the answer, the bytes received."""
    moment = datetime.fromtimestamp(trace.answered_ms / 1000, UTC)
    print(f"request {trace.request_id}")
    print(f"run {trace.run_id}, step {trace.step}, answered {moment:%Y-%m-%d %H:%M:%S} UTC")
    for number, attempt in enumerate(trace.tries, 1):
        print_bytes(f"try {number}: sent, {len(attempt.request):,} bytes", attempt.request)
        print(f"\n--- try {number}: status {attempt.head.get('status', 'none: no answer came')}")
        for name, value in attempt.head.get("headers", {}).items():
            print(f"{name}: {value}")
        print_bytes(f"try {number}: received, {len(attempt.answer):,} bytes", attempt.answer)


def print_bytes(title: str, data: bytes) -> None:
    """Bytes exactly as they are, below a line that says what they are."""
    print(f"\n--- {title}", flush=True)
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.write(b"" if data.endswith(b"\n") else b"\n")
    sys.stdout.buffer.flush()

"""A Recto that runs already: commands let it do what they were asked for."""

import http.client
import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recto.cli.failures import CommandFailed
from recto.config import RunningServer

TIMEOUT_S = 120
NOT_SIGNED_IN = 401
BROKEN_CONNECTION = (OSError, http.client.HTTPException, ValueError)
"""What a request raises that is not answered, or not in JSON."""


def hand_over(running: RunningServer, folder: Path) -> str:
    """Let the running Recto open the folder; the link it gives."""
    try:
        project = call(running, "/api/v1/projects", {"path": str(folder)})
        call(running, f"/api/v1/projects/{project['id']}/open", None)
        link = call(running, "/api/v1/session/link", None)
    except BROKEN_CONNECTION as error:
        raise silent(running, error) from error
    return f"{link['url']}?project={project['id']}"


def call(running: RunningServer, path: str, body: object) -> dict[str, Any]:
    """Ask the running Recto to do something."""
    with answer_to(running, "POST", path, body) as response:
        return json.loads(response.read())


def fetch(running: RunningServer, path: str) -> dict[str, Any]:
    """Read something from the running Recto."""
    try:
        with answer_to(running, "GET", path, None) as response:
            return json.loads(response.read())
    except BROKEN_CONNECTION as error:
        raise silent(running, error) from error


def ask(running: RunningServer, path: str, body: object = None) -> dict[str, Any]:
    """Have the running Recto do something.

    Raises RequestRefused; an answer without words is empty.
    """
    with read_lines(running, "POST", path, body) as response:
        return json.loads(response.read() or b"{}")


def download(running: RunningServer, path: str) -> bytes:
    """A file that the running Recto makes. Raises RequestRefused."""
    with read_lines(running, "GET", path, None) as response:
        return response.read()


def stream_events(running: RunningServer, path: str) -> Iterator[dict[str, Any]]:
    """The JSON of each event that the running Recto sends, for as long as it does."""
    with read_lines(running, "GET", path, None) as response:
        for line in response:
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def stream_chunks(running: RunningServer, path: str, body: object) -> Iterator[dict[str, Any]]:
    """The JSON of each event the running Recto streams as its answer."""
    try:
        with answer_to(running, "POST", path, body) as response:
            for line in response:
                data = line.strip().removeprefix(b"data: ")
                if data and data != b"[DONE]":
                    yield json.loads(data)
    except BROKEN_CONNECTION as error:
        raise silent(running, error) from error


def post(
    running: RunningServer, path: str, body: object, headers: Mapping[str, str]
) -> tuple[int, dict[str, Any]]:
    """Post a body; the status and the JSON of the answer, also of a refusal.

    Raises one of BROKEN_CONNECTION.
    """
    with connected(running, "POST", path, body, headers) as response:
        return response.status, json.loads(response.read())


def silent(running: RunningServer, error: Exception) -> CommandFailed:
    """What to say when the running Recto does not answer."""
    return CommandFailed(
        f"The running Recto (process {running.pid}, {running.url}) does not answer: {error}."
        " End it and try again."
    )


@contextmanager
def read_lines(
    running: RunningServer, method: str, path: str, body: object
) -> Generator[http.client.HTTPResponse]:
    """The answer to a request, or in words that there is none."""
    try:
        with answer_to(running, method, path, body) as response:
            yield response
    except BROKEN_CONNECTION as error:
        raise silent(running, error) from error


@contextmanager
def answer_to(
    running: RunningServer, method: str, path: str, body: object
) -> Generator[http.client.HTTPResponse]:
    """The answer to a request. What the server refuses, it says itself."""
    with connected(running, method, path, body) as response:
        if response.status >= 400:
            raise RequestRefused(response.status, refusal(json.loads(response.read())))
        yield response


@contextmanager
def connected(
    running: RunningServer,
    method: str,
    path: str,
    body: object,
    more_headers: Mapping[str, str] | None = None,
) -> Generator[http.client.HTTPResponse]:
    """The answer to a request, whatever it is."""
    address = urlsplit(running.url)
    https = address.scheme == "https"
    kind = http.client.HTTPSConnection if https else http.client.HTTPConnection
    connection = kind(address.netloc, timeout=TIMEOUT_S)
    headers = {
        "Authorization": f"Bearer {running.token}",
        "Content-Type": "application/json",
        **(more_headers or {}),
    }
    try:
        connection.request(method, path, json.dumps(body) if body else None, headers)
        yield connection.getresponse()
    finally:
        connection.close()


class RequestRefused(CommandFailed):
    """The running Recto said no, with a status of HTTP."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def refusal(answer: dict[str, Any]) -> str:
    """A refusal in the server's own words: a problem, or an error in OpenAI's shape."""
    if "error" in answer:
        return answer["error"]["message"]
    return f"{answer['detail']} {answer.get('remedy') or ''}".strip()

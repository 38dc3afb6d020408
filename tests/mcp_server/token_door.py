"""A door before a Recto that adds the token: the conformance programs have none to send.

What a request says of where it comes from goes through as it is; only our own port is Recto's.
"""

import http.client
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from tests.served import TOKEN

PLACES = {"host", "origin"}
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class TokenDoor(ThreadingHTTPServer):
    """Passes requests on to a Recto, one thread each."""

    daemon_threads = False

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), PassingHandler)
        self.behind = urlsplit(url).netloc

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class PassingHandler(BaseHTTPRequestHandler):
    """Passes one request on, and its answer back."""

    protocol_version = "HTTP/1.0"

    def answer(self) -> None:
        door = self.server
        assert isinstance(door, TokenDoor)
        own, recto = str(door.server_address[1]), door.behind.rpartition(":")[2]
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {
            name: value.replace(f":{own}", f":{recto}") if name.lower() in PLACES else value
            for name, value in self.headers.items()
            if name.lower() not in HOP_BY_HOP
        }
        connection = http.client.HTTPConnection(door.behind, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True)
            for name, value in {**headers, "Authorization": f"Bearer {TOKEN}"}.items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            data = response.read()
        finally:
            connection.close()
        self.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = do_OPTIONS = answer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def token_door(url: str) -> Generator[TokenDoor]:
    """The door, for the length of the block."""
    with TokenDoor(url) as door:
        thread = Thread(target=door.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield door
        finally:
            door.shutdown()
            thread.join()

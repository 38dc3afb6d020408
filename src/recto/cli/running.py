"""A Recto that runs already: `recto OTHER-FOLDER` lets it open the folder."""

import http.client
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recto.cli.command import Failed
from recto.config import Running

TIMEOUT_S = 10


def hand_over(running: Running, folder: Path) -> str:
    """Let the running Recto open the folder; the link it gives."""
    try:
        project = call(running, "/api/v1/projects", {"path": str(folder)})
        call(running, f"/api/v1/projects/{project['id']}/open", None)
        link = call(running, "/api/v1/session/link", None)
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        raise Failed(
            f"The running Recto (process {running.pid}, {running.url}) does not answer: {error}."
            " End it and try again."
        ) from error
    return f"{link['url']}?project={project['id']}"


def call(running: Running, path: str, body: object) -> dict[str, Any]:
    """Ask the running Recto for something."""
    address = urlsplit(running.url)
    https = address.scheme == "https"
    kind = http.client.HTTPSConnection if https else http.client.HTTPConnection
    connection = kind(address.netloc, timeout=TIMEOUT_S)
    headers = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
    try:
        connection.request("POST", path, json.dumps(body) if body else None, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
    finally:
        connection.close()
    if response.status >= 400:
        raise Failed(f"{answer['detail']} {answer.get('remedy', '')}".strip())
    return answer

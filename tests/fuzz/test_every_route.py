"""Every route of the API's description, with what fits it and what does not.

Asked are a Recto alone on SQLite, and two workers on one PostgreSQL, in turn.
No answer is a server's error, each has a status that is described, and a body that is as described.
RECTO_FUZZ_EXAMPLES asks for more, and other, requests than the few that each route gets.
"""

import os

import anyio
import httpx
import pytest
import requests
from anyio import from_thread, to_thread
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.fuzz.described import DESCRIBED, TAKING, Case, check
from tests.fuzz.operations import draw_cases
from tests.fuzz.place import NEW, Place

pytestmark = pytest.mark.anyio

WANTED = os.environ.get("RECTO_FUZZ_EXAMPLES")
FUZZ = settings(
    max_examples=int(WANTED or 3),
    deadline=None,
    database=None,
    derandomize=WANTED is None,
    phases=[Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
MADE_ANEW = ("content-length", "user-agent", "accept-encoding")


@pytest.mark.parametrize("label", [item for item in DESCRIBED if item not in TAKING])
async def test_a_route_that_takes_nothing_answers_as_described(
    places: tuple[Place, ...], label: str
) -> None:
    for place in places:
        case = DESCRIBED[label].Case()
        check(case, await answer_to(case, place))


@pytest.mark.parametrize("label", TAKING)
async def test_whatever_comes_is_answered_as_described(
    places: tuple[Place, ...], label: str
) -> None:
    @given(data=st.data())
    @FUZZ
    def fuzz(data: DataObject) -> None:
        for name in ("project_id", *NEW):
            if label.startswith("DELETE") and label.endswith(f"{{{name}}}"):
                for place in places:
                    from_thread.run(place.make, name)
        for place, case in draw_cases(label, places, data):
            check(case, from_thread.run(answer_to, case, place))

    await to_thread.run_sync(fuzz)


async def answer_to(case: Case, place: Place) -> httpx.Response:
    """Send a request. Of an answer without end, such as a stream of events, only the head."""
    client = place.client()
    request = as_sent(case, client)
    with anyio.fail_after(60):
        answer = await client.send(request, stream=True)
        try:
            kind = answer.headers.get("content-type", "")
            content = b"" if kind.startswith("text/event-stream") else await answer.aread()
        finally:
            await answer.aclose()
    status, headers = answer.status_code, answer.headers
    return httpx.Response(status, headers=headers, content=content, request=request)


def as_sent(case: Case, client: httpx.AsyncClient) -> httpx.Request:
    """The request as it goes over the wire; one that no client can send is given up."""
    try:
        kwargs = case.as_transport_kwargs(base_url=str(client.base_url).rstrip("/"))
        kwargs.pop("timeout", None)
        prepared = requests.Request(**kwargs).prepare()
        body = prepared.body
        return client.build_request(
            prepared.method or "",
            prepared.url or "",
            headers={
                name: str(value)
                for name, value in prepared.headers.items()
                if name.lower() not in MADE_ANEW
            },
            content=body if isinstance(body, str | bytes) else None,
        )
    except (requests.exceptions.RequestException, httpx.InvalidURL, UnicodeError):
        reject()

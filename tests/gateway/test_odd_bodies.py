"""Whatever is sent to the people's API, it is answered in words: no body breaks a route."""

import json
from collections.abc import AsyncGenerator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.gateway.route_access import Audience
from tests.examples import examples
from tests.gateway.served import ServedGateway, served_gateway
from tests.gateway.test_people_api import calls

pytestmark = pytest.mark.anyio

CALLS = [
    call
    for audience in Audience
    for call in calls(audience)
    if call != ("DELETE", "/api/v1/session")
]
NAMES = (
    *("name", "password", "code", "role", "limits", "models", "modelMap", "monthlyMicros"),
    *("balanceMicros", "streams", "doors", "expiresMs", "isDisabled", "refreshToken", "asCookie"),
    *("requestsPerMinute", "tokensPerMinute"),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(), max_size=20),
    st.sampled_from(["admin", "member", "gemini"]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=5)), inner, max_size=5),
    ),
    max_leaves=12,
)
bodies = st.one_of(st.dictionaries(st.sampled_from(NAMES), values, max_size=8), values)
odd_names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@pytest.fixture(scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[ServedGateway]:
    async with served_gateway(tmp_path_factory.mktemp("odd") / "home") as served:
        yield served


@pytest.fixture(scope="module")
async def admin_token(gateway: ServedGateway) -> str:
    return await gateway.admin()


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(call=st.sampled_from(CALLS), body=bodies, name=odd_names, is_form=st.booleans())
async def test_no_body_breaks_a_route(
    gateway: ServedGateway,
    admin_token: str,
    call: tuple[str, str],
    body: object,
    name: str,
    is_form: bool,
) -> None:
    method, path = call
    for part in ("{account_id}", "{key_id}", "{code}"):
        path = path.replace(part, quote(name, safe=""))
    sent = str(body).encode("utf-8", "replace") if is_form else json.dumps(body).encode()
    kind = "application/x-www-form-urlencoded" if is_form else "application/json"
    async with gateway.client(admin_token) as client:
        answer = await client.request(method, path, content=sent, headers={"content-type": kind})
    assert answer.status_code < 500, (method, path, body, answer.text)

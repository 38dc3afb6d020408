"""A verdict holds, also when a page looks at the text in the very moment it is given."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from recto.documents import DocumentFollower, LiveDocument, ReviewedEvent
from recto.reviews import Reviews, Verdict
from tests.documents.folder import document
from tests.reviews.bench import Bench, bench_at

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    async with bench_at(tmp_path) as opened:
        yield opened


async def look_at_every_change(bench: Bench, live: LiveDocument, page: DocumentFollower) -> None:
    while True:
        if any(isinstance(new, ReviewedEvent) for new in await page.news()):
            await bench.edits.settle("p1", live)


@pytest.mark.parametrize(("verdict", "status"), [("accept", "accepted"), ("reject", "rejected")])
@pytest.mark.parametrize("by_hunk", [True, False])
async def test_an_edit_is_what_the_person_said_whoever_notices_it_first(
    bench: Bench, verdict: Verdict, status: str, by_hunk: bool
) -> None:
    bench.home.put("a.md", b"The tide comes.\n")
    call, files = await bench.begin()
    old = await bench.home.workspace.read_text("a.md")
    await files.write("a.md", b"The flood comes.\n", expected_hash=old.hash)
    await call.finish()
    reviews = Reviews(bench.edits, bench.take_back)
    (review,) = await reviews.list("p1")
    async with document(bench.home, "a.md") as live, anyio.create_task_group() as tasks:
        with live.follow() as page:
            tasks.start_soon(look_at_every_change, bench, live, page)
            hunks = [hunk.id for hunk in live.hunks()] if by_hunk else None
            with anyio.fail_after(60):
                assert await reviews.decide(review.id, verdict, hunks) is None
            tasks.cancel_scope.cancel()
    assert await bench.statuses() == {"a.md": status}

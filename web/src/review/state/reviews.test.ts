import { expect, test } from "vitest";
import { Client } from "../../api";
import { type FakeReviews, review, reviewEdit } from "../../fakes/fake-reviews";
import { FakeServer } from "../../fakes/fake-server";
import { allOf, authorText, describeReview, Reviews, toReviewText } from "./reviews.svelte";

async function setUp(...items: FakeReviews["items"]) {
  const server = new FakeServer();
  server.reviews.items = items;
  const stored: string[] = [];
  const reviews = new Reviews({
    client: new Client({ fetch: server.fetch }).reviews,
    projectId: "p1",
    background: (work) => { work.catch(() => undefined); },
    stored: (path) => {
      stored.push(path);
      return Promise.resolve();
    },
  });
  await reviews.load();
  return { server, reviews, stored };
}

test("files are marked with what waits in them, and folders above them", async () => {
  const { reviews } = await setUp(review("manuscript/methods.md"), review("photo.png", { kind: "deleted", hunkCount: 0 }));
  expect([reviews.total, reviews.count("manuscript/methods.md"), reviews.count("photo.png"), reviews.count("other.md")]).toEqual([3, 2, 1, 0]);
  expect([reviews.hasInside("manuscript"), reviews.hasInside("data")]).toEqual([true, false]);
});

test("what was typed is stored before an edit is decided", async () => {
  const { server, reviews, stored } = await setUp(review("a.md"));
  expect(await reviews.decideHunks("r-a.md", ["h1"], "reject")).toBe("done");
  expect([stored, server.reviews.heard, reviews.items]).toEqual([["a.md"], [{ what: "POST /reviews/r-a.md/reject", body: { hunks: ["h1"] } }], []]);
});

test("hunks that changed meanwhile are told apart from a failure", async () => {
  const { server, reviews } = await setUp(review("a.md"));
  server.reviews.isStale = true;
  expect(await reviews.decideHunks("r-a.md", ["h1"], "accept")).toBe("changed");
  server.reachable = false;
  await expect(reviews.decideHunks("r-a.md", ["h1"], "accept")).rejects.toThrow("Recto does not answer.");
});

test("a turn's edits are decided together, and what is left stays", async () => {
  const { server, reviews } = await setUp(review("a.md"), review("b.py"), review("c.md", { edits: [reviewEdit("e3", { turnId: "t2" })] }));
  expect(reviews.ofTurn("t1").map(({ path }) => path)).toEqual(["a.md", "b.py"]);
  expect(await reviews.decideTurn("t1", "accept")).toBe("2 files accepted.");
  expect([server.reviews.heard, reviews.items.map(({ path }) => path)]).toEqual([[{ what: "POST /turns/t1/accept", body: null }], ["c.md"]]);
  expect(await reviews.decideAll("reject")).toBe("1 file rejected.");
});

test("what could not be decided is counted", async () => {
  const { server, reviews } = await setUp(review("a.md"), review("b.md"));
  server.reviews.answer = () => Response.json({ items: [review("b.md", { problem: "It is gone." })] });
  expect(await reviews.decideAll("reject")).toBe("1 file rejected. 1 file could not be: the list of edits says why.");
  // Why is said until the file has changed, also when the list is read again.
  server.reviews.answer = () => Response.json({ items: [review("b.md")] });
  await reviews.load();
  expect(reviews.items.map(({ problem }) => problem)).toEqual(["It is gone."]);
  server.reviews.answer = () => Response.json({ items: [review("b.md", { added: 9 })] });
  await reviews.load();
  expect(reviews.items.map(({ problem }) => problem ?? null)).toEqual([null]);
});

test("reviews in words", () => {
  const name = (model: string) => (model === "m" ? "Sonnet 4.6" : model);
  const noon = new Date();
  noon.setHours(12, 5, 0, 0);
  const time = noon.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  expect([authorText([{ model: "m", at: noon.getTime() }], name), authorText([{ model: "m", at: 0 }, { model: "gpt", at: noon.getTime() }], name)]).toEqual([`Sonnet 4.6, ${time}`, `Sonnet 4.6 and gpt, ${time}`]);
  expect([1, 2, 3].map(allOf)).toEqual(["", " both", " all 3"]);
  expect([toReviewText(1), toReviewText(3)]).toEqual(["1 edit to review", "3 edits to review"]);
  expect([
    describeReview(review("a.md"), "a.md"),
    describeReview(review("b.md", { kind: "moved", fromPath: "a.md", added: 0, removed: 0 }), "b.md"),
    describeReview(review("c.png", { kind: "created", unit: "line", added: 1, removed: 0 }), "c.png"),
  ]).toEqual(["a.md, 3 words added, 2 words removed", "b.md, moved from a.md", "c.png, new, 1 line added"]);
});

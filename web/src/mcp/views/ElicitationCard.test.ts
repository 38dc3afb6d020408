import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { type ElicitationAsked, type ElicitationReply, RequestFailed } from "../../api";
import ElicitationCard from "./ElicitationCard.svelte";

const FORM = { type: "object", properties: { collection: { type: "string", title: "Collection", enum: ["Surges", "Tides"] }, attach: { type: "boolean", title: "Attach the PDF" } }, required: ["collection"] };
const ASKED: ElicitationAsked = { kind: "elicitation", seq: 1, elicitationId: "e1", turnId: "t1", callId: "k", server: "zotero", message: "Where should this item go?", form: FORM, url: null };

function shown(given: Partial<ElicitationAsked> = {}, reply: (answer: ElicitationReply) => Promise<void> = () => Promise.resolve()) {
  const said = vi.fn(reply);
  const leave = vi.fn();
  render(ElicitationCard, { asked: { ...ASKED, ...given }, reply: said, leave });
  return { said, leave };
}

test("a server gets what was filled in, once nothing is missing", async () => {
  const { said, leave } = shown();
  expect(screen.getByRole("form", { name: "zotero asks" })).toBeTruthy();
  expect(screen.getByText("Where should this item go?")).toBeTruthy();
  expect(screen.getByText("Goes to zotero only")).toBeTruthy();
  await fireEvent.click(screen.getByRole("button", { name: "Send" }));
  expect((await screen.findByRole("alert")).textContent).toBe("This is needed.");
  expect(said).not.toHaveBeenCalled();
  await fireEvent.change(screen.getByLabelText("Collection"), { target: { value: "Surges" } });
  await fireEvent.click(screen.getByRole("checkbox", { name: "Attach the PDF" }));
  await fireEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(said).toHaveBeenCalledWith({ action: "accept", content: { collection: "Surges", attach: true } });
  await waitFor(() => { expect(leave).toHaveBeenCalled(); });
});

test.each([["Decline", "decline"], ["Cancel the call", "cancel"]])("%s is an answer, too", async (name, action) => {
  const { said } = shown();
  await fireEvent.click(screen.getByRole("button", { name }));
  expect(said).toHaveBeenCalledWith({ action });
});

test("an address is shown whole before it is opened", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const url = "https://auth.test/zotero?state=1";
  const { said } = shown({ form: null, url });
  expect(screen.getByLabelText("The whole address").textContent).toBe(url);
  expect(open).not.toHaveBeenCalled();
  await fireEvent.click(screen.getByRole("button", { name: "Open" }));
  expect(open).toHaveBeenCalledWith(url, "_blank", "noopener,noreferrer");
  expect(said).toHaveBeenCalledWith({ action: "accept", content: null });
  open.mockRestore();
});

test("what can't be seen in a question is written out", () => {
  shown({ form: null, message: "Sign\u200b here", url: "https://good.test/\u202ekcart" });
  expect(screen.getByText("Sign\\u200b here")).toBeTruthy();
  expect(screen.getByLabelText("The whole address").textContent).toBe("https://good.test/\\u202ekcart");
});

test("an answer that came too late says so, and the card stays", async () => {
  const { leave } = shown({}, () => Promise.reject(new RequestFailed({ type: "about:blank", title: "Not possible now", status: 409, detail: "Nobody asks this any more.", remedy: null })));
  await fireEvent.click(screen.getByRole("button", { name: "Decline" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Nobody asks this any more.");
  expect(leave).not.toHaveBeenCalled();
});

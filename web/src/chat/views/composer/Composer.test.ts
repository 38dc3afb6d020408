import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { FakeEvents } from "../../../fakes/fake-events";
import { FakeServer } from "../../../fakes/fake-server";
import App from "../../../shell/views/App.svelte";

test("words from an office program are pasted, not the picture that it makes of them", async () => {
  window.innerWidth = 1440;
  render(App, { options: { fetch: new FakeServer({ "README.md": "# Tides" }).fetch, openEvents: new FakeEvents().open } });
  const field = await screen.findByRole("textbox", { name: "Message" });
  const pasted = async (...types: string[]) => {
    const clipboardData = { files: [new File(["x"], "image.png", { type: "image/png" })], types, getData: (type: string) => (types.includes(type) ? "Port\tLevel" : "") };
    return !(await fireEvent.paste(field, { clipboardData }));
  };
  const isTaken = [await pasted("text/plain", "text/html", "Files"), await pasted("Files")];
  expect(isTaken).toEqual([false, true]);
});

test("Enter behind @ and letters of a name takes that file, also before it is found, and sends nothing", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides", "a.md": "A" });
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  const write = async (text: string) => {
    field.value = text;
    field.setSelectionRange(text.length, text.length);
    await fireEvent.input(field);
  };
  await write("Sum up @READ");
  expect(screen.getByText("Looking…")).toBeTruthy();
  await fireEvent.keyDown(field, { key: "Enter" });
  await waitFor(() => { expect(field.value).toBe("Sum up @README.md "); });
  expect(server.chats.heard).toEqual([]);
});

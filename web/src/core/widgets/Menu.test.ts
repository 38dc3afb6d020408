import { fireEvent, render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import Menu from "./Menu.svelte";

test("a menu that a resized window closes gives the focus back to its button, unless it was elsewhere", async () => {
  HTMLElement.prototype.showPopover = () => undefined;
  render(Menu, { label: "More", items: [{ label: "Rename…", run: () => undefined }] });
  const button = screen.getByRole("button", { name: "More" });
  await fireEvent.click(button);
  expect(document.activeElement).toBe(screen.getByRole("menuitem", { name: "Rename…" }));
  await fireEvent(window, new Event("resize"));
  expect([screen.queryByRole("menu"), document.activeElement === button]).toEqual([null, true]);
  const elsewhere = document.body.appendChild(document.createElement("button"));
  await fireEvent.click(button);
  elsewhere.focus();
  await fireEvent(window, new Event("resize"));
  expect([screen.queryByRole("menu"), document.activeElement === elsewhere]).toEqual([null, true]);
  elsewhere.remove();
});

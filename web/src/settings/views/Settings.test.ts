import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { sampleReport } from "../../fakes/fake-models";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

async function opened(hash: string, prepare: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  history.replaceState(null, "", `/${hash}`);
  const server = new FakeServer({ "README.md": "" });
  prepare(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  const bar = await screen.findByRole("contentinfo", { name: "Status" });
  return { server, events, bar };
}

const change = (events: FakeEvents, kind: string) => { events.newest.say("change", { seq: 1, kind, id: kind, projectId: null, action: "updated", version: 1 }); };

test("the welcome says who answers now and what a key adds", async () => {
  await opened("");
  expect(await screen.findByText(/answers now, on this computer/)).toBeTruthy();
  const rows = screen.getAllByRole("link").filter((link) => link.classList.contains("provider"));
  expect(rows.map((link) => [link.getAttribute("href"), link.textContent.trim()])).toEqual([
    ["#settings/keys", "AnthropicSonnet 5"],
    ["#settings/models", "Your own serverOllama, vLLM, LM Studio"],
    ["#settings/models", "A better model on this computer0.5 to 2.5 GB, free"],
  ]);
});

test("the bar leads to the model and to the spend, and follows both", async () => {
  const { server, events, bar } = await opened("");
  await waitFor(() => { expect(within(bar).getByRole("link", { name: "Model: Built-in model" }).getAttribute("href")).toBe("#settings/models"); });
  expect(within(bar).getByRole("link", { name: "$0.00 of $20 this month" }).getAttribute("href")).toBe("#usage");
  server.ai.budget = { ...server.ai.budget, spentMicros: 16_400_000, isWarning: true };
  change(events, "usage");
  expect(await within(bar).findByRole("link", { name: "Near the limit: $16.40 of $20" })).toBeTruthy();
  server.ai.budget = { ...server.ai.budget, spentMicros: 20_000_000, isStopped: true };
  change(events, "budget");
  expect(await within(bar).findByRole("link", { name: "Limit reached: $20.00 of $20" })).toBeTruthy();
  server.ai.budget = { ...server.ai.budget, monthlyLimitUsd: null, isWarning: false, isStopped: false };
  change(events, "budget");
  expect(await within(bar).findByRole("link", { name: "$20.00 this month, no limit" })).toBeTruthy();
});

test("a model is chosen; one without its key waits for it", async () => {
  const { server, bar } = await opened("#settings/models");
  const group = await screen.findByRole("radiogroup", { name: "Model for new chats" });
  expect(within(group).getByRole("radio", { name: "Sonnet 5" }).hasAttribute("disabled")).toBe(true);
  expect(screen.getByText(/Needs ANTHROPIC_API_KEY/)).toBeTruthy();
  expect(within(within(group).getByRole("group", { name: "Google" })).getByText("price unknown")).toBeTruthy();
  expect(screen.getByText("Retired on 15 June 2026. Its successor is Sonnet 5.")).toBeTruthy();
  await fireEvent.click(within(group).getByRole("radio", { name: "Flash" }));
  await waitFor(() => { expect(server.ai.models.default).toBe("google/flash"); });
  expect(await within(bar).findByRole("link", { name: "Model: Flash" })).toBeTruthy();
});

test("the gateway one is signed in to is shown, and left", async () => {
  const { server } = await opened("#settings/keys", ({ ai }) => {
    ai.providers = [...ai.providers, { id: "gateway", name: "Gateway models.example.org", keyName: null, keySource: null, url: "https://models.example.org", isLocal: false }];
  });
  const row = await screen.findByRole("listitem", { name: "Gateway models.example.org" });
  expect(within(row).getByText("Signed in")).toBeTruthy();
  await fireEvent.click(within(row).getByRole("button", { name: "Sign out" }));
  await waitFor(() => { expect(screen.queryByRole("listitem", { name: "Gateway models.example.org" })).toBeNull(); });
  expect(server.asked).toContain("DELETE /gateway");
});

test("the level of thinking is chosen for a model that has some", async () => {
  const { server } = await opened("#settings/models");
  const level = await screen.findByRole("combobox", { name: "Thinking of Flash" });
  expect(within(level).getAllByRole("option").map((option) => option.textContent)).toEqual(["As usual (high)", "Low", "Medium", "High"]);
  await fireEvent.change(level, { target: { value: "low" } });
  await waitFor(() => { expect(server.ai.models.items.find(({ id }) => id === "google/flash")?.thinking).toBe("low"); });
  await fireEvent.change(level, { target: { value: "" } });
  await waitFor(() => { expect(server.ai.models.items.find(({ id }) => id === "google/flash")?.thinking).toBeNull(); });
  expect(screen.queryByRole("combobox", { name: "Thinking of Built-in model" })).toBeNull();
});

test("what a folder chooses is said, and what can't be followed of it", async () => {
  const { server, events } = await opened("#settings/models", (fake) => { fake.ai.models = { ...fake.ai.models, folderDefault: "google/flash" }; });
  expect(await screen.findByText(/In this folder, chats begin with Flash/)).toBeTruthy();
  server.ai.models = { ...server.ai.models, folderDefault: null, folderProblem: ".recto/models.json, line 2: there is no model." };
  change(events, "models");
  expect(await screen.findByText(/can’t be followed/)).toBeTruthy();
  expect(server.asked.some((asked) => asked.startsWith("GET /models"))).toBe(true);
});

test("the bar and the picker name the model of the chat that has not begun, and the next one begins with it", async () => {
  const { bar, server } = await opened("");
  await fireEvent.click(await screen.findByRole("button", { name: "Model: Built-in model" }));
  await fireEvent.click(await screen.findByRole("menuitemradio", { name: /^Flash/ }));
  expect(await screen.findByRole("button", { name: "Model: Flash" })).toBeTruthy();
  expect(within(bar).getByRole("link", { name: "Model: Flash" })).toBeTruthy();
  const field = screen.getByRole("textbox", { name: "Message" });
  await fireEvent.input(field, { target: { value: "Why?" } });
  await fireEvent.keyDown(field, { key: "Enter" });
  await waitFor(() => { expect(server.chats.heard.find(({ what }) => what === "POST /projects/p1/chats")?.body).toMatchObject({ model: "google/flash" }); });
});

test("a chosen model whose key is gone says who answers instead", async () => {
  await opened("#settings/models", (server) => { server.ai.models = { ...server.ai.models, default: "anthropic/sonnet-5" }; });
  expect(await screen.findByText("Sonnet 5 is chosen and needs ANTHROPIC_API_KEY.")).toBeTruthy();
  expect(screen.getByText(/Until the key is set, Built-in model answers\./)).toBeTruthy();
});

test("a check tells what every provider said", async () => {
  await opened("#settings/models");
  await fireEvent.click(await screen.findByRole("button", { name: "Check models" }));
  const said = await screen.findByRole("list", { name: "What the providers said" });
  const words = within(said).getAllByRole("listitem").map((item) => item.textContent.replace(/\s+/g, " ").trim());
  expect(words).toEqual(["Anthropic 2 models Models are gone Sonnet 4 is gone; its successor is Sonnet 5.", "Google Google refused the key. Problem"]);
});

test("a key is added, never shown again, and removed after a question", async () => {
  const { server } = await opened("#settings/keys");
  await fireEvent.click(await screen.findByRole("button", { name: "Add key for Anthropic" }));
  const field = screen.getByLabelText<HTMLInputElement>("Key for Anthropic");
  expect([field.type, document.activeElement === field]).toEqual(["password", true]);
  await fireEvent.input(field, { target: { value: " sk-secret " } });
  await fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Set in keys.env")).toBeTruthy();
  await waitFor(() => { expect(screen.queryByLabelText("Key for Anthropic")).toBeNull(); });
  expect([server.ai.keys.get("ANTHROPIC_API_KEY"), field.value, document.documentElement.outerHTML.includes("sk-secret")]).toEqual(["sk-secret", "", false]);
  await fireEvent.click(screen.getByRole("button", { name: "Remove key for Anthropic" }));
  await fireEvent.click(screen.getByRole("button", { name: "Keep it" }));
  expect(server.ai.keys.size).toBe(1);
  await fireEvent.click(screen.getByRole("button", { name: "Remove key for Anthropic" }));
  await fireEvent.click(screen.getByRole("button", { name: "Remove key" }));
  expect(await screen.findByText("Not set")).toBeTruthy();
  expect(server.ai.keys.size).toBe(0);
});

test("a key of the environment can't be changed here, and a local model needs none", async () => {
  await opened("#settings/keys");
  const google = await screen.findByRole("listitem", { name: "Google" });
  expect(within(google).queryByRole("button")).toBeNull();
  expect(within(google).getByText(/can’t be changed here/)).toBeTruthy();
  expect(within(screen.getByRole("listitem", { name: "Built-in" })).getByText("Needs no key")).toBeTruthy();
});

test("a limit is checked before it is saved", async () => {
  const { server } = await opened("#settings/budget");
  const field = await screen.findByRole("textbox", { name: "Monthly limit" });
  await fireEvent.input(field, { target: { value: "-5" } });
  expect(screen.getByText(/Write an amount in dollars/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Save" }).hasAttribute("disabled")).toBe(true);
  await fireEvent.input(field, { target: { value: "12.5" } });
  await fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("The limit is $12.50 a month.")).toBeTruthy();
  await fireEvent.click(screen.getByRole("switch", { name: "No limit" }));
  await fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => { expect(server.ai.budget.monthlyLimitUsd).toBeNull(); });
});

test("the usage shows the month from every side, with a table behind each plot", async () => {
  await opened("#usage", (server) => { server.ai.usage = sampleReport(); });
  expect(await screen.findByRole("heading", { level: 1, name: "Usage" })).toBeTruthy();
  expect(await screen.findByRole("img", { name: /The highest day is 4 November 2026 with \$1\.10\./ })).toBeTruthy();
  const days = within(screen.getByRole("table", { name: "Spend by day and model" }));
  expect(days.getAllByRole("row").map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ["Day", "Sonnet 5", "Flash", "Total"],
    ["2 November 2026", "$0.30", "$0.20", "$0.50"],
    ["4 November 2026", "$1.10", "$0.00", "$1.10"],
  ]);
  expect(screen.getByText(/3 requests have no known price\./)).toBeTruthy();
  expect(screen.getByText("$0.40, 20 % of the bill")).toBeTruthy();
  expect(within(screen.getByRole("region", { name: "By model" })).getByText("unknown")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Export CSV" }).getAttribute("href")).toBe("/api/v1/usage.csv?month=2026-11");
});

test("another month is shown, and an empty one says so", async () => {
  await opened("#usage", (server) => { server.ai.usage = sampleReport(); });
  await fireEvent.change(await screen.findByRole("combobox", { name: "Month" }), { target: { value: "2026-09" } });
  expect(await screen.findByText(/^No requests in September/)).toBeTruthy();
});

test("a request that ends while the usage is open shows in it", async () => {
  const { server, events } = await opened("#usage");
  expect(await screen.findByText("No requests yet this month.")).toBeTruthy();
  server.ai.usage = sampleReport();
  change(events, "usage");
  expect(await screen.findByText("Which constituents?")).toBeTruthy();
});

test("what is kept is said with how long and why", async () => {
  await opened("#settings/kept");
  expect(await screen.findByText("The exact requests and answers of each turn")).toBeTruthy();
  expect(screen.getByText("365 days")).toBeTruthy();
  expect(screen.getByText("For the trace.")).toBeTruthy();
});

test("a tool is allowed, asked for or denied, and an unsandboxed computer says so", async () => {
  const { server } = await opened("#settings/tools");
  const group = await screen.findByRole("radiogroup", { name: "Permission for run_command" });
  expect(within(group).getByRole<HTMLInputElement>("radio", { name: "Ask" }).checked).toBe(true);
  expect(screen.getByText("Commands run unsandboxed on this computer.")).toBeTruthy();
  expect(screen.getByText("git status*")).toBeTruthy();
  expect(screen.getByText("2 tools, 1 ask")).toBeTruthy();
  await fireEvent.click(within(group).getByRole("radio", { name: "Deny" }));
  await waitFor(() => { expect(server.chats.tools.items[0]?.permission).toBe("deny"); });
  expect(await screen.findByText("2 tools, 1 denied")).toBeTruthy();
});

test("Esc goes back from the settings, but first closes what was opened in them", async () => {
  await opened("#settings/keys");
  await fireEvent.click(await screen.findByRole("button", { name: "Add key for Anthropic" }));
  await fireEvent.keyDown(screen.getByRole("button", { name: "Save" }), { key: "Escape" });
  const again = await screen.findByRole("button", { name: "Add key for Anthropic" });
  await fireEvent.keyDown(again, { key: "Escape" });
  expect(await screen.findByRole("textbox", { name: "Message" })).toBeTruthy();
  expect(location.hash).toBe("");
});

test("one switch turns every tool off that reaches the web", async () => {
  const { server } = await opened("#settings/tools");
  const reaching = await screen.findByRole("switch", { name: /Tools that reach the web/ });
  expect(reaching.getAttribute("aria-checked")).toBe("true");
  await fireEvent.click(reaching);
  await waitFor(() => { expect(server.chats.tools.reachesOut).toBe(false); });
  expect(await screen.findByText(/no tool sends anything to anybody but your model/)).toBeTruthy();
});

test("the palette leads to the usage", async () => {
  await opened("");
  await fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  const field = await screen.findByRole("combobox", { name: /^Files, chats/ });
  await fireEvent.input(field, { target: { value: ">usage" } });
  await fireEvent.keyDown(field, { key: "Enter" });
  expect(await screen.findByRole("heading", { level: 1, name: "Usage" })).toBeTruthy();
  expect(location.hash).toBe("#usage");
});

test.each(["#settings/models", "#settings/keys", "#settings/tools", "#settings/skills", "#settings/budget", "#usage"])("%s has no accessibility fault that a machine can find", async (hash) => {
  await opened(hash, (server) => { server.ai.usage = sampleReport(); });
  await screen.findByRole("heading", { level: 1 });
  await waitFor(() => { expect(screen.queryByText(/^Reading the/)).toBeNull(); });
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});

test("the session lists the browsers that are signed in and signs one or all others out", async () => {
  const { server } = await opened("#settings/session", (fake) => { fake.browsers = ["Chrome on Linux", "Firefox on Windows", "", "Safari on iPhone"]; });
  const list = await screen.findByRole("list", { name: "Browsers that are signed in" });
  await waitFor(() => { expect(within(list).getAllByRole("listitem")).toHaveLength(4); });
  expect(within(list).getByText(/this one/)).toBeTruthy();
  expect(within(list).queryByRole("button", { name: "Sign Chrome on Linux out" })).toBeNull();
  await fireEvent.click(within(list).getByRole("button", { name: "Sign Firefox on Windows out" }));
  await waitFor(() => { expect(within(list).getAllByRole("listitem")).toHaveLength(3); });
  await waitFor(() => { expect(document.activeElement).toBe(list); });
  await fireEvent.click(screen.getByRole("button", { name: "Sign out everywhere else" }));
  await waitFor(() => { expect(server.browsers).toEqual(["Chrome on Linux"]); });
  await waitFor(() => { expect(screen.queryByRole("button", { name: "Sign out everywhere else" })).toBeNull(); });
});

import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { ollama } from "../../fakes/fake-own-servers";
import { FakeServer } from "../../fakes/fake-server";
import { addressOf, idOf, keyNameOf } from "../state/own-servers.svelte";
import App from "../../shell/views/App.svelte";

async function opened(hash: string, prepare: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  history.replaceState(null, "", `/${hash}`);
  const server = new FakeServer({ "README.md": "" });
  prepare(server);
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  await screen.findByRole("contentinfo", { name: "Status" });
  return server;
}

test("with Ollama running, the first page offers it instead of the built-in model", async () => {
  const server = await opened("", ({ ownServers }) => { ownServers.running = [ollama("qwen3:8b", "nomic-embed-text:latest")]; });
  const offer = await screen.findByRole("group", { name: "Ollama runs on this computer" });
  expect(within(offer).getByText(/with 1 model that can answer/)).toBeTruthy();
  expect(screen.queryByText(/It can’t read the folder by itself/)).toBeNull();
  await fireEvent.click(within(offer).getByRole("button", { name: "Use Ollama" }));
  expect(await screen.findByText(/answers now, on this computer/)).toBeTruthy();
  expect(server.ownServers.servers.map(({ id, models }) => [id, models.map((one) => one.model)])).toEqual([["ollama", ["qwen3:8b"]]]);
  expect(server.ai.models.current).toBe("ollama/qwen3:8b");
  expect(screen.queryByRole("group", { name: "Ollama runs on this computer" })).toBeNull();
});

test("without a server, the first page says plainly what the small model can't do and asks what it can answer", async () => {
  await opened("");
  expect(await screen.findByText(/It can’t read the folder by itself/)).toBeTruthy();
  expect(await screen.findByRole("button", { name: /Sum up the README in three sentences/ })).toBeTruthy();
  expect(screen.queryByRole("button", { name: /What is unfinished here/ })).toBeNull();
});

test("any address is looked at, its models are ticked, and the server is kept with its key", async () => {
  const server = await opened("#settings/models", ({ ownServers }) => {
    ownServers.answering.set("http://lab.test:8000", { id: "vllm", name: "vLLM", url: "http://lab.test:8000", models: [{ model: "big", window: 16384, isChat: true }, { model: "small", window: null, isChat: true }] });
    ownServers.wanted.set("http://lab.test:8000", "lab-key");
  });
  const section = within(await screen.findByRole("region", { name: "Your own servers" }));
  await fireEvent.click(section.getByRole("button", { name: "Add a server" }));
  await fireEvent.input(section.getByLabelText("Address"), { target: { value: "lab.test:8000/" } });
  // Enter in a field presses the button that submits.
  expect(section.getByRole<HTMLButtonElement>("button", { name: "Find models" }).type).toBe("submit");
  await fireEvent.click(section.getByRole("button", { name: "Find models" }));
  expect((await section.findByRole("alert")).textContent).toContain("Incorrect API key provided.");
  await fireEvent.input(section.getByLabelText("Key, if it wants one"), { target: { value: "lab-key" } });
  await fireEvent.click(section.getByRole("button", { name: "Find models" }));
  await fireEvent.click(await section.findByRole("checkbox", { name: /small/ }));
  await fireEvent.click(section.getByRole("button", { name: "Save" }));
  await waitFor(() => { expect(server.ownServers.servers).toHaveLength(1); });
  expect(server.ownServers.servers[0]).toMatchObject({ id: "vllm", name: "vLLM", url: "http://lab.test:8000", keyName: "VLLM_API_KEY", models: [{ model: "big", window: 16384 }] });
  expect(server.ai.keys.get("VLLM_API_KEY")).toBe("lab-key");
  expect(document.documentElement.outerHTML).not.toContain("lab-key");
});

test("a server is changed and removed after a question", async () => {
  const server = await opened("#settings/models", ({ ownServers }) => {
    ownServers.servers = [{ id: "ollama", name: "Ollama", url: "http://127.0.0.1:11434", protocol: "openai-chat", keyName: null, keySource: null, models: [{ model: "qwen3:8b", name: "Qwen", window: null }] }];
    ownServers.answering.set("http://127.0.0.1:11434", ollama("qwen3:8b", "llama4"));
  });
  const row = within(await screen.findByRole("listitem", { name: "Ollama" }));
  await fireEvent.click(row.getByRole("button", { name: "Change Ollama" }));
  await fireEvent.click(row.getByRole("button", { name: "Find models again" }));
  await fireEvent.click(await row.findByRole("checkbox", { name: "llama4" }));
  await fireEvent.click(row.getByRole("button", { name: "Save" }));
  await waitFor(() => { expect(server.ownServers.servers[0]?.models.map(({ model, name }) => [model, name])).toEqual([["qwen3:8b", "Qwen"], ["llama4", ""]]); });
  await fireEvent.click(await screen.findByRole("button", { name: "Remove Ollama" }));
  await fireEvent.click(screen.getByRole("button", { name: "Remove server" }));
  await waitFor(() => { expect(server.ownServers.servers).toEqual([]); });
});

test("a model of this computer is fetched with progress, stopped, and any file is used", async () => {
  const server = await opened("#settings/models");
  const section = within(await screen.findByRole("region", { name: "On this computer" }));
  await fireEvent.click(await section.findByRole("button", { name: "Get Qwen2.5 0.5B" }));
  expect((await section.findByRole<HTMLProgressElement>("progressbar")).value).toBe(20);
  expect(section.getByText("100 MB of 491 MB")).toBeTruthy();
  await fireEvent.click(section.getByRole("button", { name: "Stop fetching Qwen2.5 0.5B" }));
  expect((await section.findByRole("button", { name: "Get Qwen2.5 0.5B" })).textContent).toBe("Go on");
  const field = section.getByLabelText("Any GGUF file, by its path");
  await fireEvent.input(field, { target: { value: "/tmp/notes.txt" } });
  await fireEvent.click(section.getByRole("button", { name: "Use the file" }));
  expect((await section.findByRole("alert")).textContent).toContain("is not a GGUF model");
  await fireEvent.input(field, { target: { value: "/models/mine.gguf" } });
  await fireEvent.click(section.getByRole("button", { name: "Use the file" }));
  expect(await section.findByRole("listitem", { name: "mine" })).toBeTruthy();
  expect(server.ownServers.own.map(({ path }) => path)).toEqual(["/models/mine.gguf"]);
});

test("a saved key is tested, and a wrong one says so", async () => {
  await opened("#settings/keys");
  await fireEvent.click(await screen.findByRole("button", { name: "Add key for Anthropic" }));
  await fireEvent.input(screen.getByLabelText("Key for Anthropic"), { target: { value: "wrong" } });
  await fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("It is saved, but does not work. Anthropic: invalid x-api-key")).toBeTruthy();
  await fireEvent.click(screen.getByRole("button", { name: "Replace key for Anthropic" }));
  await fireEvent.input(screen.getByLabelText("Key for Anthropic"), { target: { value: "right" } });
  await fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("It works.")).toBeTruthy();
});

test("names and addresses are made of what was typed", () => {
  expect([addressOf(" lab:8000/ "), addressOf("https://a.b/v1"), addressOf("ftp://x")]).toEqual(["http://lab:8000", "https://a.b/v1", "ftp://x"]);
  expect([idOf("The Lab’s Größe!"), idOf("…"), keyNameOf("the-lab"), keyNameOf("7b")]).toEqual(["the-lab-s-gro-e", "server", "THE_LAB_API_KEY", "SERVER_7B_API_KEY"]);
});

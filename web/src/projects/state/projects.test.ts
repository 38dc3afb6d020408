import { expect, test } from "vitest";
import { Client } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { Projects } from "./projects.svelte";

async function loaded() {
  const server = new FakeServer();
  const projects = new Projects(new Client({ fetch: server.fetch }));
  await projects.load();
  return { server, projects };
}

const names = (projects: Projects) => projects.list.map((project) => project.name);

test("a rename that somebody else overtook fails and shows the newest name", async () => {
  const { server, projects } = await loaded();
  const mine = projects.find("p1");
  if (!mine) throw new Error("p1 is missing");
  server.projects.set("p1", { ...mine, name: "theirs", version: 2 });
  await expect(projects.rename(mine, "ours")).rejects.toMatchObject({ status: 412 });
  expect(names(projects)).toEqual(["theirs", "storm-list"]);
});

test("two settings that are changed at once are both kept", async () => {
  const { server, projects } = await loaded();
  const found = projects.find("p1");
  if (!found) throw new Error("p1 is missing");
  await Promise.all([projects.setKernelRights(found, "sandbox"), projects.setStripping(found, true)]);
  expect(server.projects.get("p1")?.settings).toMatchObject({ kernelRights: "sandbox", stripOutputs: true });
});

test("a project that was removed elsewhere leaves the list", async () => {
  const { server, projects } = await loaded();
  server.projects.delete("p2");
  await projects.refresh("p2");
  expect(names(projects)).toEqual(["tide-gauges"]);
});

test("removing needs the exact name", async () => {
  const { projects } = await loaded();
  const found = projects.find("p2");
  if (!found) throw new Error("p2 is missing");
  await expect(projects.remove(found, "storm")).rejects.toMatchObject({ status: 409 });
  await projects.remove(found, "storm-list");
  expect(names(projects)).toEqual(["tide-gauges"]);
});

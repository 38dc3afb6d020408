/** What the palette finds besides files and commands: chats and their folders, contexts, skills, models, projects. */
import type { Context, Skill } from "../api";
import type { App } from "../app/app.svelte";
import { chatTitle } from "../chat/labels";
import { whenText } from "../core/times";
import { contextHint, isContextOn, switchContext } from "../contexts/actions";
import { transformCommands } from "../document-agent/commands";
import { priceText } from "../models/state/models.svelte";
import { Palette, type PaletteItem, type PaletteSection } from "./state/palette.svelte";
import { chooseModel } from "../chat/state/conversation";
import { isSkillOn, skillHint, switchSkill } from "../skills/actions";
import type { Workspace } from "../app/workspace.svelte";

/** How many show before anything is typed. */
const CHATS_FIRST = 3;
const CONTEXTS_FIRST = 3;
const PROJECTS_FIRST = 8;

/** The palette of a page. */
export function paletteOf(app: App): Palette {
  return new Palette({
    readNames: (query, limit, signal) => app.client.fileNames(app.workspace?.projectId ?? "", query, limit, signal),
    recent: () => app.workspace?.tabs.recent ?? [],
    commands: () => [...app.commands, ...transformCommands(app)],
    before: () => sectionsBefore(app),
    after: () => sectionsAfter(app),
    picks: () => pickSections(app),
    openFile: (path) => {
      app.openFile(path, true);
      if (app.workspace) app.workspace.documents.get(path).wantsFocus = true;
    },
  });
}

export function sectionsBefore(app: App): PaletteSection[] {
  return [chats(app), ...picks(app, CONTEXTS_FIRST, 0)];
}

export function sectionsAfter(app: App): PaletteSection[] {
  return [folders(app), models(app), projects(app)];
}

/** What can go along with a message: all of it shows. */
export function pickSections(app: App): PaletteSection[] {
  return picks(app, Infinity, Infinity);
}

function chats(app: App): PaletteSection {
  const items = (app.workspace?.chats.list ?? []).map((chat): PaletteItem => ({
    id: `chat:${chat.id}`,
    kind: "chat",
    title: chatTitle(chat),
    hint: chat.isRunning ? "running" : whenText(chat.lastActiveAt),
    run: () => { app.openChat(chat.id); },
  }));
  return { name: "Chats", items, first: CHATS_FIRST };
}

function picks(app: App, contextsFirst: number, skillsFirst: number): PaletteSection[] {
  const { workspace } = app;
  if (!workspace) return [];
  return [
    { name: "Contexts", items: workspace.contexts.sorted.map((context) => contextItem(app, workspace, context)), first: contextsFirst },
    { name: "Skills", items: workspace.skills.list.map((skill) => skillItem(app, workspace, skill)), first: skillsFirst },
  ];
}

function contextItem(app: App, workspace: Workspace, context: Context): PaletteItem {
  return {
    id: `context:${context.id}`,
    kind: "context",
    title: context.name,
    hint: contextHint(context),
    color: context.color,
    isOn: isContextOn(workspace, context),
    run: () => { switchContext(app, context); },
  };
}

function skillItem(app: App, workspace: Workspace, skill: Skill): PaletteItem {
  return {
    id: `skill:${skill.id}`,
    kind: "skill",
    title: skill.name,
    hint: skillHint(skill),
    color: skill.color,
    ...(skill.trusted && skill.problem === null ? { isOn: isSkillOn(workspace, skill) } : {}),
    run: () => { switchSkill(app, skill); },
  };
}

function folders(app: App): PaletteSection {
  const items = (app.workspace?.groups.list ?? []).map((group): PaletteItem => ({
    id: `folder:${group.id}`,
    kind: "folder",
    title: group.name,
    hint: "folder of chats",
    run: () => { showFolder(app, group.id); },
  }));
  return { name: "Folders of chats", items, first: 0 };
}

/** Shows a folder of chats, open, where the keyboard is. */
function showFolder(app: App, id: string): void {
  const { workspace } = app;
  if (!workspace) return;
  for (const group of workspace.groups.pathTo(id)) workspace.groups.setOpen(group.id, true);
  workspace.chatTree.focused = `group:${id}`;
  app.showLeft("chats");
}

function models(app: App): PaletteSection {
  const { groups } = app.assistance.models;
  const usable = groups.flatMap((group) => group.newest).filter((model) => model.missingKey === null);
  const items = usable.map((model): PaletteItem => ({
    id: `model:${model.id}`,
    kind: "model",
    title: model.name,
    hint: priceText(model),
    run: () => { if (app.workspace) app.background(chooseModel(app.workspace.chats, model.id)); },
  }));
  return { name: "Models for this chat", items, first: 0 };
}

function projects(app: App): PaletteSection {
  const others = app.projects.list.filter((project) => project.id !== app.workspace?.projectId);
  const items = others.map((project): PaletteItem => ({
    id: `project:${project.id}`,
    kind: "project",
    title: project.name,
    hint: project.path,
    run: () => { app.background(app.switchTo(project)); },
  }));
  return { name: "Projects", items, first: PROJECTS_FIRST };
}

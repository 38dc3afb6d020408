/** What a person does with skills: switch, read, trust, write, delete, have new chats begin with them. */
import type { Skill } from "../api";
import type { App } from "../app/app.svelte";
import type { SlashCommand } from "../chat/state/composer.svelte";
import { countOf, tokens } from "../core/amounts";
import { formOf, isUsable } from "./state/skills.svelte";
import type { Workspace } from "../app/workspace.svelte";

export const SOURCE_WORDS: Record<Skill["source"], string> = { own: "Your own", folder: "Found in this folder", "built-in": "Built in" };

export function isSkillOn({ picked }: Workspace, { id }: Skill): boolean {
  return picked.skillIds.includes(id);
}

/** The right end of its row: its size, or why it can't be switched on. */
export function skillHint(skill: Skill): string {
  if (skill.problem !== null) return "can’t be used";
  return skill.trusted ? tokens(skill.tokenCount) : "wants your trust";
}

/** What it does besides its words, in a sentence; empty when nothing. */
export function skillFacts({ files, tools, model }: Pick<Skill, "files" | "tools" | "model">, modelName: (id: string) => string): string {
  const words = [];
  if (files.length > 0) words.push(`brings ${countOf(files.length, "file")}`);
  if (tools.length > 0) words.push(`offers only ${countOf(tools.length, "tool")}`);
  if (model !== null) words.push(`asks ${modelName(model)}`);
  const sentence = words.join(", ");
  return sentence === "" ? "" : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** Switches a skill on or off; one that can't be used yet shows why, and asks. */
export function switchSkill(app: App, skill: Skill): void {
  if (!isUsable(skill)) readSkill(app, skill);
  else app.workspace?.picked.toggleSkill(skill.id);
}

/** The skills that can be switched, for the / menu of the message field. */
export function slashSkills(app: App): SlashCommand[] {
  const { workspace } = app;
  return (workspace?.skills.usable ?? []).map((skill) => ({
    id: skill.id,
    title: skill.name,
    hint: skill.description,
    kind: "skill",
    color: skill.color,
    isOn: workspace !== null && isSkillOn(workspace, skill),
    run: () => { switchSkill(app, skill); },
  }));
}

/** Shows the whole text of a skill, and for a found one asks whether it may be used. */
export function readSkill(app: App, skill: Skill): void {
  if (!app.workspace) return;
  app.workspace.skills.read = skill;
  app.showDialog("skill-text");
}

/** Opens the form for a skill of the person's own; null is a new one. */
export function editSkill(app: App, skill: Skill | null): void {
  if (!app.workspace) return;
  app.workspace.skills.edited = { skill, copied: null };
  app.showDialog("skill");
}

/** Opens the form for a new skill that begins as another one reads. */
export function copySkill(app: App, skill: Skill): void {
  if (!app.workspace) return;
  app.workspace.skills.edited = { skill: null, copied: { ...formOf(skill), name: `${skill.name} copy` } };
  app.showDialog("skill");
}

/** Deletes a skill of the person's own, and offers to bring it back. */
export async function removeSkill(app: App, skill: Skill): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const wasOn = isSkillOn(workspace, skill);
  const wasDefault = isDefaultSkill(app, skill);
  await workspace.skills.remove(skill);
  app.toasts.show(`“${skill.name}” was deleted.`, { label: "Undo", run: () => { app.background(bringBack(app, skill, wasOn, wasDefault)); } });
}

async function bringBack(app: App, skill: Skill, wasOn: boolean, wasDefault: boolean): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const made = await workspace.skills.create(formOf(skill));
  if (wasOn) workspace.picked.toggleSkill(made.id);
  if (wasDefault) await setDefaultSkill(app, made, true);
}

export function isDefaultSkill({ project }: App, { id }: Pick<Skill, "id">): boolean {
  return project?.settings.defaultSkillIds?.includes(id) ?? false;
}

/** Has new chats begin with a skill, or no longer. */
export async function setDefaultSkill(app: App, { id }: Pick<Skill, "id">, on: boolean): Promise<void> {
  if (app.project) await app.projects.setDefault(app.project.id, "defaultSkillIds", id, on);
}

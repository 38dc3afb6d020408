/** The form of a skill of the person's own: what it says, what it brings, and how it is saved. */
import type { Skill, SkillForm } from "../../api";
import { Submission } from "../../core/submission.svelte";
import { formOf, type SkillEdited, type Skills } from "./skills.svelte";

const EMPTY: SkillForm = { name: "", description: "", prompt: "", color: null, files: [], tools: [], model: null };

export class SkillDraft {
  form = $state<SkillForm>({ ...EMPTY });
  readonly attempt = new Submission();
  /** As it is stored, as far as this form knows; null is a new one. */
  stored = $state.raw<Skill | null>(null);
  readonly #skills: Skills;

  constructor(skills: Skills, { skill, copied }: SkillEdited) {
    this.#skills = skills;
    this.stored = skill;
    this.form = skill ? formOf(skill) : { ...(copied ?? EMPTY) };
  }

  /** Takes over what somebody else saved, as long as nothing was typed here. */
  follow(): void {
    const { stored } = this;
    const now = stored && this.#skills.find(stored.id);
    if (!now || now.version <= stored.version || JSON.stringify(this.form) !== JSON.stringify(formOf(stored))) return;
    this.stored = now;
    this.form = formOf(now);
  }

  /** What keeps it from being saved; empty when nothing does. */
  get fault(): string {
    if (this.form.name.trim() === "") return "Give it a name.";
    return this.form.prompt.trim() === "" ? "Write what the model is to do." : "";
  }

  addFiles(paths: readonly string[]): void {
    this.form.files = [...new Set([...this.form.files, ...paths])];
  }

  removeFile(path: string): void {
    this.form.files = this.form.files.filter((other) => other !== path);
  }

  /** Offers a tool while the skill is on, or no longer. With none named, all are offered. */
  setTool(name: string, on: boolean): void {
    const others = this.form.tools.filter((other) => other !== name);
    this.form.tools = on ? [...others, name] : others;
  }

  /** Saves it. When somebody else came first the form stands, and the next try goes over what is there then. */
  async save(): Promise<Skill | null> {
    const { stored } = this;
    const form = this.#trimmed();
    const saved = await this.attempt.run(() => (stored ? this.#skills.save(stored, form) : this.#skills.create(form)));
    if (stored && this.attempt.overtaken) this.stored = this.#skills.find(stored.id);
    return saved;
  }

  #trimmed(): SkillForm {
    const { name, description, prompt, color, files, tools, model } = this.form;
    return { name: name.trim(), description: description.trim(), prompt: prompt.trim(), color, files: [...files], tools: [...tools], model };
  }
}

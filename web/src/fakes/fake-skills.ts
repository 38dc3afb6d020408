/** The part of the server in memory that knows skills. */
import type { Skill, SkillForm } from "../api";
import type { Asked } from "./fake-models";

export class FakeSkills {
  items: Skill[] = [
    skill("builtin.concise", { name: "Concise", description: "Short answers.", prompt: "Answer briefly.", source: "built-in", isBuiltIn: true }),
  ];
  readonly heard: { what: string; body: unknown }[] = [];

  /** The answer to a request, or null when it is about something else. */
  answer(asked: Asked): Response | null {
    const found = /^\/projects\/[^/]+\/skills(?:\/([^/]+))?(?:\/(trust))?$/.exec(asked.path);
    if (!found) return null;
    const { method, path, body } = asked;
    if (method !== "GET") this.heard.push({ what: `${method} ${path}`, body });
    const [, id, part] = found;
    if (id === undefined) return method === "GET" ? Response.json({ items: this.items, nextCursor: null }) : Response.json(this.#add(body as SkillForm), { status: 201 });
    const known = this.items.find((one) => one.id === id);
    if (!known) return problem(404, "There is no such skill.");
    return part === "trust" ? this.#trust(known, body as { hash: string; trusted: boolean }) : this.#one(known, asked);
  }

  #add(form: SkillForm): Skill {
    const made = skill(`s${String(this.items.length + 1)}`, { ...form, color: form.color ?? "#8b5cf6" });
    this.items = [made, ...this.items];
    return made;
  }

  #trust(known: Skill, { hash, trusted }: { hash: string; trusted: boolean }): Response {
    if (hash !== known.hash) return problem(409, "The skill reads otherwise now.");
    return this.#replace(known, { ...known, trusted });
  }

  #one(known: Skill, { method, headers, body }: Asked): Response {
    if (method === "GET") return Response.json(known);
    if (known.source !== "own") return problem(403, "Only your own skills can be changed.");
    if (method === "DELETE") {
      this.items = this.items.filter((one) => one !== known);
      return new Response(null, { status: 204 });
    }
    if (headers.get("If-Match") !== `"${String(known.version)}"`) return problem(412, "The skill has changed.");
    const form = body as SkillForm;
    return this.#replace(known, { ...known, ...form, color: form.color ?? known.color, version: known.version + 1 });
  }

  #replace(known: Skill, saved: Skill): Response {
    this.items = this.items.map((one) => (one === known ? saved : one));
    return Response.json(saved);
  }
}

export function skill(id: string, given: Partial<Skill> = {}): Skill {
  return {
    id, name: id, description: "", prompt: "Do it.", color: "#8b5cf6", tokenCount: 40, isBuiltIn: false, source: "own", path: null, trusted: true, problem: null,
    hash: null, files: [], tools: [], model: null, createdAt: 0, lastUsedAt: null, version: 1, ...given,
  };
}

/** A skill that stands in the folder, not trusted yet. */
export function foundSkill(id: string, given: Partial<Skill> = {}): Skill {
  return skill(id, { source: "folder", path: `.agents/skills/${id}/SKILL.md`, trusted: false, hash: `hash-${id}`, createdAt: null, ...given });
}

function problem(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail, remedy: "Look at it as it is now." }, { status });
}

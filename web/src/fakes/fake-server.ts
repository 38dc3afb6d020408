/** A server in memory: one folder of texts, two projects, the answers of the real one. */
import type { DoctorCheck, Entry, Project } from "../api";
import { FakeChats } from "./fake-chats";
import { FakeContexts } from "./fake-contexts";
import { FakeFiles } from "./fake-files";
import { FakeGroups } from "./fake-groups";
import { type Asked, FakeModels } from "./fake-models";
import { FakePreferences } from "./fake-preferences";
import { FakePreviews } from "./fake-previews";
import { FakeProposals } from "./fake-proposals";
import { FakeReviews } from "./fake-reviews";
import { FakeMcp } from "./fake-mcp";
import { FakeOwnServers } from "./fake-own-servers";
import { FakeSkills } from "./fake-skills";
import { FakeThreads } from "./fake-threads";
import { FakeTokens } from "./fake-tokens";
import { FakeWriting } from "./fake-writing";

export class FakeServer {
  readonly files = new Map<string, string>();
  readonly projects = new Map<string, Project>([
    ["p1", project("p1", "tide-gauges", 2)],
    ["p2", project("p2", "storm-list", 1)],
  ]);
  readonly ai = new FakeModels();
  readonly chats = new FakeChats();
  readonly operations = new FakeFiles(this.files);
  readonly groups = new FakeGroups(this.chats);
  readonly contexts = new FakeContexts();
  readonly preferences = new FakePreferences();
  readonly previews = new FakePreviews();
  readonly proposals = new FakeProposals();
  readonly reviews = new FakeReviews();
  readonly skills = new FakeSkills();
  readonly ownServers = new FakeOwnServers(this.ai);
  readonly mcp = new FakeMcp();
  readonly threads = new FakeThreads();
  readonly tokens = new FakeTokens(this.files, () => this.contexts.items);
  readonly writing = new FakeWriting();
  git: Record<string, string> = {};
  rules = [{ kept: "The exact requests and answers of each turn", howLong: "365 days", why: "For the trace." }];
  checks: DoctorCheck[] = [{ name: "Git", state: "ok", detail: "2.39.5", remedy: null }];
  /** Longer texts are too large to be edited. */
  largest = 10_000_000;
  reachable = true;
  signedIn = true;
  /** Browsers that are signed in; the first is this one. */
  browsers = ["Chrome on Linux"];
  readonly asked: string[] = [];

  constructor(files: Record<string, string> = {}) {
    for (const [path, text] of Object.entries(files)) this.files.set(path, text);
  }

  readonly fetch: typeof fetch = (input, init) => {
    if (!this.reachable) return Promise.reject(new TypeError("Failed to fetch"));
    const url = new URL(input instanceof Request ? input.url : input, "http://127.0.0.1");
    const method = init?.method ?? "GET";
    this.asked.push(`${method} ${url.pathname.replace("/api/v1", "")}${decodeURIComponent(url.search)}`);
    if (!this.signedIn) return Promise.resolve(problem(401, "This session has ended."));
    const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
    return Promise.resolve(
      this.#answer({ method, path: url.pathname.replace("/api/v1", ""), query: url.searchParams, headers: new Headers(init?.headers), body }),
    );
  };

  #answer(asked: Asked): Response | Promise<Response> {
    for (const part of [this.ai, this.mcp, this.ownServers, this.operations, this.tokens, this.contexts, this.skills, this.preferences, this.previews, this.proposals, this.reviews, this.threads, this.groups, this.chats, this.writing]) {
      const answer = part.answer(asked);
      if (answer) return answer;
    }
    return this.#ofServer(asked) ?? this.#projects(asked);
  }

  #ofServer(asked: Asked): Response | null {
    if (asked.path.startsWith("/sessions")) return this.#sessions(asked);
    if (asked.path === "/doctor") return json({ checks: this.checks });
    return asked.path === "/keeping" ? json({ rules: this.rules }) : null;
  }

  #projects(asked: Asked): Response | Promise<Response> {
    if (asked.path === "/projects/current") return json(this.projects.get("p1"));
    if (asked.path === "/projects") return asked.method === "POST" ? this.#add(asked) : json({ items: [...this.projects.values()], nextCursor: null });
    const [, , id = "", part = ""] = asked.path.split("/");
    const found = this.projects.get(id);
    if (!found) return problem(404, "There is no such project.");
    return part === "" ? this.#project(asked, found) : this.#inside(asked, part, found);
  }

  #sessions(asked: Asked): Response {
    if (asked.method !== "DELETE") return json({ items: this.browsers.map((browser, at) => ({ id: browser, browser, signedInAt: 0, expiresAt: 0, isThis: at === 0 })) });
    const id = decodeURIComponent(asked.path.split("/")[2] ?? "");
    this.browsers = this.browsers.filter((browser, at) => at === 0 || (id !== "" && browser !== id));
    return new Response(null, { status: 204 });
  }

  #add(asked: Asked): Response {
    const path = JSON.stringify(asked.body);
    return problem(422, `${path} is not a folder.`, "Check the path.");
  }

  #project(asked: Asked, found: Project): Response {
    if (asked.method === "PUT") return this.#save(asked, found);
    if (asked.method !== "DELETE") return json(found);
    if (asked.query.get("confirm") !== found.name) return problem(409, "The name does not match.");
    this.projects.delete(found.id);
    return new Response(null, { status: 204 });
  }

  #save(asked: Asked, found: Project): Response {
    if (asked.headers.get("If-Match") !== `"${String(found.version)}"`) return problem(412, "The project has changed.");
    const body = asked.body;
    const name = typeof body === "object" && body !== null && "name" in body ? String(body.name) : found.name;
    const settings = typeof body === "object" && body !== null && "settings" in body ? (body.settings as Project["settings"]) : found.settings;
    const saved = { ...found, name, settings, version: found.version + 1 };
    this.projects.set(found.id, saved);
    return json(saved);
  }

  #inside(asked: Asked, part: string, found: Project): Response {
    const path = asked.query.get("path") ?? "";
    const query = asked.query.get("query") ?? "";
    switch (part) {
      case "open":
        return json(found);
      case "folder":
        return json({ path, items: this.entries(path), nextCursor: null });
      case "file":
        return this.#file(path);
      case "file-facts":
        return this.#file(path, false);
      case "file-part":
        return this.#part(path, asked.query);
      case "file-names":
        return this.#fileNames(query, asked.query.get("under") ?? "");
      case "search":
        return json({ items: this.#lines(query), truncated: false });
      case "git":
        return json({ repository: true, branch: "main", files: this.git, truncated: false, reason: null });
      default:
        return problem(404, "Not here.");
    }
  }

  #file(path: string, withText = true): Response {
    const text = this.files.get(path);
    if (text === undefined) return problem(404, `${path} is not there.`);
    if (text.length > this.largest) return problem(413, `${path} is over the limit.`);
    if (text.includes("\0")) return problem(415, `${path} is not text.`);
    return json({ path, ...(withText ? { text } : {}), size: text.length, hash: text, encoding: "utf-8", lineEnding: "lf", bom: false, indent: null });
  }

  /** One line is one part here. */
  #part(path: string, query: URLSearchParams): Response {
    const lines = this.files.get(path)?.split("\n") ?? [];
    const part = Math.min(lines.length, Number(query.get("line") ?? query.get("part") ?? 1));
    const text = lines[part - 1] ?? "";
    return json({ path, text, part, parts: lines.length, firstLine: part, size: lines.join("\n").length, hash: text });
  }

  #fileNames(query: string, under: string): Response {
    const inside = [...this.files.keys()].filter((path) => under === "" || path.startsWith(`${under}/`));
    return json({ items: inside.filter((path) => path.includes(query)).map((path) => ({ path, positions: [] })), total: inside.length, truncated: false });
  }

  #lines(query: string) {
    return [...this.files].flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index) => {
        const at = line.indexOf(query);
        return at < 0 ? [] : [{ path, line: index + 1, column: at + 1, text: line, ranges: [[at, at + query.length]] }];
      }),
    );
  }

  /** What a folder holds, folders first. */
  entries(folder: string): Entry[] {
    const start = folder === "" ? "" : `${folder}/`;
    const names = new Map<string, Entry["kind"]>();
    for (const path of this.files.keys()) {
      if (!path.startsWith(start)) continue;
      const [name = "", ...rest] = path.slice(start.length).split("/");
      names.set(name, rest.length > 0 ? "folder" : "file");
    }
    const entries = [...names].map(([name, kind]) => entry(start + name, kind));
    return entries.sort((a, b) => Number(b.kind === "folder") - Number(a.kind === "folder") || a.name.localeCompare(b.name));
  }
}

export function entry(path: string, kind: Entry["kind"] = "file"): Entry {
  return { name: path.slice(path.lastIndexOf("/") + 1), path, kind, size: kind === "file" ? 10 : null, modifiedAt: 0, ignored: false };
}

export function project(id: string, name: string, lastAccessedAt = 0): Project {
  return { id, name, path: `/home/ada/${name}`, createdAt: 0, lastAccessedAt, version: 1, available: true, settings: { defaultContextIds: [], defaultSkillIds: [], writePolicy: null, stripOutputs: false, kernelRights: "own" } };
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { "Content-Type": "application/json" } });
}

function problem(status: number, detail: string, remedy?: string): Response {
  const body = { type: "about:blank", title: detail, status, detail, remedy };
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/problem+json" } });
}

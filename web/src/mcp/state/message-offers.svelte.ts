/** What a message can take of MCP servers: resources to mention, prompts to use. Asked for when a menu opens. */
import type { McpClient, McpMessageOffers, McpPrompt } from "../../api";
import { matchText } from "../../core/fuzzy-match";
import { PromptForm, type PromptTarget } from "./prompt-form.svelte";
import { canMention, mentionOf } from "./mention";
import { beginningOf, openVariable } from "./uri-template";

const MOST_ROWS = 20;

/** A resource, or the beginning of some, as the menu of @ shows it. */
export interface MentionRow {
  id: string;
  title: string;
  hint: string;
  kind: "resource";
  /** Only a beginning: the menu stays open. */
  isPart: boolean;
}

/** A prompt as the menu of / shows it. */
export interface PromptRow {
  id: string;
  title: string;
  hint: string;
  kind: "prompt";
  run(target: PromptTarget): void;
}

type Ask = Pick<McpClient, "offers" | "prompt" | "complete">;

export class MessageOffers {
  /** The prompt that is being filled in. */
  filling = $state.raw<PromptForm | null>(null);
  readonly #ask: Ask;
  readonly #projectId: string;
  #told: Promise<McpMessageOffers[]> | null = null;

  constructor(ask: Ask, projectId: string) {
    this.#ask = ask;
    this.#projectId = projectId;
  }

  /** The menu has closed: what it shows next is asked for anew. */
  forget(): void {
    this.#told = null;
  }

  async prompts(): Promise<PromptRow[]> {
    const servers = await this.#tell();
    return servers.flatMap((server) => server.prompts.map((prompt) => ({
      id: `prompt:${server.serverId}:${prompt.name}`,
      title: `${server.server}: ${prompt.title || prompt.name}`,
      hint: prompt.description,
      kind: "prompt",
      run: (target) => { this.#begin(server, prompt, target); },
    })));
  }

  /** What `@` and these letters could mean of servers. */
  async mentions(query: string, signal: AbortSignal): Promise<MentionRow[]> {
    const servers = (await this.#tell()).filter(({ server }) => canMention(server));
    const [, name = "", uri = ""] = /^([^:]*):(.*)$/.exec(query) ?? [];
    const meant = servers.find(({ server }) => server === name);
    const rows = meant ? [...resourcesOf(meant, uri), ...(await this.#completed(meant, uri, signal))] : servers.flatMap((server) => named(server, query));
    return [...new Map(rows.map((row) => [row.id, row])).values()].slice(0, MOST_ROWS);
  }

  /** The servers that told nothing. */
  async silent(): Promise<string[]> {
    return (await this.#tell()).filter(({ problem }) => problem !== "").map(({ server }) => server);
  }

  #tell(): Promise<McpMessageOffers[]> {
    this.#told ??= this.#ask.offers(this.#projectId);
    return this.#told;
  }

  /** A prompt without arguments is used at once; its form shows only why that failed. */
  #begin(server: McpMessageOffers, prompt: McpPrompt, target: PromptTarget): void {
    const form = new PromptForm(this.#ask, [this.#projectId, server.serverId], server.server, prompt, target);
    this.filling = form;
    if (prompt.arguments.length === 0) void form.use().then((isDone) => { if (isDone && this.filling === form) this.filling = null; });
  }

  /** How the address could go on, as the server completes it. */
  async #completed(server: McpMessageOffers, uri: string, signal: AbortSignal): Promise<MentionRow[]> {
    const rows = await Promise.all(server.templates.map(async ({ uriTemplate, title, name }) => {
      const open = openVariable(uriTemplate, uri);
      if (open === null) return [];
      const found = await this.#ask.complete(this.#projectId, server.serverId, { kind: "resource", name: uriTemplate, argument: open.name, value: open.value, known: open.known }, signal);
      return found.values.flatMap((value) => {
        const id = mentionOf(server.server, `${open.before}${value}${open.after}`);
        return id === null ? [] : [{ id, title: value, hint: `${server.server}: ${title || name}`, kind: "resource" as const, isPart: open.hasMore }];
      });
    }));
    return rows.flat();
  }
}

function resourcesOf(server: McpMessageOffers, uri: string): MentionRow[] {
  const whole = server.resources.filter((one) => mentionOf(server.server, one.uri) !== null).filter((one) => one.uri.includes(uri) || matchText(uri, one.title || one.name) !== null);
  const forms = server.templates.filter(({ uriTemplate }) => beginningOf(uriTemplate).startsWith(uri) && beginningOf(uriTemplate) !== uri);
  return [...whole.map((one) => rowOf(server, one.uri, one.title || one.name, one.uri, false)), ...forms.map((one) => rowOf(server, beginningOf(one.uriTemplate), one.title || one.name, one.uriTemplate, true))];
}

/** Resources whose server or name has these letters. */
function named(server: McpMessageOffers, query: string): MentionRow[] {
  return resourcesOf(server, "").filter(({ title }) => matchText(query, `${server.server} ${title}`) !== null);
}

function rowOf({ server }: McpMessageOffers, uri: string, title: string, shown: string, isPart: boolean): MentionRow {
  return { id: `${server}:${uri}`, title, hint: `${server}: ${shown}`, kind: "resource", isPart };
}

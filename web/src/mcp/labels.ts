/** What people read of MCP servers. */
import type { McpServer, McpTool, NewMcpServer } from "../api";
import { countOf, tokens } from "../core/amounts";

/** The mark beside a server's name: what it is, and how it looks. */
export const STATES: Record<McpServer["state"], { words: string; mark: "on" | "busy" | "waiting" | "error" | "off" }> = {
  ready: { words: "Running", mark: "on" },
  starting: { words: "Starting", mark: "busy" },
  pausing: { words: "Starts again soon", mark: "error" },
  failed: { words: "Failed", mark: "error" },
  needs_sign_in: { words: "Sign in", mark: "waiting" },
  unapproved: { words: "Not approved", mark: "waiting" },
  invalid: { words: "Not as it must be", mark: "error" },
  off: { words: "Off", mark: "off" },
};

/** What happened to a server, as a sentence. */
export function sentenceOf(words: string): string {
  return words === "" ? "" : `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}

/** "12 tools, 1.7k tokens" */
export function factOf({ tools, tokens: count }: Pick<McpServer, "tools" | "tokens">): string {
  return tools.length === 0 ? "" : `${countOf(tools.length, "tool")}, ${tokens(count)} tokens`;
}

/** What the button for the tools that are folded away says. */
export function moreText(folded: readonly McpTool[]): string {
  const [first] = folded;
  const isSame = first !== undefined && folded.every((tool) => tool.permission === first.permission);
  const same = isSame ? `, all ${{ allow: "allowed", ask: "ask", deny: "denied" }[first.permission]}` : "";
  return `${String(folded.length)} more${same}, ${tokens(folded.reduce((sum, tool) => sum + tool.tokens, 0))} tokens`;
}

/** A part of a command line: in double quotes, in single ones, behind a backslash, plain, or the space between words. */
const PART = /"((?:[^"\\]|\\.)*)"?|'([^']*)'?|\\(.)|([^\s"'\\]+)|(\s+)|\\$/g;

/** A command line cut into its words, as a shell would, with nothing put in for them. */
export function wordsOf(line: string): string[] {
  const found: string[] = [];
  let isInside = false;
  for (const [, double, single, escaped, plain, space] of line.matchAll(PART)) {
    if (space === undefined) {
      const text = double?.replace(/\\(.)/g, "$1") ?? single ?? escaped ?? plain ?? "";
      if (isInside) found.push((found.pop() ?? "") + text);
      else found.push(text);
    }
    isInside = space === undefined;
  }
  return found;
}

/** A name for a server that was typed as a command or an address. */
export function nameFor(typed: string): string {
  const host = /^https?:\/\/([^/:]+)/i.exec(typed.trim())?.[1];
  const words = wordsOf(typed).filter((word) => !word.startsWith("-"));
  const source = host ?? words.at(1) ?? words[0] ?? "";
  const plain = source.replace(/@[\d.]+$/, "").split(/[/@]/).filter(Boolean).at(-1)?.replace(/^(mcp-server-|server-|mcp-)|(-mcp|-mcp-server)$/g, "") ?? "";
  return plain.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z]+|-+$/g, "").slice(0, 40);
}

/** The server that a command line or an address means. */
export function serverOf(name: string, typed: string): NewMcpServer {
  const text = typed.trim();
  if (/^https?:\/\//i.test(text)) return { name, url: text };
  const [command = "", ...args] = wordsOf(text);
  return { name, command, args };
}

/** What a tool does, in words: present while it runs, past after, a question when it asks; and what it is about. */
import type { CallArguments, Tool } from "../api";
import { exactText } from "../core/exact-text";

/** What is said of a tool's calls. */
export type ToolWords = Pick<Tool, "doing" | "done" | "main">;

/** The tools for one document are no matter of the settings: nobody lists them. */
export const DOCUMENT_TOOLS: Readonly<Record<string, ToolWords>> = {
  read_document: { doing: "Reading the document", done: "Read the document", main: "" },
  search_document: { doing: "Searching the document", done: "Searched the document", main: "query" },
  edit_document: { doing: "Editing the document", done: "Edited the document", main: "find" },
  get_document_info: { doing: "Looking at the document", done: "Looked at the document", main: "" },
};

export type ToolIcon = "file" | "edit" | "search" | "list" | "command" | "delete" | "move" | "task" | "server" | "tool";

/** What the tools' own declarations do not say: the head of the card that asks, the plain verb, and the picture. */
const LOOKS: Record<string, { ask: string; act: string; icon: ToolIcon }> = {
  run_command: { ask: "Run a command?", act: "run", icon: "command" },
  read_file: { ask: "Read a file?", act: "read", icon: "file" },
  write_file: { ask: "Write a file?", act: "write", icon: "edit" },
  edit_file: { ask: "Edit a file?", act: "edit", icon: "edit" },
  list_files: { ask: "List files?", act: "list", icon: "list" },
  search_content: { ask: "Search the files?", act: "search for", icon: "search" },
  create_file: { ask: "Create a file?", act: "create", icon: "edit" },
  rename_file: { ask: "Rename a file?", act: "rename", icon: "move" },
  move_file: { ask: "Move a file?", act: "move", icon: "move" },
  duplicate_file: { ask: "Duplicate a file?", act: "duplicate", icon: "file" },
  delete_file: { ask: "Delete a file?", act: "delete", icon: "delete" },
  follow_instructions: { ask: "Follow this folder’s instructions?", act: "follow the instructions", icon: "file" },
  show_secret: { ask: "Show the AI what looks like a secret?", act: "show what looks like a secret", icon: "file" },
  change_startup_files: { ask: "Keep changes to files that control programs?", act: "change files that control programs", icon: "edit" },
  read_document: { ask: "Read the document?", act: "read the document", icon: "file" },
  search_document: { ask: "Search the document?", act: "search the document for", icon: "search" },
  edit_document: { ask: "Edit the document?", act: "edit the document", icon: "edit" },
  create_proposal: { ask: "Propose alternatives?", act: "propose alternatives", icon: "task" },
  propose_edit: { ask: "Propose an edit?", act: "propose an edit", icon: "edit" },
  add_task: { ask: "Add a task?", act: "add a task", icon: "task" },
  add_comment: { ask: "Comment in a document?", act: "comment in", icon: "task" },
  read_tasks: { ask: "Read the tasks?", act: "read the tasks", icon: "task" },
  read_skill: { ask: "Read a skill?", act: "read a skill", icon: "file" },
};

/** A tool of an MCP server as people know it, "zotero: add_item"; null for any other. */
export function serverToolOf(name: string): string | null {
  const [server, tool] = name.split(/__(.*)/s);
  return server !== undefined && server !== "" && tool !== undefined && tool !== "" ? `${server}: ${tool}` : null;
}

export function askOf(name: string): string {
  const called = serverToolOf(name);
  return LOOKS[name]?.ask ?? (called === null ? `Use ${name}?` : `Call ${called}?`);
}

export function iconOf(name: string): ToolIcon {
  return LOOKS[name]?.icon ?? (serverToolOf(name) === null ? "tool" : "server");
}

/** The verb of a call's line. A tool that is not here any more is called by its name. */
export function verbOf(name: string, tool: ToolWords | null, isRunning: boolean): string {
  if (tool) return isRunning ? tool.doing : tool.done;
  if (serverToolOf(name) !== null) return isRunning ? "Calling" : "Called";
  return isRunning ? `Using ${name}` : `Used ${name}`;
}

/** What became of a call, as far as its line says it. */
export type CallStatus = "running" | "waiting" | "done" | "error" | "denied" | "cancelled" | "unknown" | "never";

/** The words of a call's line: what was done, or, where that did not happen, what was not. */
export function lineOf(name: string, tool: ToolWords | null, standing: CallStatus): string {
  const act = LOOKS[name]?.act ?? (serverToolOf(name) === null ? `use ${name}` : "call");
  switch (standing) {
    case "running":
    case "done":
      return verbOf(name, tool, standing === "running");
    case "waiting":
      return `Waiting to ${act}`;
    case "error":
      return `Could not ${act}`;
    case "denied":
      return `Not allowed: ${act}`;
    case "cancelled":
      return `Stopped: ${act}`;
    case "unknown":
      return `Not known whether it did: ${act}`;
    case "never":
      return `Did not ${act}`;
  }
}

/** The argument that says what a call is about; a query in quotes. */
export function targetOf(args: CallArguments, tool: ToolWords | null): string {
  const main = tool?.main ?? "";
  const value = args[main];
  if (typeof value !== "string" || value === "") return "";
  if (main === "query") return `“${value}”`;
  const to = args["new_path"] ?? args["destination"] ?? args["new_name"];
  return typeof to === "string" && to !== "" ? `${value} → ${to}` : value;
}

/** The exact thing a call would do, for the card that asks: a command as it is, anything else with all its arguments. What can't be seen is written out. */
export function exactOf(args: CallArguments): string {
  const command = args["command"];
  const rest = Object.entries(args).filter(([name]) => name !== "command");
  const lines = rest.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return exactText([...(typeof command === "string" ? [command] : []), ...lines].join("\n"));
}

/** Whether a fact counts lines added and removed: "+3 −2". */
export function changeCounts(fact: string): { added: string; removed: string } | null {
  const found = /^(\+\d+)\s+([−-]\d+)$/.exec(fact.trim());
  return found ? { added: found[1] ?? "", removed: (found[2] ?? "").replace("-", "−") } : null;
}

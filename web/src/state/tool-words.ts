/** What a tool does, in words: present while it runs, past after, a question when it asks; and what it is about. */
import type { CallArguments, Tool } from "../api";

/** What is said of a tool's calls. */
export type ToolWords = Pick<Tool, "doing" | "done" | "main">;

/** The tools for one document are no matter of the settings: nobody lists them. */
export const DOCUMENT_TOOLS: Readonly<Record<string, ToolWords>> = {
  read_document: { doing: "Reading the document", done: "Read the document", main: "" },
  search_document: { doing: "Searching the document", done: "Searched the document", main: "query" },
  edit_document: { doing: "Editing the document", done: "Edited the document", main: "find" },
  get_document_info: { doing: "Looking at the document", done: "Looked at the document", main: "" },
};

export type ToolIcon = "file" | "edit" | "search" | "list" | "command" | "delete" | "move" | "task" | "tool";

/** What the tools' own declarations do not say: the head of the card that asks, and the picture. */
const LOOKS: Record<string, { ask: string; icon: ToolIcon }> = {
  run_command: { ask: "Run a command?", icon: "command" },
  read_file: { ask: "Read a file?", icon: "file" },
  write_file: { ask: "Write a file?", icon: "edit" },
  edit_file: { ask: "Edit a file?", icon: "edit" },
  list_files: { ask: "List files?", icon: "list" },
  search_content: { ask: "Search the files?", icon: "search" },
  create_file: { ask: "Create a file?", icon: "edit" },
  rename_file: { ask: "Rename a file?", icon: "move" },
  move_file: { ask: "Move a file?", icon: "move" },
  duplicate_file: { ask: "Duplicate a file?", icon: "file" },
  delete_file: { ask: "Delete a file?", icon: "delete" },
  follow_instructions: { ask: "Follow this folder’s instructions?", icon: "file" },
  read_document: { ask: "Read the document?", icon: "file" },
  search_document: { ask: "Search the document?", icon: "search" },
  edit_document: { ask: "Edit the document?", icon: "edit" },
  create_proposal: { ask: "Propose alternatives?", icon: "task" },
  propose_edit: { ask: "Propose an edit?", icon: "edit" },
  add_task: { ask: "Add a task?", icon: "task" },
  read_tasks: { ask: "Read the tasks?", icon: "task" },
  read_skill: { ask: "Read a skill?", icon: "file" },
};

export function askOf(name: string): string {
  return LOOKS[name]?.ask ?? `Use ${name}?`;
}

export function iconOf(name: string): ToolIcon {
  return LOOKS[name]?.icon ?? "tool";
}

/** The verb of a call's line. A tool that is not here any more is called by its name. */
export function verbOf(name: string, tool: ToolWords | null, isRunning: boolean): string {
  if (tool) return isRunning ? tool.doing : tool.done;
  return isRunning ? `Using ${name}` : `Used ${name}`;
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

/** The exact thing a call would do, for the card that asks: a command as it is, anything else with all its arguments. */
export function exactOf(args: CallArguments): string {
  const command = args["command"];
  const rest = Object.entries(args).filter(([name]) => name !== "command");
  const lines = rest.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [...(typeof command === "string" ? [command] : []), ...lines].join("\n");
}

/** Whether a fact counts lines added and removed: "+3 −2". */
export function changeCounts(fact: string): { added: string; removed: string } | null {
  const found = /^(\+\d+)\s+([−-]\d+)$/.exec(fact.trim());
  return found ? { added: found[1] ?? "", removed: (found[2] ?? "").replace("-", "−") } : null;
}

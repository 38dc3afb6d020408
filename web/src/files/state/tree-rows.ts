/** The rows of the file tree as plain values: nodes, notes between them, and how a folder's rows change. */
import type { Entry, Problem } from "../../api";

export type NoteKind = "loading" | "more" | "empty" | "problem";

/** One file or folder. The root is a node too; it has depth -1 and no row. */
export class TreeNode {
  readonly name: string;
  readonly path: string | null;
  readonly kind: Entry["kind"];
  readonly parent: TreeNode | null;
  readonly depth: number;
  readonly key: string;
  ignored: boolean;
  size: number | null;
  /** Place among its siblings, from 1. */
  position = 0;
  expanded = false;
  /** Null until the folder was read once. */
  children: TreeNode[] | null = null;
  nextCursor: string | null = null;
  pages = 0;
  note: Note | null = null;
  problem: Problem | null = null;
  /** Counts reads, so that an answer overtaken by a newer read is dropped. */
  reads = 0;
  /** A read of everything already shown is under way; the next page waits for it. */
  reloading = false;

  constructor(entry: Pick<Entry, "name" | "path" | "kind" | "ignored" | "size">, parent: TreeNode | null) {
    this.name = entry.name;
    this.path = entry.path;
    this.kind = entry.kind;
    this.ignored = entry.ignored;
    this.size = entry.size;
    this.parent = parent;
    this.depth = parent ? parent.depth + 1 : -1;
    this.key = parent ? `${parent.key}/${entry.name}` : "";
  }

  get isFolder(): boolean {
    return this.kind === "folder";
  }
}

/** A line inside a folder that is not a file: it loads, it is empty, it could not be read. */
export class Note {
  readonly folder: TreeNode;
  readonly kind: NoteKind;
  readonly depth: number;
  readonly key: string;

  constructor(folder: TreeNode, kind: NoteKind) {
    this.folder = folder;
    this.kind = kind;
    this.depth = folder.depth + 1;
    this.key = `${folder.key}/\n${kind}`;
  }
}

export type Row = TreeNode | Note;

/** Whether a row lies somewhere under a folder. */
export function isInside(row: Row, folder: TreeNode): boolean {
  let above = row instanceof Note ? row.folder : row.parent;
  while (above && above !== folder) above = above.parent;
  return above === folder;
}

export function rootNode(): TreeNode {
  const root = new TreeNode({ name: "", path: "", kind: "folder", ignored: false, size: null }, null);
  root.expanded = true;
  return root;
}

/** Every visible row under a folder, in order. */
export function contentsOf(folder: TreeNode, into: Row[] = []): Row[] {
  for (const child of folder.children ?? []) {
    into.push(child);
    if (child.expanded) contentsOf(child, into);
  }
  if (folder.note) into.push(folder.note);
  return into;
}

/** New rows in which a folder shows what it holds now. Touches only the folder's own rows, old and new. */
export function withContents(rows: readonly Row[], folder: TreeNode): readonly Row[] {
  const at = rows.indexOf(folder);
  if (at < 0 && folder.depth >= 0) return rows;
  const start = at + 1;
  const end = endOf(rows, start, folder.depth);
  const contents = folder.expanded ? contentsOf(folder) : [];
  return rows.slice(0, start).concat(contents, rows.slice(end));
}

/** New rows with one more page at the end of a folder. Touches only the new page. */
export function withPage(rows: readonly Row[], folder: TreeNode, page: TreeNode[], oldNote: Note | null): readonly Row[] {
  const at = oldNote ? rows.indexOf(oldNote) : -1;
  if (at < 0) return withContents(rows, folder);
  const tail: Row[] = folder.note ? [folder.note] : [];
  return rows.slice(0, at).concat(page, tail, rows.slice(at + 1));
}

function endOf(rows: readonly Row[], start: number, depth: number): number {
  if (depth < 0) return rows.length;
  let end = start;
  for (let row = rows[end]; row && row.depth > depth; row = rows[end]) end += 1;
  return end;
}

/** Puts freshly read entries into a folder; nodes that are still there keep their state. */
export function adopt(folder: TreeNode, entries: readonly Entry[]): boolean {
  const before = folder.children ?? [];
  if (folder.children && isSame(before, entries)) return false;
  const known = new Map(before.map((node) => [node.name, node]));
  folder.children = entries.map((entry, index) => {
    const old = known.get(entry.name);
    const node = old?.kind === entry.kind && old.path === entry.path ? old : new TreeNode(entry, folder);
    node.position = index + 1;
    node.ignored = entry.ignored;
    node.size = entry.size;
    return node;
  });
  return true;
}

/** Adds a page of entries behind those a folder has; answers the new nodes. */
export function append(folder: TreeNode, entries: readonly Entry[]): TreeNode[] {
  const children = folder.children ?? [];
  const start = children.length;
  const page = entries.map((entry, index) => {
    const node = new TreeNode(entry, folder);
    node.position = start + index + 1;
    return node;
  });
  folder.children = children.concat(page);
  return page;
}

function isSame(nodes: readonly TreeNode[], entries: readonly Entry[]): boolean {
  if (nodes.length !== entries.length) return false;
  return entries.every((entry, index) => {
    const node = nodes[index];
    return node?.name === entry.name && node.kind === entry.kind && node.ignored === entry.ignored;
  });
}

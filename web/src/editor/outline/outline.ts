/** The headings of a text, or the definitions of a program, as its syntax tree has them. */
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode, Tree } from "@lezer/common";

export interface Landmark {
  title: string;
  /** How deep it lies: 0 at the top. */
  depth: number;
  /** Its line, from 1. */
  line: number;
}

/** What stands where in a text, and where the cursor is. */
export interface Overview {
  landmarks: readonly Landmark[];
  /** The landmark around the cursor; -1 above the first. */
  here: number;
  line: number;
  lines: number;
}

/** How long the parser may take, in milliseconds, to reach the end of a long text. */
const PATIENCE_MS = 200;
const MOST = 5000;

const HEADING = /^(?:ATX|Setext)Heading([1-6])$/;
/** Nodes that define something with a name, in the languages whose trees tell. */
const DEFINITIONS = new Set([
  "FunctionDefinition", "ClassDefinition", "FunctionDeclaration", "ClassDeclaration", "MethodDeclaration", "InterfaceDeclaration", "TypeAliasDeclaration",
  "EnumDeclaration", "NamespaceDeclaration", "FunctionItem", "StructItem", "EnumItem", "TraitItem", "ImplItem", "ModItem", "MacroDefinition", "FunctionDecl",
  "MethodDecl", "TypeSpec", "ConstructorDeclaration", "RecordDeclaration", "ClassSpecifier", "StructSpecifier", "EnumSpecifier", "NamespaceDefinition", "RuleSet",
]);
const NAMES = new Set([
  "VariableName", "VariableDefinition", "PropertyDefinition", "PrivatePropertyDefinition", "TypeDefinition", "BoundIdentifier", "TypeIdentifier", "DefName",
  "FieldName", "Definition", "Identifier", "TypeName", "NamespaceIdentifier", "FieldIdentifier",
]);
/** Parts of a definition that hold other names than its own. */
const INSIDES = new Set(["Body", "ParamList", "Parameters", "ParameterList", "FormalParameters", "Block", "ClassBody", "FieldDeclarationList", "DeclarationList", "CompoundStatement", "Decorator", "TypeParamList"]);

/** What stands in a text, from top to bottom. */
export function outlineOf(state: EditorState): Landmark[] {
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE_MS) ?? syntaxTree(state);
  const found = [headings, definitions].map((find) => find(state, tree)).find(({ length }) => length > 0);
  return found ?? sections(state);
}

export function overviewOf(state: EditorState): Overview {
  const landmarks = outlineOf(state);
  const line = state.doc.lineAt(state.selection.main.head).number;
  return { landmarks, here: landmarkAt(landmarks, line), line, lines: state.doc.lines };
}

/** The landmark that a line belongs to; -1 above the first. */
export function landmarkAt(landmarks: readonly Landmark[], line: number): number {
  return landmarks.findLastIndex((landmark) => landmark.line <= line);
}

function headings(state: EditorState, tree: Tree): Landmark[] {
  const found: Landmark[] = [];
  tree.iterate({
    enter: ({ name, node }) => {
      const level = HEADING.exec(name)?.[1];
      if (level === undefined || found.length >= MOST) return true;
      found.push({ title: headingText(state, node), depth: Number(level) - 1, line: state.doc.lineAt(node.from).number });
      return false;
    },
  });
  return fromTheTop(found);
}

/** A heading without its marks, on one line. */
function headingText(state: EditorState, node: SyntaxNode): string {
  const parts: string[] = [];
  let at = node.from;
  node.cursor().iterate((inner) => {
    const isMark = /Mark$/.test(inner.name) || (inner.name === "URL" && /^(?:Link|Image)$/.test(inner.node.parent?.name ?? ""));
    if (!isMark || inner.from < at) return;
    parts.push(state.sliceDoc(at, inner.from));
    at = inner.to;
  });
  parts.push(state.sliceDoc(at, node.to));
  return parts.join("").replace(/\s+/g, " ").trim() || "Untitled";
}

function definitions(state: EditorState, tree: Tree): Landmark[] {
  const found: Landmark[] = [];
  let depth = 0;
  tree.iterate({
    enter: ({ name, node }) => {
      if (!DEFINITIONS.has(name)) return;
      const title = name === "RuleSet" ? selectorOf(state, node) : nameOf(state, node);
      if (title !== "" && found.length < MOST) found.push({ title, depth, line: state.doc.lineAt(node.from).number });
      depth += 1;
    },
    leave: ({ name }) => {
      if (DEFINITIONS.has(name)) depth -= 1;
    },
  });
  return found;
}

/** The name a definition gives: the first one in its head. */
function nameOf(state: EditorState, node: SyntaxNode): string {
  let name = "";
  node.cursor().iterate((inner) => {
    if (name !== "" || INSIDES.has(inner.name) || (inner.node.parent && inner.from !== node.from && DEFINITIONS.has(inner.name))) return false;
    if (NAMES.has(inner.name)) name = state.sliceDoc(inner.from, inner.to);
    return name === "";
  });
  return name;
}

function selectorOf(state: EditorState, node: SyntaxNode): string {
  const block = node.getChild("Block");
  return state.sliceDoc(node.from, block?.from ?? node.to).replace(/\s+/g, " ").trim().slice(0, 120);
}

const SECTION = /^\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\s*(?:\[[^\]]*\])?\{(.+?)\}\s*(?:%.*|\\label\{[^}]*\}\s*)?$/;
const SECTION_DEPTHS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph"];

/** The sections of a LaTeX text, whose language has no tree. */
function sections(state: EditorState): Landmark[] {
  const found: Landmark[] = [];
  let line = 0;
  for (const text of state.doc.iterLines()) {
    line += 1;
    const match = text.includes("\\") ? SECTION.exec(text) : null;
    if (match) found.push({ title: match[2] ?? "", depth: SECTION_DEPTHS.indexOf(match[1] ?? ""), line });
    if (found.length >= MOST) break;
  }
  return fromTheTop(found);
}

/** The same with the least depth at 0. */
function fromTheTop(found: readonly Landmark[]): Landmark[] {
  const least = found.reduce((smallest, { depth }) => Math.min(smallest, depth), Infinity);
  return found.map((landmark) => ({ ...landmark, depth: landmark.depth - least }));
}

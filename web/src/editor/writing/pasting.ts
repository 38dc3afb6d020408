/** What comes from a clipboard or is dropped: pictures are kept and linked, HTML becomes Markdown, with Shift words come plain. */
import { syntaxTree } from "@codemirror/language";
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

export interface PastingAround {
  /** Keeps a picture; what to write for it. */
  keep: (picture: File) => Promise<string>;
  /** HTML as Markdown; null where its plain text says as much. */
  markdownOf: (html: string) => string | null;
  /** A picture could not be kept. */
  failed: (error: unknown) => void;
}

/** What waits for a picture, at its place. */
class Waiting extends WidgetType {
  override toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = "cm-picture-waiting";
    sign.textContent = "Keeping the picture…";
    return sign;
  }
}

const began = StateEffect.define<{ id: symbol; at: number }>();
const ended = StateEffect.define<symbol>();

const places = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(began)) next = next.update({ add: [Decoration.widget({ widget: new Waiting(), side: 1, id: effect.value.id }).range(effect.value.at)] });
      else if (effect.is(ended)) next = next.update({ filter: (_from, _to, { spec }) => (spec as { id: symbol }).id !== effect.value });
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function placeOf(view: EditorView, id: symbol): number | null {
  for (let cursor = view.state.field(places, false)?.iter(); cursor?.value;) {
    if ((cursor.value.spec as { id: symbol }).id === id) return cursor.from;
    cursor.next();
  }
  return null;
}

async function put(view: EditorView, pictures: readonly File[], at: number, around: PastingAround): Promise<void> {
  const id = Symbol("picture");
  view.dispatch({ effects: began.of({ id, at }) });
  try {
    const links: string[] = [];
    for (const picture of pictures) links.push(await around.keep(picture));
    const place = placeOf(view, id);
    // Another text may show by now: the picture is kept, and named nowhere.
    if (place !== null && !view.state.readOnly) {
      const insert = links.join("\n\n");
      const isHere = view.state.selection.main.empty && view.state.selection.main.head === place;
      view.dispatch({ changes: { from: place, insert }, ...(isHere ? { selection: { anchor: place + insert.length } } : {}), effects: ended.of(id), userEvent: "input.paste", scrollIntoView: isHere });
    }
  } catch (error) {
    if (placeOf(view, id) !== null) view.dispatch({ effects: ended.of(id) });
    around.failed(error);
  }
}

function picturesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
}

/** An office program puts a picture of its words beside them; a picture that is a file may say its name. */
function isPicture(data: DataTransfer, words: string): boolean {
  return picturesIn(data).length > 0 && (words.trim() === "" || !data.types.includes("text/html"));
}

function isInCode(view: EditorView, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(view.state).resolveInner(at, -1); node; node = node.parent) if (/^(?:InlineCode|FencedCode|CodeBlock|FrontMatter|InlineMath|BlockMath|HTMLBlock)$/.test(node.name)) return true;
  return false;
}

/** A heading, list, table or other block begins a paragraph of its own behind words. */
function apartFrom(before: string, markdown: string): string {
  const isBlock = /^(?:#{1,6} |[-*+] |\d+[.)] |> |\||```|---$)/.test(markdown);
  return isBlock && /\S/.test(before) && !/^\s*(?:[-*+]|\d+[.)]|>)\s*$/.test(before) ? `\n\n${markdown}` : markdown;
}

/** Pastes and drops into a Markdown text. */
export function pasting(around: PastingAround): Extension {
  let wantsPlain = false;
  return [
    places,
    EditorView.domEventHandlers({
      keydown(event) {
        if (event.key.toLowerCase() === "v") wantsPlain = event.shiftKey;
      },
      paste(event, view) {
        const isPlain = wantsPlain;
        wantsPlain = false;
        const data = event.clipboardData;
        if (view.state.readOnly || !data) return false;
        const words = data.getData("text/plain");
        const { from, to } = view.state.selection.main;
        if (isPicture(data, words)) {
          event.preventDefault();
          if (from < to) view.dispatch({ changes: { from, to }, userEvent: "delete" });
          void put(view, picturesIn(data), from, around);
          return true;
        }
        const html = isPlain || isInCode(view, from) ? "" : data.getData("text/html");
        // An editor of code says in HTML only how its words are coloured.
        const markdown = html === "" || data.types.includes("vscode-editor-data") ? null : around.markdownOf(html);
        if (markdown === null || markdown === words.trim()) return false;
        event.preventDefault();
        const line = view.state.doc.lineAt(from);
        view.dispatch(view.state.replaceSelection(apartFrom(line.text.slice(0, from - line.from), markdown)), { userEvent: "input.paste", scrollIntoView: true });
        return true;
      },
      drop(event, view) {
        const pictures = picturesIn(event.dataTransfer);
        if (view.state.readOnly || pictures.length === 0) return false;
        event.preventDefault();
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
        void put(view, pictures, at, around);
        return true;
      },
    }),
  ];
}

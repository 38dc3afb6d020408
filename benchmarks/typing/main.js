/** Two editors to measure against: CodeMirror with Markdown's colours and nothing of ours, and a textarea. */
import { defaultKeymap, history, historyKeymap } from "../../web/node_modules/@codemirror/commands/dist/index.js";
import { markdown, markdownLanguage } from "../../web/node_modules/@codemirror/lang-markdown/dist/index.js";
import { defaultHighlightStyle, syntaxHighlighting } from "../../web/node_modules/@codemirror/language/dist/index.js";
import { EditorState } from "../../web/node_modules/@codemirror/state/dist/index.js";
import { drawSelection, EditorView, keymap } from "../../web/node_modules/@codemirror/view/dist/index.js";

const SIZE = "position: absolute; inset: 0 auto 0 0; width: 45rem; height: 850px";

/** One text after the other, in one state each, as editors with tabs do. */
const opened = document.createElement("div");
opened.style.cssText = `${SIZE}; inset: 2rem auto 0 0; overflow: auto`;
let shown = null;

async function open(name) {
  const answer = await fetch(name);
  const doc = await answer.text();
  shown ??= new EditorView({ parent: opened });
  shown.setState(EditorState.create({ doc, extensions: [extensions(), EditorView.contentAttributes.of({ "aria-label": name })] }));
}

for (const name of ["small.md", "paper.md"]) {
  const button = document.createElement("button");
  button.textContent = name;
  button.addEventListener("dblclick", () => { void open(name); });
  document.body.append(button);
}
document.body.append(opened);

function extensions() {
  const looks = [drawSelection(), EditorView.lineWrapping, syntaxHighlighting(defaultHighlightStyle)];
  const keys = [history(), keymap.of([...defaultKeymap, ...historyKeymap])];
  return [looks, keys, markdown({ base: markdownLanguage })];
}

window.codemirror = (doc) => {
  const parent = document.createElement("div");
  parent.style.cssText = `${SIZE}; overflow: auto`;
  document.body.replaceChildren(parent);
  const view = new EditorView({ doc, parent, extensions: extensions() });
  const at = doc.indexOf("records", doc.length / 2);
  view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
  view.focus();
};

window.textarea = (text) => {
  const area = document.createElement("textarea");
  area.style.cssText = SIZE;
  area.spellcheck = false;
  area.value = text;
  document.body.replaceChildren(area);
  const at = text.indexOf("records", text.length / 2);
  area.focus();
  area.setSelectionRange(at, at);
};

window.isReady = true;

/** An editor to measure against: ProseMirror with the same document and nothing of ours. */
import { baseKeymap } from "../../web/node_modules/prosemirror-commands/dist/index.js";
import { history } from "../../web/node_modules/prosemirror-history/dist/index.js";
import { keymap } from "../../web/node_modules/prosemirror-keymap/dist/index.js";
import { DOMParser, Schema } from "../../web/node_modules/prosemirror-model/dist/index.js";
import { EditorState } from "../../web/node_modules/prosemirror-state/dist/index.js";
import { EditorView } from "../../web/node_modules/prosemirror-view/dist/index.js";

const block = (tag) => ({ group: "block", content: "inline*", parseDOM: [{ tag }], toDOM: () => [tag, 0] });
const schema = new Schema({
  nodes: {
    doc: { content: "block+" },
    paragraph: block("p"),
    heading: block("h1"),
    text: { group: "inline" },
    deleted: { group: "inline", inline: true, atom: true, attrs: { text: {} }, parseDOM: [{ tag: "del", getAttrs: (element) => ({ text: element.textContent }) }], toDOM: (node) => ["del", node.attrs.text] },
    picture: { group: "inline", inline: true, atom: true, attrs: { width: {}, height: {} }, parseDOM: [{ tag: "img", getAttrs: ({ width, height }) => ({ width, height }) }], toDOM: ({ attrs: { width, height } }) => ["img", { width, height }] },
  },
  marks: { inserted: { parseDOM: [{ tag: "ins" }], toDOM: () => ["ins", 0] } },
});

window.prosemirror = (html) => {
  const scroll = document.createElement("div");
  scroll.style.cssText = "position: absolute; inset: 0 auto 0 0; width: 41rem; height: 850px; overflow: auto; font: 1rem/1.5 serif";
  const read = document.createElement("div");
  read.innerHTML = html;
  document.body.replaceChildren(scroll);
  const doc = DOMParser.fromSchema(schema).parse(read);
  new EditorView(scroll, { state: EditorState.create({ doc, plugins: [keymap(baseKeymap), history()] }), attributes: { style: "white-space: pre-wrap; outline: none" } });
};

window.isReady = true;

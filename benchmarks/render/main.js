/** Two ways to show an answer that grows: Recto's, and rendering everything again with each piece. */
import "../../web/src/styles/index.css";
import DOMPurify from "../../web/node_modules/dompurify/dist/purify.es.mjs";
import { marked } from "../../web/node_modules/marked/lib/marked.esm.js";
import { MarkdownView } from "../../web/src/markdown/index.ts";

const host = document.getElementById("host");
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Feeds a text in pieces, so many with each frame, and waits for each frame to be drawn. */
async function feed(text, { size, perFrame }, take) {
  for (let at = 0; at < text.length; ) {
    for (let count = 0; count < perFrame && at < text.length; count += 1, at += size) take(text.slice(at, at + size));
    await frame();
  }
}

window.recto = async (text, pace) => {
  host.replaceChildren();
  const view = new MarkdownView(host, { openLink: () => {}, copy: async () => true });
  await feed(text, pace, (piece) => view.append(piece));
  view.finish();
  await view.drawn();
  return host.childElementCount;
};

window.everything = async (text, pace) => {
  host.replaceChildren();
  let whole = "";
  await feed(text, pace, (piece) => {
    whole += piece;
    host.innerHTML = DOMPurify.sanitize(marked.parse(whole));
  });
  return host.childElementCount;
};

window.isReady = true;

/** What the rest of the page does with a PDF: it is read, searched and asked about. */
import type { Selection as Passage } from "../../../api";
import type { App } from "../../../app/app.svelte";
import type { PdfFile } from "../../../pdf-page";
import type { Viewer } from "../../state/viewer";
import type { PdfFinder } from "./finder.svelte";
import type { PdfReading } from "./reading.svelte";

const AROUND = 200;

interface Around {
  app: App;
  path: string;
  file: PdfFile;
  reading: PdfReading;
  finder: PdfFinder;
  stage: HTMLElement;
  goTo: (page: number) => void;
}

export function pdfViewer({ app, path, file, reading, finder, stage, goTo }: Around): Viewer {
  const readOnly = () => { app.toasts.show("A PDF can be read, not changed."); };
  return {
    text: "",
    openFind: () => { finder.isOpen = true; },
    openReplace: readOnly,
    findAgain: (step) => { finder.again(step); },
    suggest: readOnly,
    insert: readOnly,
    overview: async () => {
      const landmarks = await file.outline();
      return { landmarks, here: landmarks.filter(({ line }) => line <= reading.page).length - 1, line: reading.page, lines: file.pageCount, unit: "Page" };
    },
    goTo,
    focus: () => { stage.focus(); },
    canFormat: () => false,
    format: () => undefined,
    passage: () => passageIn(stage, path),
    selected: () => null,
    dismissSelection: () => { document.getSelection()?.removeAllRanges(); },
    goToEdit: () => undefined,
    decideHere: () => undefined,
    threads: { selected: () => null, here: () => null, step: () => null },
  };
}

/** The selected words of a PDF, with what stands around them on their pages. */
export function passageIn(stage: HTMLElement, path: string): Passage | null {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!stage.contains(range.commonAncestorContainer)) return null;
  const text = selection.toString().trim();
  if (text === "") return null;
  const [first, last] = [lettersAt(range.startContainer), lettersAt(range.endContainer)];
  const before = document.createRange();
  const after = document.createRange();
  if (first) before.setStart(first, 0);
  before.setEnd(range.startContainer, range.startOffset);
  after.setStart(range.endContainer, range.endOffset);
  if (last) after.setEnd(last, last.childNodes.length);
  return { path, before: first ? wordsOf(before).slice(-AROUND) : "", text, after: last ? wordsOf(after).slice(0, AROUND) : "" };
}

/** Line ends are elements between the letters, which a range's own text leaves out. */
function wordsOf(range: Range): string {
  const part = range.cloneContents();
  for (const end of part.querySelectorAll("br")) end.replaceWith("\n");
  return part.textContent;
}

function lettersAt(node: Node): Element | null {
  return (node instanceof Element ? node : node.parentElement)?.closest(".pdf-letters") ?? null;
}

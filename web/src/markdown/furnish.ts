/** What rendered elements get beside their text: heads of code blocks, scroll boxes, what a link says of itself. */

/** What is known of places outside the text. */
export interface PlacesAround {
  /** Opens a file of the project. Without it, paths are only named. */
  openFile?: (path: string) => void;
  /** Where a picture is read: by its path, or behind "attachment:" by the name in what holds the text. Without it, or when it tells nothing, pictures are only described. */
  pictureAt?: (picture: string) => string | null;
}

/** Furnishes the elements of one segment, and returns those that stand in their places. */
export function furnish(elements: readonly Element[], { openFile, pictureAt }: PlacesAround): Element[] {
  const box = document.createElement("div");
  box.append(...elements);
  for (const link of box.querySelectorAll("a")) {
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
  }
  for (const task of box.querySelectorAll("[data-task]")) furnishTask(task);
  for (const picture of box.querySelectorAll("[data-picture]")) furnishPicture(picture, pictureAt);
  for (const path of box.querySelectorAll("[data-path]")) furnishPath(path, openFile !== undefined);
  for (const table of box.querySelectorAll("table")) inScrollBox(table, "table-scroll", "Table");
  for (const pre of box.querySelectorAll("pre")) furnishCode(pre);
  const furnished = [...box.children];
  box.replaceChildren();
  return furnished;
}

function furnishTask(task: Element): void {
  task.closest("li")?.classList.add("task");
  task.setAttribute("role", "img");
  task.setAttribute("aria-label", task.getAttribute("data-task") === "done" ? "Done:" : "To do:");
}

/** A picture in the place of the words about it, where it can be shown. */
function furnishPicture(span: Element, pictureAt: PlacesAround["pictureAt"]): void {
  const address = pictureAt?.(span.getAttribute("data-picture") ?? "") ?? null;
  if (address === null) {
    span.replaceWith(...span.childNodes);
    return;
  }
  const shown = document.createElement("img");
  shown.className = "markdown-picture";
  shown.alt = span.getAttribute("title") ?? "";
  shown.src = address;
  const width = span.getAttribute("data-width");
  if (width !== null) shown.setAttribute("width", width);
  span.replaceWith(shown);
}

function furnishPath(span: Element, opensFiles: boolean): void {
  const path = span.getAttribute("data-path") ?? "";
  const named = document.createElement(opensFiles ? "button" : "span");
  named.className = "file-link";
  named.title = path;
  named.dataset.path = path;
  if (named instanceof HTMLButtonElement) named.type = "button";
  named.append(...span.childNodes);
  span.replaceWith(named);
}

function inScrollBox(element: Element, name: string, label: string): HTMLElement {
  const box = document.createElement("div");
  box.className = name;
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  element.replaceWith(box);
  box.append(element);
  return box;
}

function furnishCode(pre: HTMLPreElement): void {
  const language = pre.dataset.language ?? "";
  const block = document.createElement("div");
  block.className = "code code-small";
  block.dataset.language = language;
  const head = document.createElement("div");
  head.className = "code-head";
  const name = document.createElement("span");
  name.textContent = language;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "code-copy";
  copy.textContent = "Copy";
  head.append(name, copy);
  pre.removeAttribute("data-language");
  pre.replaceWith(block);
  block.append(head, pre);
  inScrollBox(pre, "code-scroll", language ? `Code, ${language}` : "Code");
}

/** The parts the find bar is made of. */

export type Icon = "up" | "down" | "close";

const LINES: Record<Icon, string> = { up: "M6 15l6-6 6 6", down: "M6 9l6 6 6-6", close: "M6 6l12 12M18 6L6 18" };
const SVG = "http://www.w3.org/2000/svg";

export function field(label: string, main: boolean): HTMLInputElement {
  const input = document.createElement("input");
  input.type = "text";
  input.className = "find-field";
  input.placeholder = label;
  input.setAttribute("aria-label", label);
  input.autocomplete = "off";
  input.spellcheck = false;
  // By this the editor knows where the focus goes when the bar is asked for again.
  if (main) input.setAttribute("main-field", "true");
  return input;
}

export function button(label: string, run: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button button-small";
  made.textContent = label;
  made.addEventListener("click", run);
  return made;
}

/** A button that is on or off. */
export function switchButton(sign: string, label: string, run: () => void): HTMLButtonElement {
  const made = button(sign, () => {
    made.setAttribute("aria-pressed", String(made.getAttribute("aria-pressed") !== "true"));
    run();
  });
  made.className = "icon-button find-switch";
  made.title = label;
  made.setAttribute("aria-label", label);
  made.setAttribute("aria-pressed", "false");
  return made;
}

export function iconButton(icon: Icon, label: string, keys: string, run: () => void): HTMLButtonElement {
  const made = button("", run);
  made.className = "icon-button";
  made.title = label;
  made.setAttribute("aria-label", label);
  made.setAttribute("aria-keyshortcuts", keys);
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("class", "icon icon-small");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", LINES[icon]);
  drawing.append(line);
  made.append(drawing);
  return made;
}

export function row(...parts: HTMLElement[]): HTMLElement {
  const made = document.createElement("div");
  made.className = "find-row";
  made.append(...parts);
  return made;
}

/** What happens when a person presses something in a rendered text: a link, a file, the Copy of a code block. */

export interface Presses {
  openLink: (href: string) => void;
  openFile?: (path: string) => void;
  copy: (text: string) => Promise<boolean>;
}

/** How long a button says what it did. */
const SAID_MS = 2000;

/** Listens on the host for presses on anything in it; returns how to stop. */
export function onPress(host: HTMLElement, presses: Presses): () => void {
  const listen = (event: MouseEvent): void => {
    if (!(event.target instanceof Element)) return;
    const copy = event.target.closest<HTMLButtonElement>("button.code-copy");
    const file = event.target.closest<HTMLElement>("button.file-link");
    const link = event.target.closest<HTMLAnchorElement>("a[href]");
    if (copy) void copyCode(copy, presses.copy);
    else if (file?.dataset.path) presses.openFile?.(file.dataset.path);
    else if (link && isPlain(event)) {
      event.preventDefault();
      presses.openLink(link.href);
    }
  };
  host.addEventListener("click", listen);
  return () => {
    host.removeEventListener("click", listen);
  };
}

/** With a key held, the browser opens a link in the way the person asks for. */
function isPlain(event: MouseEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

async function copyCode(button: HTMLButtonElement, copy: (text: string) => Promise<boolean>): Promise<void> {
  const code = button.closest(".code")?.querySelector("code");
  if (!code) return;
  const done = await copy(code.textContent);
  // Where the browser forbids copying, the code is selected, so that one key copies it.
  if (!done) getSelection()?.selectAllChildren(code);
  button.textContent = done ? "Copied" : "Selected";
  setTimeout(() => {
    button.textContent = "Copy";
  }, SAID_MS);
}

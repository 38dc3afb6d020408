/** Where a link in a text leads: somewhere on the web, to a mailbox, to a file of the project, or nowhere. */

export type Target = { kind: "web"; href: string; host: string } | { kind: "mail"; href: string; host: string } | { kind: "file"; path: string };

/** The target of an address as a model wrote it; null when it is none that a person should be led to. */
export function targetOf(address: string): Target | null {
  const url = URL.parse(address.trim());
  if (!url) return fileOf(address.trim());
  if (url.protocol === "mailto:") return { kind: "mail", href: url.href, host: url.pathname };
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  return { kind: "web", href: url.href, host: url.host };
}

/** A path inside the project. What a browser might take for another computer, or for this page, is none. */
function fileOf(address: string): Target | null {
  const path = decoded(address.replace(/[?#].*$/s, "").replace(/^(?:\.\/)+/, ""));
  // eslint-disable-next-line no-control-regex -- control characters are what is refused here
  if (path === "" || /^[/\\]|^[^/]*:|[\\\u0000-\u001f]/.test(path)) return null;
  return { kind: "file", path };
}

/** Percent signs that are no code are part of the name. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

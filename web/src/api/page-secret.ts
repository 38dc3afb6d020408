/**
 * What only this page has. The browser sends its cookie to every port of this computer, so the server believes no
 * cookie alone: sign-in hands the page a secret behind the # of its address, which no browser sends, and the browser
 * keeps it where pages of another port can't read it. Where no header goes along, in pictures, frames and links, a
 * ticket stands for it.
 */
const KEY = "recto.page-secret";
const HANDED = /^#page=([0-9a-f]+)\.([0-9a-f]+)$/;

/** Kept besides: a browser may forbid the store, and then it holds until the page is left. */
let handed: string | null = null;

/** Takes what the address brings, and takes it out of the address. */
export function takePageSecret(): void {
  const [, secret, ticket] = HANDED.exec(location.hash) ?? [];
  if (secret === undefined || ticket === undefined) return;
  handed = `${secret}.${ticket}`;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    localStorage.setItem(KEY, handed);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    console.warn("This browser keeps nothing: after a reload, sign in again by a new link.", error);
  }
}

/** The headers of every request of the page. */
export function pageHeaders(): Record<string, string> {
  const [secret] = parts();
  return secret === undefined ? {} : { "X-Recto-Page": secret };
}

/** The protocols of every socket: the server answers with the first. */
export function pageProtocols(): string[] {
  const [secret] = parts();
  return secret === undefined ? [] : ["recto", `recto.page.${secret}`];
}

/** What goes into the address of something that is shown or saved. */
export function pageTicket(): { ticket: string | undefined } {
  return { ticket: parts()[1] };
}

/** Read anew each time: another tab may have signed in again. */
function parts(): string[] {
  return (stored() ?? handed)?.split(".") ?? [];
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
  }
}

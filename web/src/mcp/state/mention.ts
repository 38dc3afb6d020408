/** How a message names a resource of a server: `@server:uri`. */
import { hidesLetters } from "../../core/exact-text";

/** The names by which a message can mention a server. */
const SERVER = /^[A-Za-z][\w-]{0,63}$/;
/** What the server of Recto takes for an address in a message. */
const ADDRESS = /^[^\s"'<>]{3,2000}$/;

export function canMention(server: string): boolean {
  return SERVER.test(server);
}

/** The words for a message; null where it could not be read from them, or would hide something. */
export function mentionOf(server: string, uri: string): string | null {
  return canMention(server) && ADDRESS.test(uri) && !hidesLetters(uri) ? `${server}:${uri}` : null;
}

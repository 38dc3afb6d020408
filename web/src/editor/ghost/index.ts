/** Suggestions at the cursor: asked for by two plusses, by a command, or by a pause in typing. */
import type { Extension } from "@codemirror/state";
import { asker } from "./asker";
import { ghostLayer } from "./draw";
import { ghostKeys } from "./keys";
import { type GhostPlace, ghostPlace } from "./options";
import { ghostField } from "./state";

export { suggest } from "./commands";
export type { Suggestion } from "../../ghost/ghost";
export type { GhostPlace, GhostRequest, GhostSettings, GhostSource, Outcome } from "./options";
export { accept } from "./state";

export function ghost(place: GhostPlace): Extension {
  return [ghostPlace.of(place), ghostField, asker, ghostLayer, ghostKeys()];
}

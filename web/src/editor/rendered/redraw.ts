/** Asks for a new drawing of what is on the screen, because something besides the text has changed. */
import { StateEffect } from "@codemirror/state";

export const redraw = StateEffect.define();

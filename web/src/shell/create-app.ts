/** Puts the page's state together with what the features do with it. */
import { App, type AppOptions } from "../app/app.svelte";
import { slashMenu } from "../chat/commands";
import { paletteOf } from "../palette/sections";
import { goToThread } from "../threads/commands";
import { commandsOf } from "./commands";

export function createApp(options: AppOptions = {}): App {
  return new App({ commands: commandsOf, palette: paletteOf, slashMenu, goToThread }, options);
}

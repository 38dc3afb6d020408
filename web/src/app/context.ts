/** How components reach the page's state. */
import { createContext } from "svelte";
import type { App } from "./app.svelte";

export const [getApp, setApp] = createContext<App>();

/** How what stands in a conversation reaches the field of that conversation. */
import { createContext } from "svelte";
import type { Talk } from "../../state/talk";

export const [getTalk, setTalk] = createContext<() => Talk>();

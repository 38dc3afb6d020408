/** How what stands in a conversation reaches the field of that conversation. */
import { createContext } from "svelte";
import type { Conversation } from "./conversation";

export const [getConversation, setConversation] = createContext<() => Conversation>();

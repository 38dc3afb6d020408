/** The door of api: the client, its types, its failures, the event streams. */
export * from "./chat-stream";
export * from "./chats";
export { type ExportFormat, exportAddress, imageAddress, type Undoable, ChatsClient } from "./chats-client";
export * from "./client";
export * from "./contexts";
export * from "./events";
export * from "./groups";
export * from "./preferences";
export * from "./previews";
export * from "./problem";
export * from "./proposals";
export * from "./reviews";
export * from "./skills";
export type { EventSourceLike } from "./socket-source";
export * from "./suggest";
export * from "./threads";
export * from "./tokens";
export * from "./writing";

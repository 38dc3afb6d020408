/** The door of api: the client, its types, its failures, the event stream. */
export * from "./client";
export * from "./events";
export * from "./problem";

/** The shapes of chats, turns, their events and tools, as the server's schema has them. */
import type { components } from "../generated";

type Schemas = components["schemas"];

export type Chat = Schemas["Chat"];
export type ChatPage = Schemas["ChatPage"];
/** What is left out comes from the folder, else from the project. */
export type NewChat = Schemas["NewChat"];
export type ChatUpdate = Schemas["ChatUpdate"];
export type ChatView = Schemas["ChatView"];
export type ChatTotals = Schemas["ChatTotals"];
/** Which tools and earlier calls a chat sends along, and how else it could. */
export type ChatTools = Schemas["ChatTools"];
export type ChatTool = Schemas["ChatTool"];
export type ShortenedOutput = Schemas["ShortenedOutput"];
export type ToolOutput = Schemas["ToolOutput"];
export type ToolsMode = ChatTools["mode"];
export type ToolsEffect = Schemas["ChatToolsMode"];
export type ToolsChoice = Required<Schemas["ChatToolsChoice"]>;
export type ChatMatch = Schemas["ChatMatch"];
export type ChatMatches = Schemas["ChatMatches"];
export type ImportResult = Schemas["ImportResult"];
export type EntryPage = Schemas["EntryPage"];

export type Selection = Required<Schemas["Selection"]>;
export type NewImage = Schemas["NewImage"];
export type ImageType = NewImage["mediaType"];
/** A turn about one document, and about a passage of it, in UTF-16 units of its live text. */
export interface DocumentTurn {
  profile: "document";
  document: Required<Schemas["OpenDocument"]>;
  /** A ready request in place of words. */
  transform?: Required<Schemas["ChosenTransform"]>;
}
/** Every field is said: what is left out would be the server's choice. Only a turn about a document has a profile. */
export type NewTurn = Required<Omit<Schemas["NewTurn"], "selection" | "exceptFiles" | keyof DocumentTurn>> & Pick<Schemas["NewTurn"], "exceptFiles"> & { selection: Selection | null } & Partial<DocumentTurn>;
export type TurnAdmitted = Schemas["TurnAdmitted"];
export type Turn = Schemas["Turn"];
export type AttachedFile = Schemas["AttachedFile"];
export type AttachedImage = Schemas["AttachedImage"];

export type UserEntry = Schemas["UserEntry"];
export type AnswerEntry = Schemas["AnswerEntry"];
export type ResultsEntry = Schemas["ResultsEntry"];
export type ErrorEntry = Schemas["ErrorEntry"];
export type NoticeEntry = Schemas["NoticeEntry"];
export type TitleEntry = Schemas["TitleEntry"];
export type SummaryEntry = Schemas["SummaryEntry"];
export type AccountingEntry = Schemas["AccountingEntry"];
/** One entry of a chat's history. */
export type ChatEntry = EntryPage["items"][number];
export type CallBlock = Schemas["CallBlock"];
export type CallArguments = CallBlock["arguments"];
export type CallResult = Schemas["CallResult"];

export type TurnChanged = Schemas["TurnChanged"];
export type StepStarted = Schemas["StepStarted"];
export type PromptRead = Schemas["PromptRead"];
export type TextAdded = Schemas["TextAdded"];
export type ThinkingAdded = Schemas["ThinkingAdded"];
export type CallWritten = Schemas["CallWritten"];
export type CallBegan = Schemas["CallBegan"];
export type CallPrinted = Schemas["CallPrinted"];
export type CallOver = Schemas["CallOver"];
export type ApprovalAsked = Schemas["ApprovalAsked"];
export type ApprovalAnswered = Schemas["ApprovalAnswered"];
export type ElicitationAnswered = Schemas["ElicitationAnswered"];
export type ElicitationAsked = Schemas["ElicitationAsked"];
export type ElicitationReply = Schemas["ElicitationReply"];
export type ApprovalAnswer = Schemas["Answer"]["answer"];
export type ChatEvent = ChatView["events"][number];

export type Tool = Schemas["Tool"];
export type ToolList = Schemas["ToolList"];
export type ToolGroup = Tool["group"];
export type Permission = Tool["permission"];
export type UndoFile = Schemas["UndoFile"];
export type UndoResult = Schemas["UndoResult"];

/** What goes along with a message: files of the folder, texts and pictures from elsewhere, a passage. */
import { type ImageType, type NewImage, RequestFailed, type Selection } from "../../api";
import { isText } from "../../core/browser-storage";

/** Longer files are cut by the server, which says so in the chat. */
export const CUT_BYTES = 50_000;
const IMAGE_MAX_BYTES = 5_000_000;
const IMAGES_MAX = 20;
const IMAGE_TYPES: readonly ImageType[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface PathChip {
  path: string;
  /** It will be cut. */
  isCut: boolean;
}

/** A text file from outside the folder; it goes into the message itself. */
export interface TextChip {
  name: string;
  text: string;
  isCut: boolean;
}

export interface Picture extends NewImage {
  id: number;
  name: string;
}

/** What came from outside the folder: no path leads to it. */
export interface Brought {
  texts: readonly TextChip[];
  pictures: readonly Omit<Picture, "id">[];
}

/** How large a file of the folder is; null when that can't be told. */
export type ReadSize = (path: string) => Promise<number>;

export class Attachments {
  paths = $state.raw<readonly PathChip[]>([]);
  texts = $state.raw<readonly TextChip[]>([]);
  pictures = $state.raw<readonly Picture[]>([]);
  selection = $state.raw<Selection | null>(null);
  /** Why the last one was not taken. */
  refusal = $state("");
  /** Whether what came from outside the folder is there again after a reload. */
  isKept = $state(true);
  readonly isEmpty = $derived(this.paths.length + this.texts.length + this.pictures.length === 0 && this.selection === null);
  readonly #readSize: ReadSize;
  #nextId = 1;

  constructor(readSize: ReadSize) {
    this.#readSize = readSize;
  }

  async addPath(path: string): Promise<void> {
    this.refusal = "";
    if (this.paths.some((chip) => chip.path === path)) return;
    this.paths = [...this.paths, { path, isCut: false }];
    const isCut = (await this.#size(path)) > CUT_BYTES;
    if (isCut) this.paths = this.paths.map((chip) => (chip.path === path ? { path, isCut } : chip));
  }

  removePath(path: string): void {
    this.paths = this.paths.filter((chip) => chip.path !== path);
  }

  /** Takes files from the clipboard, a drop or a file dialog. */
  async addFiles(files: readonly File[]): Promise<void> {
    this.refusal = "";
    for (const file of files) {
      const type = IMAGE_TYPES.find((known) => known === file.type);
      if (type) await this.#addPicture(file, type);
      else await this.#addText(file);
    }
  }

  removeText(chip: TextChip): void {
    this.texts = this.texts.filter((other) => other !== chip);
  }

  removePicture(id: number): void {
    this.pictures = this.pictures.filter((picture) => picture.id !== id);
  }

  clear(): void {
    this.paths = [];
    this.texts = [];
    this.pictures = [];
    this.selection = null;
    this.refusal = "";
  }

  restorePaths(paths: readonly string[]): void {
    this.paths = paths.map((path) => this.paths.find((chip) => chip.path === path) ?? { path, isCut: false });
  }

  /** Takes what came from outside the folder once more. */
  addBrought({ texts, pictures }: Brought): void {
    this.texts = [...this.texts, ...texts];
    const fresh = pictures.map((picture, index) => ({ ...picture, id: this.#nextId + index }));
    this.#nextId += fresh.length;
    this.pictures = [...this.pictures, ...fresh];
  }

  /** The message with the texts that came from outside, each under its name. */
  messageOf(text: string): string {
    const blocks = this.texts.map((chip) => `${chip.name}${chip.isCut ? " (its first 50 KB)" : ""}:\n${fenced(chip.text)}`);
    return [text, ...blocks].filter((part) => part !== "").join("\n\n");
  }

  async #size(path: string): Promise<number> {
    try {
      return await this.#readSize(path);
    } catch (error) {
      // Its size only serves a warning: what can't be read as text is judged by the server when it is sent.
      if (error instanceof RequestFailed) return 0;
      throw error;
    }
  }

  async #addPicture(file: File, mediaType: ImageType): Promise<void> {
    if (file.size > IMAGE_MAX_BYTES) this.refusal = `${file.name} is larger than 5 MB. Make it smaller and add it again.`;
    else if (this.pictures.length >= IMAGES_MAX) this.refusal = `A message takes ${String(IMAGES_MAX)} pictures at most.`;
    else {
      const picture = { id: this.#nextId, name: file.name, mediaType, data: base64(new Uint8Array(await file.arrayBuffer())) };
      this.#nextId += 1;
      this.pictures = [...this.pictures, picture];
    }
  }

  async #addText(file: File): Promise<void> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes.includes(0)) {
      this.refusal = `${file.name} is neither text nor a picture of a known kind. Put it into the folder and name it with @.`;
      return;
    }
    const isCut = bytes.length > CUT_BYTES;
    const text = new TextDecoder().decode(isCut ? bytes.subarray(0, CUT_BYTES) : bytes);
    this.texts = [...this.texts, { name: file.name, text, isCut }];
  }
}

export function isBrought(value: unknown): value is Brought {
  return isRecord(value) && isListOf(value.texts, isTextChip) && isListOf(value.pictures, isPicture);
}

function isTextChip(value: unknown): boolean {
  return isRecord(value) && isText(value.name) && isText(value.text) && typeof value.isCut === "boolean";
}

function isPicture(value: unknown): boolean {
  return isRecord(value) && isText(value.name) && isText(value.data) && IMAGE_TYPES.some((type) => type === value.mediaType);
}

function isListOf(value: unknown, guard: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(guard);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A picture that is in a chat is of a known kind. */
export function imageType(mediaType: string): ImageType {
  const known = IMAGE_TYPES.find((type) => type === mediaType);
  if (!known) throw new TypeError(`${mediaType} is no kind of picture a message takes.`);
  return known;
}

/** A fence longer than any inside the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}

export function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(""));
}

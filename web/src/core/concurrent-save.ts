/** Saving what others may change at the same time: what was overtaken is told, and never written over. */
import { type Problem, RequestFailed } from "../api";

export interface Shared {
  version: number;
}

const OUTDATED = 412;
/** Somebody who changes something else all the time must not hold a save for ever. */
const ATTEMPTS = 5;

/** Somebody else changed the very thing that was about to be changed. Nothing was saved. */
export class Overtaken<T> extends RequestFailed {
  /** As it is now. */
  readonly now: T;

  constructor(now: T, problem: Problem) {
    super(problem);
    this.name = "Overtaken";
    this.now = now;
  }
}

export interface Saving<T, C> {
  /** Saves the change, on top of what is given. */
  save: (onto: T, change: C) => Promise<T>;
  /** Reads it as it is now. */
  read: () => Promise<T>;
  /** What somebody else did to it, as a sentence. */
  words: (now: T, change: C) => string;
}

/**
 * Saves a change of something as it was seen. A change of other fields meanwhile is kept, and the save made again on top of it;
 * a change of the same field wins, and is told.
 */
export async function saveSeen<T extends Shared, C extends Partial<T>>(seen: T, change: C, { save, read, words }: Saving<T, C>): Promise<T> {
  let onto = seen;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await save(onto, change);
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== OUTDATED || attempt === ATTEMPTS) throw error;
      onto = await read();
      if (!isSame(seen, onto, change)) throw new Overtaken(onto, overtaken(words(onto, change)));
    }
  }
}

/** Whether what a change is about stands as it was seen. */
function isSame<T>(seen: T, now: T, change: Partial<T>): boolean {
  return (Object.keys(change) as (keyof T)[]).every((field) => JSON.stringify(seen[field]) === JSON.stringify(now[field]));
}

function overtaken(what: string): Problem {
  return { type: "about:blank", title: "Changed elsewhere", status: OUTDATED, detail: `${what} Yours was not saved.`, remedy: "Look at it as it is now, and try again if you still want to." };
}

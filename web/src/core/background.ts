/** Runs work nobody waits for; its expected failures are told elsewhere. */

export type Background = (work: Promise<unknown>) => void;

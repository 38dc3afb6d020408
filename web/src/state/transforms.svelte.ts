/** The ready requests about a passage: Recto's own, and those a person has written down. */
import type { Transform } from "../api";

/** These stand in the bar itself; the others are in its menu. */
const IN_BAR = 4;
/** The longest name in the bar. */
const SHORT = 14;

export class Transforms {
  list = $state.raw<readonly Transform[]>([]);
  readonly near = $derived(this.list.filter((one) => one.argument === null).slice(0, IN_BAR));
  readonly others = $derived(this.list.filter((one) => !this.near.includes(one)));
  readonly #read: () => Promise<Transform[]>;

  constructor(read: () => Promise<Transform[]>) {
    this.#read = read;
  }

  async load(): Promise<void> {
    this.list = await this.#read();
  }
}

/** The name as the bar has room for it. */
export function shortTitle({ title }: Transform): string {
  return title.length > SHORT ? (title.split(" ")[0] ?? title) : title;
}

/** The name as it stands where it is chosen: one that asks for more ends in an ellipsis. */
export function transformTitle({ title, argument }: Transform): string {
  return argument === null ? title : `${title}…`;
}

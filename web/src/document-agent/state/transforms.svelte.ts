/** The ready requests about a passage: Recto's own, and those a person has written down. */
import type { Transform } from "../../api";

/** These stand in the bar itself; the others are in its menu. */
const IN_BAR = 4;
/** The longest name in the bar. */
const SHORT = 14;

export class Transforms {
  /** All that there are. */
  known = $state.raw<readonly Transform[]>([]);
  /** Those that the model in use does well enough. */
  readonly list = $derived(this.#offered());
  readonly near = $derived(this.list.filter((one) => one.argument === null).slice(0, IN_BAR));
  readonly others = $derived(this.list.filter((one) => !this.near.includes(one)));
  readonly #read: () => Promise<Transform[]>;
  readonly #good: () => readonly string[] | null;

  /** `good` names what the model in use was measured to do well; null when it was not measured. */
  constructor(read: () => Promise<Transform[]>, good: () => readonly string[] | null = () => null) {
    this.#read = read;
    this.#good = good;
  }

  async load(): Promise<void> {
    this.known = await this.#read();
  }

  #offered(): readonly Transform[] {
    return offered(this.known, this.#good());
  }
}

/** A person’s own requests are always offered: nobody has measured them. */
export function offered(known: readonly Transform[], good: readonly string[] | null): readonly Transform[] {
  return good === null ? known : known.filter((one) => one.id.startsWith("own-") || good.includes(one.id));
}

/** The name as the bar has room for it. */
export function shortTitle({ title }: Transform): string {
  return title.length > SHORT ? (title.split(" ")[0] ?? title) : title;
}

/** The name as it stands where it is chosen: one that asks for more ends in an ellipsis. */
export function transformTitle({ title, argument }: Transform): string {
  return argument === null ? title : `${title}…`;
}

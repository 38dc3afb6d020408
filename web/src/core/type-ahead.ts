/** Typing letters in a list goes to the next row that begins with them. */

const PAUSE_MS = 700;

export class TypeAhead {
  #letters = "";
  #last = -PAUSE_MS;

  /**
   * The index of the name the letters lead to, or -1. What has no name is passed over.
   * The time is the one at which the key was pressed: a busy page hears of it later.
   */
  type(letter: string, names: readonly (string | null)[], from: number, pressedAt: number): number {
    this.#letters = pressedAt - this.#last > PAUSE_MS ? letter : this.#letters + letter;
    this.#last = pressedAt;
    const wanted = this.#letters.toLowerCase();
    // A first letter moves on; more letters may keep the row that already fits.
    const start = wanted.length === 1 ? from + 1 : from;
    for (let step = 0; step < names.length; step += 1) {
      const index = (start + step) % names.length;
      if (names[index]?.toLowerCase().startsWith(wanted)) return index;
    }
    return -1;
  }
}

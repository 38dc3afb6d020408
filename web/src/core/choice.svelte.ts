/** The chosen row of a list that is worked from a text field: arrows move it, round the end. */

export class Choice {
  index = $state(0);

  /** Moves for a key of a list; answers whether the key was one. */
  onKey(key: string, count: number): boolean {
    if (count === 0) return false;
    const next = this.#next(key, count);
    if (next === null) return false;
    this.index = next;
    return true;
  }

  reset(): void {
    this.index = 0;
  }

  #next(key: string, count: number): number | null {
    const page = 8;
    switch (key) {
      case "ArrowDown":
        return (this.index + 1) % count;
      case "ArrowUp":
        return (this.index - 1 + count) % count;
      case "PageDown":
        return Math.min(count - 1, this.index + page);
      case "PageUp":
        return Math.max(0, this.index - page);
      default:
        return null;
    }
  }
}

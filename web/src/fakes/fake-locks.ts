/** The browser's locks, which jsdom lacks: held until a test ends the tab that holds them. */

export class FakeLocks {
  #held: string[] = [];

  request<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.#held.push(name);
    return run();
  }

  query(): Promise<LockManagerSnapshot> {
    return Promise.resolve({ held: this.#held.map((name) => ({ name })), pending: [] });
  }

  /** The tab with this name is gone. */
  release(tab: string): void {
    this.#held = this.#held.filter((name) => !name.endsWith(tab));
  }
}

/** Puts fresh locks into the browser of a test. */
export function installLocks(): FakeLocks {
  const locks = new FakeLocks();
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  return locks;
}

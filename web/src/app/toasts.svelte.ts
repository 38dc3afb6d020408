/** Short messages at the foot of the document: one sentence, one action, six seconds. */

export const TOAST_MS = 6000;

export interface ToastAction {
  label: string;
  run(): void;
}

export interface Toast {
  id: number;
  text: string;
  action: ToastAction | null;
}

export class Toasts {
  current = $state.raw<Toast | null>(null);
  #nextId = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #left = TOAST_MS;
  #since = 0;

  /** Shows a message; a newer one takes the place of an older. */
  show(text: string, action: ToastAction | null = null): void {
    clearTimeout(this.#timer);
    this.current = { id: this.#nextId, text, action };
    this.#nextId += 1;
    this.#left = TOAST_MS;
    this.resume();
  }

  dismiss(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.current = null;
  }

  /** Holds the message while the pointer or the focus is on it. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= Date.now() - this.#since;
  }

  resume(): void {
    if (!this.current) return;
    clearTimeout(this.#timer);
    this.#since = Date.now();
    this.#timer = setTimeout(() => {
      this.dismiss();
    }, Math.max(0, this.#left));
  }
}

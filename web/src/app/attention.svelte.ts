/** Whether a chat wants the person: said in the tab's title, and by the system where that is switched on. */
import { recall, remember } from "../core/browser-storage";

export type Wants = "answer" | "read" | null;

/** What the notice needs of the browser. */
export interface SystemNotices {
  permission(): NotificationPermission;
  ask(): Promise<NotificationPermission>;
  show(title: string, text: string): void;
}

const browserNotices: SystemNotices = {
  permission: () => ("Notification" in window ? Notification.permission : "denied"),
  ask: () => ("Notification" in window ? Notification.requestPermission() : Promise.resolve("denied")),
  show: (title, text) => {
    const notice = new Notification(title, { body: text, tag: "recto" });
    notice.onclick = () => { window.focus(); };
  },
};

export class Attention {
  wants = $state<Wants>(null);
  isOn = $state(recall("notices", isTrue) ?? false);
  /** Switched on, and the browser forbids it. */
  isBlocked = $state(false);
  readonly #notices: SystemNotices;
  #isHidden = document.visibilityState === "hidden";

  constructor(notices: SystemNotices = browserNotices) {
    this.#notices = notices;
  }

  /** Asks the browser only when the person switches it on. */
  async switch(on: boolean): Promise<void> {
    const allowed = !on || (await this.#notices.ask()) === "granted";
    this.isBlocked = !allowed;
    this.isOn = on && allowed;
    remember("notices", this.isOn);
  }

  onVisibility(visible: boolean): void {
    this.#isHidden = !visible;
    if (visible && this.wants === "read") this.wants = null;
  }

  /** A tool waits for an answer, or no longer does. */
  onWaiting(isWaiting: boolean, title: string): void {
    if (isWaiting && this.wants !== "answer") this.#tell("Waiting for you", title);
    if (isWaiting) this.wants = "answer";
    else if (this.wants === "answer") this.wants = null;
  }

  onFinished(title: string): void {
    if (!this.#isHidden) return;
    this.wants = "read";
    this.#tell("Answered", title);
  }

  titleOf(page: string): string {
    if (this.wants === "answer") return `Waiting for you · ${page}`;
    return this.wants === "read" ? `● ${page}` : page;
  }

  #tell(what: string, title: string): void {
    if (this.isOn && this.#isHidden && this.#notices.permission() === "granted") this.#notices.show(what, title);
  }
}

function isTrue(value: unknown): value is boolean {
  return value === true;
}

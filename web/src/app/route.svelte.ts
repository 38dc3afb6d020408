/** Where the page is: the workspace, or a section of the settings, as the address says it. */

export const SECTIONS = ["models", "keys", "tools", "mcp", "skills", "budget", "usage", "editor", "appearance", "shortcuts", "computer", "kept", "session", "about"] as const;
export type Section = (typeof SECTIONS)[number];

export class Route {
  /** Null: the workspace. */
  section = $state<Section | null>(null);

  constructor() {
    this.read();
  }

  read(): void {
    this.section = sectionOf(location.hash);
  }

  openSettings(section: Section = "appearance"): void {
    location.hash = addressOf(section);
    this.section = section;
  }

  closeSettings(): void {
    history.pushState(null, "", location.pathname + location.search);
    this.section = null;
  }
}

/** The address of a section. The usage has a short one: it is a page of its own, reached from the bar. */
export function addressOf(section: Section): string {
  return section === "usage" ? "#usage" : `#settings/${section}`;
}

export function sectionOf(hash: string): Section | null {
  const [page, name] = hash.replace(/^#/, "").split("/");
  if (page === "usage") return page;
  if (page !== "settings") return null;
  return SECTIONS.find((section) => section === name) ?? "appearance";
}

/** Where the page is: the workspace, or a section of the settings, as the address says it. */

export const SECTIONS = ["appearance", "shortcuts", "computer", "session", "about"] as const;
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
    location.hash = `#settings/${section}`;
    this.section = section;
  }

  closeSettings(): void {
    history.pushState(null, "", location.pathname + location.search);
    this.section = null;
  }
}

export function sectionOf(hash: string): Section | null {
  const [page, name] = hash.replace(/^#/, "").split("/");
  if (page !== "settings") return null;
  return SECTIONS.find((section) => section === name) ?? "appearance";
}

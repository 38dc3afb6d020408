/** How the page looks, in the words that apps know. */
import type { HostContext } from "./app-bridge";

const HIGHEST_PX = 800;
/** Names of the extension, and ours. */
const VARIABLES: Record<string, string> = {
  "--color-background-primary": "--color-surface-page-recto",
  "--color-background-secondary": "--color-surface-sunken",
  "--color-background-tertiary": "--color-surface-raised",
  "--color-background-inverse": "--color-ink",
  "--color-background-info": "--color-ai-wash",
  "--color-background-danger": "--color-danger-wash",
  "--color-background-success": "--color-success-wash",
  "--color-background-warning": "--color-warning-wash",
  "--color-text-primary": "--color-text",
  "--color-text-secondary": "--color-text-secondary",
  "--color-text-tertiary": "--color-text-tertiary",
  "--color-text-inverse": "--color-text-on-ink",
  "--color-text-info": "--color-ai",
  "--color-text-danger": "--color-danger",
  "--color-text-success": "--color-success",
  "--color-text-warning": "--color-warning",
  "--color-text-disabled": "--color-text-disabled",
  "--color-border-primary": "--color-rule-strong",
  "--color-border-secondary": "--color-rule",
  "--color-border-tertiary": "--color-rule-faint",
  "--color-ring-primary": "--color-focus",
};
/** The page's fonts are not in the frame. */
const FONTS = { "--font-sans": "system-ui, sans-serif", "--font-mono": "ui-monospace, monospace" };

export function hostContext(place: HTMLElement, isDark: boolean): HostContext {
  const look = getComputedStyle(place);
  const colours = Object.entries(VARIABLES).map(([theirs, ours]) => [theirs, look.getPropertyValue(ours).trim()] as const);
  return {
    theme: isDark ? "dark" : "light",
    styles: { variables: { ...Object.fromEntries(colours.filter(([, value]) => value !== "")), ...FONTS } },
    containerDimensions: { width: place.clientWidth, maxHeight: HIGHEST_PX },
  };
}

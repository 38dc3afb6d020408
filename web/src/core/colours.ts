/** The palette of contexts, skills and folders, with a word for each: no colour stands for itself. */
export const COLOURS = [
  { color: "#3b82f6", name: "Blue" },
  { color: "#8b5cf6", name: "Violet" },
  { color: "#06b6d4", name: "Cyan" },
  { color: "#10b981", name: "Green" },
  { color: "#f59e0b", name: "Amber" },
  { color: "#ef4444", name: "Red" },
  { color: "#ec4899", name: "Pink" },
  { color: "#6366f1", name: "Indigo" },
] as const;

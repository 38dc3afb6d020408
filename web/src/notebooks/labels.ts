/** What people read about notebooks. */
import type { KernelStatus } from "./state/outputs";

export const KIND_NAMES = { code: "Code", markdown: "Text", raw: "Raw" } as const;

const STATES: Record<KernelStatus["state"], string> = { starting: "starting", idle: "idle", busy: "busy", dead: "dead" };

const RIGHTS = {
  own: { text: "Runs with your rights", hint: "A kernel runs with your own rights: it can read and change what you can." },
  sandbox: { text: "In the sandbox", hint: "The kernel writes in this folder alone, and has no network." },
  network: { text: "In the sandbox, with network", hint: "The kernel writes in this folder alone. What it can read, it can send." },
} as const;

/** What a kernel may do, or the one that the next run starts. */
export function rightsText(kernel: KernelStatus | null, chosen: KernelStatus["rights"]): { readonly text: string; readonly hint: string } {
  return RIGHTS[kernel && kernel.state !== "dead" ? kernel.rights : chosen];
}

export function kernelText(kernel: KernelStatus | null): string {
  return kernel ? `${kernel.title}, ${STATES[kernel.state]}${kernel.isKept ? ", kept" : ""}` : "No kernel";
}

/** What a kernel takes of the computer: 120 MB, 3 % CPU. */
export function usageText(bytes: number, share: number): string {
  return bytes === 0 ? "" : `${Math.round(bytes / 1e6).toLocaleString("en")} MB, ${String(Math.round(share * 100))} % CPU`;
}

/** Seconds as people read a clock: 9 s, 1:41. */
export function timeText(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${String(whole)} s`;
  return `${String(Math.floor(whole / 60))}:${String(whole % 60).padStart(2, "0")}`;
}

export function staleText(stale: "edited" | "names" | "place"): string {
  if (stale === "edited") return "Edited since it ran";
  return stale === "names" ? "A name that it uses was defined anew since it ran" : "A cell above ran later; this is told by its place alone";
}

/** What the last line of an error says besides its name. */
export function errorText(name: string, line: string): string {
  return name !== "" && line.startsWith(`${name}:`) ? line.slice(name.length + 1).trim() : line;
}

export function countText(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;
}

/** That an output can't be shown, and for a kind that people meet often, what shows it. */
export function notShownText(types: string): string {
  const words = `An output that can't be shown: ${types}.`;
  return types.includes("vnd.plotly") ? `${words} A figure of Plotly's shows as HTML: from IPython.display import HTML; HTML(fig.to_html()).` : words;
}

/** What people read about notebooks. */
import type { KernelStatus } from "./state/outputs";

export const KIND_NAMES = { code: "Code", markdown: "Text", raw: "Raw" } as const;

const STATES: Record<KernelStatus["state"], string> = { starting: "starting", idle: "idle", busy: "busy", dead: "dead" };

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

export function countText(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;
}

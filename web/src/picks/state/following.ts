/** What is ticked goes along with a file or folder that gets another path. */
import { afterMove, isAtOrBelow } from "../../core/paths";
import type { Picked } from "./picked.svelte";

export function followMove(picked: Picked, path: string, newPath: string): void {
  const ticked = [...picked.files].filter((one) => isAtOrBelow(one, path));
  if (ticked.length === 0) return;
  picked.setFiles(ticked, false);
  picked.setFiles(ticked.map((one) => afterMove(one, path, newPath)), true);
}

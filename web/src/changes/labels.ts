/** What people read about changes that git sees. */
import type { ChangedFile, GitChanges } from "../api";

/** Where the repository stands: its branch, or why a commit is not possible here. */
export function standingOf({ branch, head, underWay }: GitChanges): string {
  if (underWay !== null) return `${underWay} is under way. Stage what you have mended, then end it with git in a terminal.`;
  if (branch !== null) return head === null ? `On branch ${branch}, before the first commit` : `On branch ${branch}`;
  return `No branch is checked out${head === null ? "" : `: this is commit ${head.slice(0, 8)}`}. Check one out with git in a terminal to commit.`;
}

export function countText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "file" : "files"}`;
}

/** Why the lines of a file can't be shown. */
export function unshownText(file: ChangedFile, isBinary: boolean, isCut: boolean): string | null {
  if (file.isSubmodule) return "A submodule, at another commit than before. Staging it takes the new one.";
  if (isBinary) return "The file is not text. It can be staged as a whole.";
  return isCut ? "There is more than is shown here. The file can be staged as a whole." : null;
}

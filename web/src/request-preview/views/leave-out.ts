/** Taking a part off the message that is being written. */
import type { PreviewPart } from "../../api";
import type { Composer } from "../../chat/state/composer.svelte";
import type { Workspace } from "../../app/workspace.svelte";

/** How to leave a part out; null for what stands in the conversation already, or always goes along. */
export function leaveOut(part: PreviewPart, composer: Composer, workspace: Workspace): (() => void) | null {
  if (part.entryId !== null) return null;
  if (part.origin === "selection" && composer.attachments.selection) return () => { composer.attachments.selection = null; };
  if (part.origin === "file") return () => {
    composer.attachments.removePath(part.name);
    workspace.picked.setFiles([part.name], false);
  };
  if (part.origin !== "skill") return null;
  const skill = workspace.skills.usable.find(({ id, name }) => name === part.name && workspace.picked.skillIds.includes(id));
  if (skill) return () => { workspace.picked.toggleSkill(skill.id); };
  return workspace.picked.additionalPrompt === "" ? null : () => { workspace.picked.additionalPrompt = ""; };
}

/** What a rendered text asks of the page around it. */
import { rawAddress } from "../../api";
import type { NamedPicture, PastingAround, RenderedOptions } from "../../editor";
import type { App } from "../../app/app.svelte";
import type { Workspace } from "../../app/workspace.svelte";
import { beside, folderOf, nameOf } from "../../core/paths";
import { copyText } from "../../core/widgets/clipboard";
import { openNote, showTag } from "../../files/actions";
import { drawFormulas, markdownOf, MarkdownView, targetOf } from "../../markdown";
import { isPicture, showsAs } from "../state/file-kinds";

export function renderedAround(app: App, workspace: Workspace, pathNow: () => string): RenderedOptions {
  const addressOf = (picture: string) => rawAddress(workspace.projectId, picture, workspace.pictures.versionOf(picture));
  /** A file that a link leads to, as a wiki link would name it. */
  const named = (found: { name: string } | { path: string }) => ("name" in found ? found.name : `./${relativeTo(pathNow(), beside(pathNow(), found.path))}`);
  const openLink = (href: string) => { window.open(href, "_blank", "noopener,noreferrer"); };
  return {
    targetOf,
    openLink,
    openFile: (target) => { app.openFile(beside(pathNow(), target), true); },
    openNote: (name) => { app.background(openNote(app, name, pathNow())); },
    openTag: (tag) => { showTag(app, tag); },
    pictureAt: (target) => (isPicture(target) ? addressOf(beside(pathNow(), target)) : null),
    pictureNamed: (name): NamedPicture | null => {
      if (!isPicture(name)) return null;
      const found = workspace.pictures.named(name, pathNow());
      if (!found) return found === null ? "missing" : "looking";
      return { path: found, address: addressOf(found) };
    },
    noteShown: (name) => workspace.noteTexts.shown(name, pathNow()),
    isMissing: (found) => ("name" in found || showsAs(found.path) === "markdown") && workspace.noteTexts.isMissing(named(found), pathNow()),
    preview: (found) => workspace.noteTexts.beginning(named(found), pathNow()),
    drawText: (place, text) => {
      place.classList.add("answer");
      const view = new MarkdownView(place, { openLink, copy: copyText });
      view.setWhole(text);
      return () => { view.destroy(); };
    },
    diagram: (source) => workspace.diagrams.picture(source, isDark(app)),
    drawFormula: (place) => drawFormulas([place]),
  };
}

export function pastingAround(app: App, workspace: Workspace): (path: string) => PastingAround {
  return (path) => ({
    keep: async (picture) => {
      const kept = await app.client.files.keepPicture(workspace.projectId, path, picture);
      await workspace.tree.refresh([folderOf(kept), folderOf(folderOf(kept))]);
      return `![${nameOf(kept).replace(/\.[^.]+$/, "").replace(/[[\]\\]/g, "")}](${encoded(relativeTo(path, kept))})`;
    },
    markdownOf,
    failed: (error) => { app.toasts.show(`The picture could not be kept. ${error instanceof Error ? error.message : ""}`.trim()); },
  });
}

/** A path of the folder as seen from a file of it. */
function relativeTo(from: string, path: string): string {
  const here = folderOf(from).split("/").filter(Boolean);
  const there = path.split("/");
  while (here.length > 0 && there.length > 1 && here[0] === there[0]) {
    here.shift();
    there.shift();
  }
  return [...here.map(() => ".."), ...there].join("/");
}

function encoded(path: string): string {
  return path.replace(/[\s()<>%#?\\&]/g, (sign) => encodeURIComponent(sign).replace("(", "%28").replace(")", "%29"));
}

function isDark(app: App): boolean {
  return app.theme.choice === "system" ? window.matchMedia("(prefers-color-scheme: dark)").matches : app.theme.choice === "dark";
}

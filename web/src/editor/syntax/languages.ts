/** Which language a file is in, by its name. Each one is its own chunk, loaded when first needed. */
import { Language, LanguageDescription, LanguageSupport, StreamLanguage, type StreamParser } from "@codemirror/language";
import { Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import type { MarkdownParser } from "@lezer/markdown";
import { codeColours } from "./code-colours";
import { nameOf } from "../facts";
import { SectionParser } from "./sections";

type Extensions = readonly string[];

function language(name: string, extensions: Extensions, load: () => Promise<LanguageSupport>, filename?: RegExp): LanguageDescription {
  return LanguageDescription.of(filename ? { name, extensions, filename, load } : { name, extensions, load });
}

function legacy(name: string, extensions: Extensions, load: () => Promise<StreamParser<unknown>>, filename?: RegExp): LanguageDescription {
  const support = async () => new LanguageSupport(StreamLanguage.define(await load()));
  return language(name, extensions, support, filename);
}

export const languages: readonly LanguageDescription[] = [
  language("Markdown", ["md", "markdown", "mkd", "qmd", "rmd"], async () => {
    const [{ deleteMarkupBackward, insertNewlineContinueMarkupCommand, markdownLanguage, pasteURLAsLink }, { renderedSyntax }] = await Promise.all([import("@codemirror/lang-markdown"), import("../rendered")]);
    const parser = markdownLanguage.parser as MarkdownParser;
    const language = new Language(markdownLanguage.data, new SectionParser(parser.configure(renderedSyntax)), [], "markdown");
    // Enter in an empty item ends the list; it never moves the item down to set the list wider.
    const keys = [{ key: "Enter", run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) }, { key: "Backspace", run: deleteMarkupBackward }];
    return new LanguageSupport(language, [Prec.high(keymap.of(keys)), pasteURLAsLink, codeColours(languages)]);
  }),
  language("Python", ["py", "pyi", "pyw"], async () => (await import("@codemirror/lang-python")).python()),
  language("JavaScript", ["js", "mjs", "cjs", "jsx"], async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true })),
  language("TypeScript", ["ts", "mts", "cts"], async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true })),
  language("TSX", ["tsx"], async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true, jsx: true })),
  language("JSON", ["json", "jsonl", "ipynb", "geojson", "webmanifest"], async () => (await import("@codemirror/lang-json")).json()),
  language("YAML", ["yaml", "yml"], async () => (await import("@codemirror/lang-yaml")).yaml()),
  language("CSS", ["css"], async () => (await import("@codemirror/lang-css")).css()),
  language("HTML", ["html", "htm", "svelte", "vue"], async () => (await import("@codemirror/lang-html")).html()),
  language("SQL", ["sql"], async () => (await import("@codemirror/lang-sql")).sql()),
  language("Rust", ["rs"], async () => (await import("@codemirror/lang-rust")).rust()),
  language("C++", ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "ino"], async () => (await import("@codemirror/lang-cpp")).cpp()),
  language("Java", ["java"], async () => (await import("@codemirror/lang-java")).java()),
  language("Go", ["go"], async () => (await import("@codemirror/lang-go")).go()),
  language("XML", ["xml", "svg", "xsd", "rss", "plist"], async () => (await import("@codemirror/lang-xml")).xml()),
  legacy("Shell", ["sh", "bash", "zsh", "ksh"], async () => (await import("@codemirror/legacy-modes/mode/shell")).shell, /^\.(bash|zsh)(rc|_profile)$/),
  legacy("TOML", ["toml"], async () => (await import("@codemirror/legacy-modes/mode/toml")).toml, /^(Cargo|poetry|uv)\.lock$/),
  legacy("Dockerfile", ["dockerfile"], async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile, /^(Dockerfile|Containerfile)(\..+)?$/),
  legacy("INI", ["ini", "cfg", "properties", "conf"], async () => (await import("@codemirror/legacy-modes/mode/properties")).properties, /^\.(editorconfig|npmrc|gitconfig)$/),
  legacy("LaTeX", ["tex", "sty", "cls"], async () => (await import("@codemirror/legacy-modes/mode/stex")).stex),
  legacy("R", ["r", "R"], async () => (await import("@codemirror/legacy-modes/mode/r")).r),
  legacy("Julia", ["jl"], async () => (await import("@codemirror/legacy-modes/mode/julia")).julia),
  legacy("Ruby", ["rb"], async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby, /^(Gemfile|Rakefile)$/),
  legacy("Lua", ["lua"], async () => (await import("@codemirror/legacy-modes/mode/lua")).lua),
  legacy("Perl", ["pl", "pm"], async () => (await import("@codemirror/legacy-modes/mode/perl")).perl),
  legacy("Diff", ["diff", "patch"], async () => (await import("@codemirror/legacy-modes/mode/diff")).diff),
];

/** Above this many characters a text is shown plain: parsing it would cost more than colours give. */
export const PLAIN_ABOVE = 2_000_000;

/** The language that a text is shown in; null for one that is shown plain. */
export function languageOfText(path: string, text: string): LanguageDescription | null {
  return text.length > PLAIN_ABOVE ? null : languageOf(nameOf(path));
}

/** The language of a file, or null for plain text. */
export function languageOf(filename: string): LanguageDescription | null {
  return LanguageDescription.matchFilename(languages, filename);
}

/**
 * When two plusses ask for a suggestion. In prose they do after white space, at the start of a line, after
 * punctuation and after a word of two letters or more; not after one letter or a digit (C++, i++, 5++), nor after
 * another plus. In code they do at the start of a line and after white space, but never in a language in which ++
 * means something.
 */
const WORD_END = /[\p{L}\p{N}][\p{M}]*$/u;
const LETTERS = /\p{L}\p{M}*\p{L}\p{M}*$/u;

/** Languages in which ++ means something, as they are named, in small letters; and their endings. */
const WITH_PLUSSES = new Set([
  "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "html", "htm", "svelte", "vue", "astro", "c", "h", "c++", "cpp", "cxx", "cc", "hpp",
  "objective-c", "objc", "m", "c#", "csharp", "cs", "java", "go", "golang", "php", "perl", "pl", "pm", "kotlin", "kt", "kts", "scala", "dart", "groovy",
  "shell", "sh", "bash", "zsh", "ksh", "console", "awk", "haskell", "hs", "elm", "purescript", "idris", "agda", "elixir", "ex", "exs", "erlang", "erl",
  "zig", "d", "coffeescript", "coffee", "arduino", "ino", "glsl", "hlsl", "wgsl", "cuda", "cu", "solidity", "sol", "powershell", "ps1", "actionscript",
  "processing", "vala", "tcl", "diff", "patch",
]);

export function hasPlusses(language: string): boolean {
  return WITH_PLUSSES.has(language.toLowerCase());
}

/** Whether two plusses after these words, on one line, ask for a suggestion. */
export function asksAfter(before: string, language: string | null): boolean {
  if (language !== null) return !hasPlusses(language) && /(?:^|\s)$/.test(before);
  if (before.endsWith("+")) return false;
  return !WORD_END.test(before) || LETTERS.test(before);
}

import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["node_modules/", "src/api/generated.ts", "src/api/gateway.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: { allowDefaultProject: ["public/theme.js", "svelte.config.js"] }, extraFileExtensions: [".svelte"], tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    rules: {
      complexity: ["error", 12],
      eqeqeq: "error",
      "max-lines": ["error", 300],
      "max-statements": ["error", 40],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
    },
  },
  {
    files: ["**/*.svelte"],
    rules: {
      "svelte/no-at-html-tags": "error",
      "svelte/require-each-key": "error",
    },
  },
  // State holds such values whole and replaces them; none is changed while it is watched.
  { files: ["**/*.svelte.ts"], rules: { "svelte/prefer-svelte-reactivity": "off" } },
  { files: ["**/*.js"], ...ts.configs.disableTypeChecked },
  { files: ["public/theme.js"], languageOptions: { sourceType: "script" } },
);

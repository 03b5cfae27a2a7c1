import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config({ ignores: ["node_modules"] }, eslint.configs.recommended, {
  files: ["**/*.ts"],
  extends: [tseslint.configs.strictTypeChecked],
  languageOptions: { parserOptions: { project: "./tsconfig.json" } },
  rules: {
    // Texts of profiles and fabrics must never become markup.
    "no-restricted-properties": [
      "error",
      ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "srcdoc"].map((property) => ({
        property,
      })),
    ],
    "@typescript-eslint/no-non-null-assertion": "error",
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
  },
});

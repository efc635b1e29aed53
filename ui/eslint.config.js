import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/**
 * The layers, lowest first. A folder may import itself and what is listed here, nothing else; `lib` and `api` are open
 * to all. The picture is in README.md.
 */
const layers = {
  lib: [],
  api: [],
  host: [],
  model: [],
  draw: ['model'],
  state: ['model', 'host'],
  'components/shared': [],
  'components/run': ['components/shared', 'state', 'draw', 'model'],
  'components/strip': ['components/shared', 'state', 'draw', 'model'],
  'components/map': ['components/shared', 'state', 'draw', 'model'],
  'components/events': ['components/shared', 'state', 'model'],
  'components/stages': ['components/shared', 'state', 'model'],
  'components/parts': ['components/shared', 'state', 'model'],
  'components/experiment': ['components/shared', 'state', 'model'],
  'components/findings': ['components/shared', 'state', 'model'],
  'components/comparison': ['components/shared', 'state', 'model'],
  'components/cache': ['components/shared', 'state', 'draw', 'model'],
  'components/learn': ['components/shared', 'state', 'model'],
  'components/lab': ['components/shared', 'state', 'draw', 'model'],
  'components/inspector': ['components/shared', 'state', 'draw', 'model'],
  'components/help': ['components/shared', 'state', 'model'],
  'components/palette': ['components/shared', 'state', 'model'],
  'components/session': ['components/shared', 'state', 'model'],
  'components/summary': ['components/shared', 'state', 'model'],
  'components/settings': ['components/shared', 'state', 'model'],
  views: ['components', 'state', 'model', 'host'],
};

function layerRule([folder, below]) {
  const allowed = [folder, ...below, 'lib', 'api'].join('|');
  const patterns = [
    {
      regex: `^@/(?!(?:${allowed})/)`,
      message: `${folder} may import only itself and ${allowed.replaceAll('|', ', ')}.`,
    },
    { regex: '^\\.\\./', message: 'Import other folders by @/.' },
  ];
  if (folder !== 'host') patterns.push({ regex: '^@tauri-apps/', message: 'Only host/ talks to Tauri.' });
  if (['lib', 'model', 'draw'].includes(folder))
    patterns.push({ regex: '^svelte', message: `${folder} is plain TypeScript.` });
  return {
    files: [`src/${folder}/**/*.ts`, `src/${folder}/**/*.svelte`],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

const banned = [
  {
    selector: 'TSAsExpression:not([typeAnnotation.typeName.name="const"])',
    message: 'Narrow the type instead of asserting it.',
  },
  { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
  { selector: 'ExportDefaultDeclaration', message: 'Use a named export.' },
];

export default tseslint.config(
  { ignores: ['dist/', 'src/api/gen/'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      'no-undef': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser, svelteConfig } },
    rules: {
      // Collections in state are plain ones that are replaced, never changed.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  { files: ['src/**'], rules: { 'no-restricted-syntax': ['error', ...banned] } },
  ...Object.entries(layers).map(layerRule),
);

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { strata } from './serve.ts';

/** Tests that need no page. */
const LOGIC = ['src/{lib,model,draw}/**/*.test.ts', 'tests/{glossary,palette,readme}.test.ts'] as const;

const IS_TEST = process.env['VITEST'] !== undefined;

export default defineConfig({
  // Relative, because the page is served from a custom scheme in the desktop window and from any path by `strata serve`.
  base: './',
  plugins: [svelte(), strata],
  resolve: {
    alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) },
    // Vitest would otherwise resolve Svelte to its server build.
    ...(!IS_TEST ? {} : { conditions: ['browser'] }),
  },
  build: {
    target: 'safari17',
    // The content security policy allows no data: fonts and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    // Tests wait for what happens; this only ends one for which it never does.
    testTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'logic',
          environment: 'node',
          setupFiles: ['./tests/recording.setup.ts'],
          include: [...LOGIC],
        },
      },
      {
        extends: true,
        test: {
          name: 'window',
          environment: 'jsdom',
          setupFiles: ['./tests/setup.ts', './tests/recording.setup.ts'],
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...LOGIC],
        },
      },
    ],
  },
});

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** Tests that need no page. */
const LOGIC = [
  'src/{lib,model,draw}/**/*.test.ts',
  'src/host/fake/**/*.test.ts',
  'tests/{palette,readme}.test.ts',
] as const;

export default defineConfig({
  // Relative, because the page is served from a custom scheme in the desktop window and from any path by `strata serve`.
  base: './',
  plugins: [svelte()],
  resolve: {
    alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) },
    // Vitest would otherwise resolve Svelte to its server build.
    ...(process.env['VITEST'] === undefined ? {} : { conditions: ['browser'] }),
  },
  build: {
    target: 'safari17',
    // The content security policy allows no data: fonts and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'logic',
          environment: 'node',
          include: [...LOGIC],
        },
      },
      {
        extends: true,
        test: {
          name: 'window',
          environment: 'jsdom',
          setupFiles: ['./tests/setup.ts'],
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...LOGIC],
        },
      },
    ],
  },
});

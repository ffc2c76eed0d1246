import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/**
 * Builds the page of Kith Studio into `dist/page`: one script with all workers inside, which the
 * studio's server gives out, and which an export puts into a page that needs no server.
 */
export default defineConfig({
  root: fileURLToPath(new URL('./page', import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL('./dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The page contains its dependencies, so copies of the page must include their licenses.
    license: { fileName: 'licenses.md' },
    // The page's policy allows no data: addresses.
    assetsInlineLimit: 0,
    // Only adds a script for browsers that lack module preloading.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { format: 'iife' } },
    // Else the script would bring the style, which the page's policy forbids.
    cssCodeSplit: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'iife' },
})

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Builds the page of Kith Studio into `dist/page`, from where the studio's server gives it out. */
export default defineConfig({
  root: fileURLToPath(new URL('./page', import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL('./dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Whoever passes the page on passes on what it is made of, and must say under which licences.
    license: { fileName: 'licences.md' },
    // The page's policy allows no data: addresses.
    assetsInlineLimit: 0,
    // Only adds a script for browsers that lack module preloading.
    modulePreload: { polyfill: false },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
})

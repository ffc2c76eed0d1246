/**
 * The built file of a worker. Tests import the TypeScript sources, which worker threads of Node 20 do
 * not take; `test/global-setup.ts` sees to it that the build is theirs.
 *
 * @param importer The `import.meta.url` of a module of the same package.
 * @param file Its place in the package's `dist`, such as `tasks/worker.js`.
 */
export function workerEntry(importer: string, file: string): URL {
  return new URL(file, importer.replace(/\/(?:src|dist)\/(?!.*\/(?:src|dist)\/).*$/, '/dist/'))
}

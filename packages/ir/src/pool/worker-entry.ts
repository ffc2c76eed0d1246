/**
 * The built file of a worker that lies beside a module. Tests import the TypeScript sources, which
 * worker threads of Node 20 do not take; `test/global-setup.ts` sees to it that the build is theirs.
 *
 * @param importer The module's `import.meta.url`.
 * @param file Such as `./worker.js`.
 */
export function workerEntry(importer: string, file: string): URL {
  return new URL(file, importer.replace(/\/src\/(?!.*\/src\/)(.*)\.ts$/, '/dist/$1.js'))
}

/**
 * Compiles packages in one process, while `tsc -p` needs a process for each. Types are
 * checked if code must do without Node's; the others are left to `npm run check`, which has
 * Node's for all.
 */
import { resolve } from 'node:path'
import ts from 'typescript'

/** Declarations that packages share after they were read once: most are Node's and the DOM's. */
const declarations = new Map()

/**
 * Compiles a package.
 *
 * @param config Its tsconfig.json, or the folder of it.
 * @returns What is wrong with it, as tsc prints it; nothing if all is well.
 */
export function compile(config) {
  const file = config.endsWith('.json') ? resolve(config) : resolve(config, 'tsconfig.json')
  const wrong = []
  const system = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (one) => wrong.push(one) }
  const parsed = ts.getParsedCommandLineOfConfigFile(file, {}, system)
  if (parsed) {
    const { fileNames: rootNames } = parsed
    const noCheck = parsed.options.types?.includes('node') ?? false
    const options = { ...parsed.options, noCheck }
    const program = ts.createProgram({ rootNames, options, host: sharingHost(options) })
    wrong.push(...parsed.errors, ...ts.getPreEmitDiagnostics(program))
    if (wrong.length === 0) wrong.push(...program.emit().diagnostics)
  }
  return ts.formatDiagnosticsWithColorAndContext(wrong, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
  })
}

/** A host that reads declarations once for all packages that are compiled alike. */
function sharingHost(options) {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (name, how, ...rest) => {
    if (!name.endsWith('.d.ts')) return read.call(host, name, how, ...rest)
    const key = [name, options.module, how.impliedNodeFormat].join()
    if (!declarations.has(key)) declarations.set(key, read.call(host, name, how, ...rest))
    return declarations.get(key)
  }
  return host
}

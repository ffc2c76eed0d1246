import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../..', import.meta.url))

/** The files that a source file loads, itself included, and the names of Node's modules among them. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const code = ts.transpile(readFileSync(file, 'utf8'), {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
  })
  for (const { fileName } of ts.preProcessFile(code).importedFiles) {
    if (isBuiltin(fileName)) seen.add(fileName)
    else if (fileName.startsWith('.')) loadedBy(join(dirname(file), fileName), seen)
    else if (fileName === '@kith/core') loadedBy(join(packages, 'core/src/index.ts'), seen)
    else seen.add(fileName)
  }
  return seen
}

test('@kith/ir/measures imports nothing that a browser lacks', () => {
  const loaded = [...loadedBy(join(packages, 'ir/src/measures/index.ts'))]
  const sources = loaded.filter((name) => name.endsWith('.ts'))
  expect(sources).toContain(join(packages, 'ir/src/measures/measures.ts'))
  expect(sources).toContain(join(packages, 'core/src/error.ts'))
  // Neither Node's modules nor packages other than core.
  expect(loaded.filter((name) => !name.endsWith('.ts'))).toEqual([])
  // Core is tried in browsers by its own tests.
  const own = sources.filter((file) => file.startsWith(join(packages, 'ir')))
  const globals = own.filter((file) => /\b(Buffer|process)\./.test(readFileSync(file, 'utf8')))
  expect(globals).toEqual([])
})

test('finds the built-in modules that the main entry imports', () => {
  const loaded = loadedBy(join(packages, 'ir/src/index.ts'))
  expect([...loaded].filter((name) => isBuiltin(name)).length).toBeGreaterThan(3)
})

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, expect, test } from 'vitest'
import { publicPackages, root } from '../scripts/packages.mjs'
import { isInternal } from '../site/api-pages.mjs'

/** A value that programs can import, and the examples in its doc comment. */
interface Value {
  entry: string
  name: string
  place: string
  examples: string[]
}

const entries = publicPackages().flatMap(({ folder, name, exports = {} }) =>
  Object.entries(exports as Record<string, { types: string }>)
    .filter(([path]) => !/\*|\.wasm$|package\.json$/.test(path))
    .map(([path, { types }]) => ({
      entry: join(name, path),
      source: join(root, folder, types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')),
    }))
    .filter(({ source }) => !isInternal(readFileSync(source, 'utf8'))),
)

/** The values of all entries, each once. */
async function publicValues(): Promise<Value[]> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
  const sources = entries.map(({ source }) => source)
  const program = ts.createProgram(sources, options)
  const checker = program.getTypeChecker()
  const values = new Map<ts.Node, Value>()
  for (const { entry, source } of entries) {
    const names = new Set(Object.keys(await import(entry)))
    const module = checker.getSymbolAtLocation(program.getSourceFile(source)!)!
    for (const exported of checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const declaration = symbol.valueDeclaration
      if (!declaration || !names.has(exported.name) || values.has(declaration)) continue
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
      const file = node.getSourceFile()
      const comment = file.text.slice(node.getFullStart(), node.getStart())
      const fences = comment.matchAll(/```ts\n([\s\S]*?)\n \* ```/g)
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      values.set(declaration, {
        ...{ entry, name: exported.name },
        place: `${file.fileName.replace(root, '')}:${line + 1}`,
        examples: [...fences].map(([, code]) => code!.replaceAll(/^ \* ?/gm, '')),
      })
    }
  }
  return [...values.values()]
}

/** The names that examples take for granted. */
const context = `
declare const query: number[], vector: number[], queryVector: number[], scores: number[]
declare const candidates: number[][], vectors: number[][]
declare const text: string, texts: string[], ids: string[], dates: Date[], svg: string
declare const corpus: AsyncIterable<string>, bytes: Uint8Array, error: unknown, module: object
declare const pages: string[], signal: AbortSignal, known: import('@kith/core').Background
declare const statistics: import('@kith/core').TermStatistics
declare const trials: import('@kith/core').PartialSettings[]
declare const requests: { query: number[]; candidates: number[][] }[]
declare const fetchVectors: (ids: (string | undefined)[]) => Promise<number[][]>
declare const run: import('@kith/ir').Run, better: import('@kith/ir').Run
declare const qrels: import('@kith/ir').Qrels, docs: import('@kith/ir').Embeddings
declare const queries: { data: Float32Array; rows: number; dimensions: number }
declare const documents: import('@kith/train').DocumentVectors & import('@kith/stores').DocumentSource
declare const judged: import('@kith/train').TrainingQuery[]
declare const evaluator: import('@kith/tune').Evaluator
declare const batches: import('@kith/work').Batches, handle: import('@kith/work').Handler
declare const collection: any, response: any, client: any, points: any[], rows: object[]
declare const hits: any[], matches: any[], objects: any[], embeddings: any, retriever: any
declare const embeddingModel: any, model: any, store: any, dense: any[], lexical: any[]
declare const ContextualCompressionRetriever: any, table: any
`

const folder = mkdtempSync(join(root, 'node_modules', '.examples-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The example as a module: what it names and does not declare is imported. */
function moduleOf(code: string, { entry }: Value, values: readonly Value[]): string {
  const declared = new Set([...code.matchAll(/\b(?:const|let) (\w+)/g)].map(([, name]) => name))
  const own = entry.split('/').slice(0, 2).join('/')
  const named = values.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(code))
  const closest = new Map<string, string>()
  for (const other of named) {
    if (declared.has(other.name)) continue
    if (closest.has(other.name) && !other.entry.startsWith(own)) continue
    closest.set(other.name, other.entry)
  }
  // The AI SDK has functions of these names itself, and its queries and documents are texts.
  const isSdk = own === '@kith/ai-sdk'
  if (isSdk) for (const name of ['rerank', 'embedMany']) closest.set(name, 'ai')
  if (/\bwriteFileSync\b/.test(code)) closest.set('writeFileSync', 'node:fs')
  const imports = [...closest].map(([name, from]) => `import { ${name} } from '${from}'`)
  if (isSdk) imports.push('declare const query: string, documents: string[]')
  return `${imports.join('\n')}\n${code}\nexport {}\n`
}

test('every public value has an example in its doc comment, and the examples compile', async () => {
  const values = await publicValues()
  expect(values.length).toBeGreaterThan(100)
  const without = values.filter(({ examples }) => examples.length === 0)
  expect(without.map(({ name, place }) => `${name} (${place})`)).toEqual([])
  const places = new Map<string, string>()
  for (const [i, value] of values.entries()) {
    for (const [j, code] of value.examples.entries()) {
      places.set(`${i}-${j}.ts`, value.place)
      writeFileSync(join(folder, `${i}-${j}.ts`), moduleOf(code, value, values))
    }
  }
  writeFileSync(join(folder, 'context.d.ts'), context)
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable', 'dom'] },
    ...{ noEmit: true, skipLibCheck: true, strict: true, types: ['node'] },
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder], {
    cwd: folder,
  }).catch((error) => error)
  const problems = stdout.replaceAll(/^(\d+-\d+\.ts)/gm, (file: string) => places.get(file) ?? file)
  expect(problems).toBe('')
})

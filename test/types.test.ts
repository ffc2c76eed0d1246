import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** Every entry that the packages export, such as `@kith/stores/postgres`. */
const entries: string[] = (manifestOf('.').workspaces as string[])
  .map(manifestOf)
  .filter((manifest) => !manifest.private)
  .flatMap(({ name, exports = {} }) =>
    Object.keys(exports)
      .filter((path) => exports[path].types !== undefined)
      // It is a page's code, which the DOM's types belong to.
      .filter((path) => !(name === '@kith/pipelines' && path === './judging'))
      .map((path) => `${name}${path.slice(1)}`),
  )

/** Programs of a consumer, checked together: nearly all the time goes to the types they share. */
const programs = {
  all: importing(entries),
  wrong: "import { rerank } from '@kith/core'\nrerank(1, 2)",
  people: `
    import { neighbors, rerank, similarity, smoothLabels, type Member } from '@kith/core'
    import { qdrant, pinecone, rerankHits } from '@kith/hits'
    declare const response: any
    const vector = [1, 0]
    const vectors = [[1, 0], [0, 1]]
    rerankHits(vector, response, qdrant())
    rerankHits(vector, response.matches, pinecone({ text: 'body' }), { topN: 3 })
    rerankHits(vector, [{ e: [1, 2] }], { vector: (hit) => hit.e })[0]!.hit.e
    rerank(vector, vectors, { method: 'fusion', k: 3 })
    const [own] = similarity(vector, vectors, ['query', 0])
    export const nearest: Member[] = neighbors(vector, vectors).query.nearest
    export const score: number | undefined = own?.mixed.toCandidates[0]
    smoothLabels(vector, vectors, { candidates: [0] })`,
}

/**
 * The entries whose dependencies hold, too, as docs/runtimes.md says. The others load types of their
 * dependencies that need the DOM's.
 */
const clean = entries.filter((entry) => {
  const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8')
  const [, list = ''] = /^## Types\n\n(.*)$/m.exec(page) ?? []
  const [listed = ''] = list.split('hold with')
  return listed.includes(`\`${entry.split('/').slice(0, 2).join('/')}\``)
})

/** A test of ours whose lines with @ts-expect-error must not compile. */
const misspelled = join(root, 'packages/cli/test/values.test.ts')

/** A program that imports entries. */
function importing(names: readonly string[]): string {
  return [
    ...names.map((entry, i) => `import * as e${i} from '${entry}'`),
    `export const all = [${names.map((_, i) => `e${i}`).join(', ')}]`,
  ].join('\n')
}

/**
 * What a strict compiler without the DOM's types says about programs and the types they import, in
 * files that count.
 */
function problemsOf(
  programs: Readonly<Record<string, string>>,
  counts: (file: string) => boolean,
  also: readonly string[] = [],
  { types = ['node'], lib = [] }: Pick<ts.CompilerOptions, 'types' | 'lib'> = {},
): string[] {
  const files = new Map(
    Object.entries(programs).map(([name, text]) => [
      join(root, 'test', `consumer-${name}.ts`),
      text,
    ]),
  )
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', ...lib],
    types,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.getSourceFile = (name, ...rest) =>
    files.has(name)
      ? ts.createSourceFile(name, files.get(name)!, options.target!)
      : getSourceFile.call(host, name, ...rest)
  const built = ts.createProgram([...files.keys(), ...also], options, host)
  const own = built.getSourceFiles().filter(({ fileName }) => counts(fileName))
  return [
    ...built.getOptionsDiagnostics(),
    ...own.flatMap((file) => [
      ...built.getSyntacticDiagnostics(file),
      ...built.getSemanticDiagnostics(file),
    ]),
  ].map(({ file: where, start = 0, messageText }) => {
    const line = where?.getLineAndCharacterOfPosition(start).line ?? 0
    const text = ts.flattenDiagnosticMessageText(messageText, ' ')
    return `${where?.fileName ?? ''} ${line + 1}: ${text}`
  })
}

/** Types of other projects only they can correct. */
function isOurs(file: string): boolean {
  return !/\/node_modules\/(?!@kith\/)/.test(file)
}

test('compiles every entry with skipLibCheck: false and without the DOM’s types, and refuses misspelled options', () => {
  expect(entries.length).toBeGreaterThan(12)
  expect(readFileSync(misspelled, 'utf8').match(/^ *\/\/ @ts-expect-error/gm)).toHaveLength(4)
  const problems = problemsOf(programs, isOurs, [misspelled])
  const wanted = problems.filter((problem) =>
    /consumer-wrong\.ts 2: .*not assignable/.test(problem),
  )
  expect(wanted).toHaveLength(1)
  expect(problems.filter((problem) => !wanted.includes(problem))).toEqual([])
})

test('the entries that docs/runtimes.md names hold with the types of their dependencies', () => {
  expect(clean.length).toBeGreaterThan(20)
  // Node's own types are given to every program.
  const counts = (file: string) => !/\/node_modules\/(@types\/node|typescript)\//.test(file)
  expect(problemsOf({ clean: importing(clean) }, counts)).toEqual([])
})

test('own types hold with ES2022 and the DOM’s types instead of Node’s', () => {
  const browser = { types: [], lib: ['lib.dom.d.ts'] }
  // Programs of their own: dependencies of one could bring Node's types to others.
  for (const names of [['core', 'languages', 'hits'], ['encoder'], ['stores'], ['ai-sdk']]) {
    const program = importing(names.map((name) => `@kith/${name}`))
    expect(problemsOf({ program }, isOurs, [], browser)).toEqual([])
  }
})

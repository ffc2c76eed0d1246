import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writeEmbeddings, writeQrels, writeRun } from '@kith/ir'
import { AdapterModel } from '@kith/train'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allCommands } from '../packages/cli/src/command-list.ts'
import { type Command, common } from '../packages/cli/src/options/command.ts'
import { temporaryFolder } from './files.ts'
import { fencesOf, pages, read, root } from './pages.ts'

const commands = await allCommands()
const run = promisify(execFile)

/** Where the programs stand: inside the repository, so that packages are found as a user's own install would be. */
const folder = mkdtempSync(join(root, 'node_modules', '.docs-'))
afterAll(() => rmSync(folder, { recursive: true }))

const programs = pages.flatMap((page) =>
  fencesOf(page, 'ts').map(({ code, line }, i) => ({
    name: `${page}:${line}`,
    file: join(folder, `${page.replace(/\W/g, '-')}-${i}`),
    code,
  })),
)

describe('programs in the documentation', () => {
  test('all of them compile with strict and noUncheckedIndexedAccess', async () => {
    expect(programs.length).toBeGreaterThan(20)
    for (const { file, code } of programs) writeFileSync(`${file}.ts`, code)
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', noEmit: true, skipLibCheck: true },
      ...{ strict: true, noUncheckedIndexedAccess: true, types: ['node'] },
    }
    const config = { compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error)
    expect(stdout).toBe('')
  })

  /** Those that need a server, a key, a download or a value of a bundler; examples-live.test.ts and the packages' own tests have these. */
  const served =
    /@qdrant|'pg'|chromadb|@pinecone|weaviate-client|@elastic|@lancedb|embedMany|cohere|postgres:|startServer|startStudio|loadCrossEncoder|declare const/
  const files = temporaryFolder()
  beforeAll(() => writeCollection(files))
  test.each(programs.filter(({ code }) => !served.test(code)))('$name runs', async (program) => {
    const { module, target } = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
    const compiled = ts.transpileModule(program.code, { compilerOptions: { module, target } })
    writeFileSync(`${program.file}.mjs`, compiled.outputText)
    // Programs write files too, some under the names that others read.
    cpSync(files, program.file, { recursive: true })
    const env = { ...process.env, KITH_CACHE: join(program.file, 'cache') }
    const options = { cwd: program.file, env }
    const { stdout } = await run(process.execPath, [`${program.file}.mjs`], options)
    const promised = [...program.code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)]
    for (const [, output] of promised) expect(stdout).toContain(`${output}\n`)
    const below = [...program.code.matchAll(/console\.log\(.*\)\n((?:\/\/ .+\n)+)/g)]
    for (const [, lines] of below) expect(stdout).toContain(lines!.replaceAll(/^\/\/ /gm, ''))
  })
})

test.each(pages)('names only commands and options that exist in %s', (page) => {
  const spans = [...read(page).matchAll(/`(?:npx )?kith ([^`]+)`/g)].map(([, text]) => text!)
  const wrong = spans.filter((text) => {
    const command = commandOf(text)
    if (!command) return !/^(?:--help|COMMAND)/.test(text)
    const known = { ...command.options, ...common }
    return [...text.matchAll(/--([a-z][a-z\d-]*)/g)].some(([, option]) => {
      return !(option! in known) && !command.name.includes(`--${option}`)
    })
  })
  expect(wrong).toEqual([])
})

const designs = pages
  .map((page) => page.replace(/README\.md$/, 'DESIGN.md'))
  .filter((page) => page.endsWith('DESIGN.md') && existsSync(join(root, page)))
test.each([...pages, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', ...designs])(
  'names only files of the repository that exist in %s',
  (page) => {
    const folders = 'packages|test|scripts|experiments|bench|examples|site|src|assembly'
    const named = read(page).matchAll(new RegExp(`\`((?:${folders})/[\\w./-]+\\.\\w+)\``, 'g'))
    // Notes on a package name its files from the package's folder.
    const places = [root, join(root, dirname(page))]
    const missing = [...named]
      .map(([, file]) => file!)
      .filter((file) => !places.some((place) => existsSync(join(place, file))))
    expect(missing).toEqual([])
  },
)

test('every page that installs a package says that the packages are not on npm yet', () => {
  const guides = pages.filter((page) => !page.startsWith('packages/'))
  const installing = guides.filter((page) => /npm install[^`\n]*@kith\//.test(read(page)))
  expect(installing.length).toBeGreaterThan(8)
  expect(installing.filter((page) => !/packages are not on npm yet/i.test(read(page)))).toEqual([])
})

test('every section of docs/results.md with measurements names a command', () => {
  const sections = read('docs/results.md').split(/^##+ /m).slice(1)
  const measured = sections.filter((section) => /^\|.*\b\d+\.\d{2,}\b.*\|$/m.test(section))
  expect(measured.length).toBeGreaterThan(5)
  const without = measured.filter((section) => !section.includes('```sh\n'))
  expect(without.map((section) => section.split('\n', 1)[0])).toEqual([])
})

test('repeats the figures of the README’s table in docs/results.md', () => {
  const rows = read('README.md').match(/^\|.*\b0\.\d+.*\|$/gm)!
  const figures = rows.join('\n').match(/\b0\.\d{2,}\b/g)!
  expect(figures.length).toBeGreaterThan(10)
  const results = read('docs/results.md')
  expect(figures.filter((figure) => !results.includes(figure))).toEqual([])
})

/** The command that a text names by one word or two. */
function commandOf(text: string): Command | undefined {
  const words = text.split(/\s+/)
  const named = (count: number): Command | undefined =>
    commands.find(({ name }) => name === words.slice(0, count).join(' '))
  return named(2) ?? named(1)
}

/** The files that the programs read: ten queries over forty documents, and a note. */
async function writeCollection(at: string): Promise<void> {
  mkdirSync(join(at, 'notes'))
  writeFileSync(join(at, 'notes', 'bees.md'), '# Bees\n\nBees find flowers by scent.\n')
  const vector = (i: number) => Float32Array.from([Math.cos(i), Math.sin(i), 1, Math.cos(3 * i)])
  const ids = (letter: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const [queries, docs] = [ids('q', 10), ids('d', 40)]
  for (const [name, of] of Object.entries({ queries, docs })) {
    await writeEmbeddings(
      join(at, `${name}.npy`),
      { dimensions: 4, ids: of },
      of.map((_, i) => vector(i)),
    )
  }
  const scores = docs.map((_, i) => 40 - i)
  for (const [name, order] of Object.entries({ run: docs, better: docs.toReversed() })) {
    const rankings = queries.map((query) => ({ query, ids: order, scores }))
    await writeRun(join(at, `${name}.trec`), rankings)
  }
  const qrels = new Map(queries.map((query, i) => [query, new Map([[docs[i * 3]!, 1]])]))
  await writeQrels(join(at, 'qrels.trec'), qrels)
  const both = queries.map((query, i) => [query, new Map([i * 3, i].map((d) => [docs[d]!, 1]))])
  await writeQrels(join(at, 'complete.trec'), new Map(both as [string, Map<string, number>][]))
  await new AdapterModel({ kind: 'linear', dimensions: 4 }).save(join(at, 'adapter'))
  await writeQrels(join(at, 'decisions.qrels'), new Map([['q0', new Map([['d7', 1]])]]))
}

import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { writeEmbeddings, writeQrels, writeRun } from '@kith/ir'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allCommands } from '../packages/cli/src/command-list.ts'
import { type Command, common, parseOptions } from '../packages/cli/src/options/command.ts'
import { temporaryFolder } from './files.ts'

const commands = await allCommands()
const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...workspaces.filter((folder) => folder !== 'site').map((folder) => `${folder}/README.md`),
]

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
  test('all of them compile', async () => {
    expect(programs.length).toBeGreaterThan(20)
    for (const { file, code } of programs) writeFileSync(`${file}.ts`, code)
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', noEmit: true, skipLibCheck: true },
      ...{ strict: true, types: ['node'] },
    }
    const config = { compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error)
    expect(stdout).toBe('')
  }, 120_000)

  /** Those that need a server, a key or a download; examples-live.test.ts and the packages' own tests have these. */
  const served =
    /@qdrant|'pg'|chromadb|@pinecone|weaviate-client|@elastic|@lancedb|'ai'|cohere|postgres:|startServer|loadCrossEncoder/
  const files = temporaryFolder()
  beforeAll(() => writeCollection(files))
  test.each(programs.filter(({ code }) => !served.test(code)))('$name runs', async (program) => {
    const { module, target } = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
    const compiled = ts.transpileModule(program.code, { compilerOptions: { module, target } })
    writeFileSync(`${program.file}.mjs`, compiled.outputText)
    // Programs write files too, some under the names that others read.
    cpSync(files, program.file, { recursive: true })
    const options = { cwd: program.file, timeout: 30_000 }
    const { stdout } = await run(process.execPath, [`${program.file}.mjs`], options)
    const promised = [...program.code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)]
    for (const [, output] of promised) expect(stdout).toContain(`${output}\n`)
  })
})

describe('commands in the documentation', () => {
  const lines = pages.flatMap((page) =>
    fencesOf(page, 'sh').flatMap(({ code, line }) =>
      commandLines(code).map((text) => ({ name: `${page}:${line}`, text })),
    ),
  )

  test('there are some', () => {
    expect(lines.length).toBeGreaterThan(30)
  })

  test.each(lines)('$name: $text', ({ text }) => {
    const found = commandOf(text)
    expect(found).toBeDefined()
    parseOptions(found!.command, found!.args)
  })

  test.each(pages)('options that the text of %s names exist', (page) => {
    const spans = [...read(page).matchAll(/`(?:npx )?kith ([^`]+)`/g)].map(([, text]) => text!)
    const wrong = spans.filter((text) => {
      const found = commandOf(text)
      if (!found) return !/^(?:--help|COMMAND)/.test(text)
      const known = { ...found.command.options, ...common }
      return [...text.matchAll(/--([a-z][a-z-]*)/g)].some(([, option]) => {
        return !(option! in known) && !found.command.name.includes(`--${option}`)
      })
    })
    expect(wrong).toEqual([])
  })
})

test('figures in docs/results.md stand on the pages that it collects them from', () => {
  const others = pages.filter((page) => page !== 'docs/results.md').map(read)
  // The tables part by part are that page's own, with the commands that make them.
  const collected = read('docs/results.md').replace(/^### Part by part$[\s\S]*?^### /m, '### ')
  const figures = collected.match(/\b\d+\.\d{2,}\b/g)!
  expect(figures.filter((figure) => !others.some((text) => text.includes(figure)))).toEqual([])
})

/** The code blocks of a language on a page. */
function fencesOf(page: string, language: string): { code: string; line: number }[] {
  const text = read(page)
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\``, 'gm'))].map(
    (match) => ({ code: match[1]!, line: text.slice(0, match.index).split('\n').length }),
  )
}

/** The lines of a shell that start `kith`, in one piece and without what introduces it. */
function commandLines(code: string): string[] {
  return code
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => /^(?:npx )?(?:kith|@kith\/cli) /.test(line))
    .map((line) => line.replace(/^(?:npx )?\S+ /, ''))
}

/** The command that a line names by one word or two, and what follows. */
function commandOf(text: string): { command: Command; args: string[] } | undefined {
  const words = [...text.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
  for (const count of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, count).join(' '))
    if (command) return { command, args: words.slice(count) }
  }
  return undefined
}

/** The files that the programs read: ten queries over forty documents. */
async function writeCollection(at: string): Promise<void> {
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
  await writeQrels(join(at, 'decisions.qrels'), new Map([['q0', new Map([['d7', 1]])]]))
}

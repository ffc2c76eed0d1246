import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { allCommands } from '../packages/cli/src/command-list.ts'
import { parseOptions } from '../packages/cli/src/options/command.ts'
import { program, succeed } from '../packages/cli/test/support.ts'
import { readCisi, readWordnet, writePart } from './doc-collections.ts'
import { sharedCollection, temporaryFolder } from './files.ts'
import { fencesOf, pages, read, root } from './pages.ts'
import { ownPostgres, run, startCluster } from './postgres.ts'
import { readLines, type ShellLine } from './shell-lines.ts'

// Real encoders and servers, on any machine: slow is not wrong.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 })

/** The pages whose lines make the files that other pages begin with. */
const FIRST = ['docs/rerank.md', 'docs/start.md']

/** Lines that take minutes whatever the files are; what they do is tested elsewhere. */
const TOO_LONG = ['kith dataset wordnet --out wordnet --encode']

/** Models that a line would download: such a line is looked at. */
const DOWNLOADED = /^cross-encoder\//

const commands = await allCommands()
const { scripts } = JSON.parse(read('package.json'))
const folder = temporaryFolder()
const home = process.cwd()
afterAll(() => process.chdir(home))

/**
 * What the lines of a page do: those of `kith` are run, the others looked at. CONTRIBUTING.md lists
 * the lines that no test runs, with the reasons.
 */
const programs: Record<string, (args: readonly string[]) => unknown> = {
  npx: ([name, ...args]) => {
    expect(['kith', '@kith/cli']).toContain(name)
    return runKith(args)
  },
  npm: ([what, ...args]) => {
    if (what === 'install') return expect(args.filter(isUnknownPackage)).toEqual([])
    // npm's own commands; those of `run` are scripts of the repository.
    if (what !== 'run') return expect(['test', 'ci', 'pack']).toContain(what)
    expect(Object.keys(scripts)).toContain(args[0])
    if (args[0] === 'demo' && existsSync('run.trec')) makeDemo()
    const bench = args[0] === 'bench' && args[2]
    if (bench) expect(existsSync(join(root, 'bench', `${bench}.mjs`))).toBe(true)
  },
  // Experiments take hours, and go on in the tests of what they are made of.
  node: ([file]) => {
    if (file !== '--input-type=module') expect(existsSync(join(root, file!))).toBe(true)
  },
  python3: ([file]) => expect(existsSync(join(root, file!))).toBe(true),
  // A server is started by the test instead; what was published cannot be compared before it is.
  ...Object.fromEntries(['docker', 'git', 'tar', 'diff'].map((name) => [name, () => {}])),
}

/** Files that the reader of a page has from elsewhere, besides those of the first pages. */
const alsoThere: Record<string, () => void> = {
  // The run that the reader's repository keeps.
  'docs/gate.md': () => cpSync('run.trec', 'baseline.trec'),
  'docs/training.md': () => cpSync('train.tsv', 'my-data/qrels/train.tsv'),
  // The program above the line has written it: hits of a store as a dataset.
  'docs/tune.md': () => {
    mkdirSync('my-store/qrels', { recursive: true })
    const texts = ['corpus.jsonl', 'queries.jsonl']
    const vectors = ['queries.npy', 'queries.ids.txt', 'docs.npy', 'docs.ids.txt']
    for (const name of [...texts, ...vectors, 'run.trec']) cpSync(name, join('my-store', name))
    cpSync('qrels.trec', 'my-store/qrels/test.trec')
  },
}

/** The steps of a page's workflows that run a shell. */
const stepsOf = (page: string): string[] =>
  fencesOf(page, 'yaml').flatMap(({ code }) =>
    [...code.matchAll(/^ *- run: (?:\|\n)?(.+)$/gm)].map(([, line]) => line!.trim()),
  )

/** The lines of a page's shell programs and workflows, in their order. */
const linesOf = (page: string): ShellLine[] => {
  const blocks = fencesOf(page, 'sh').map(({ code }) => code)
  const steps = ['GITHUB_STEP_SUMMARY=/dev/null', ...stepsOf(page)]
  return readLines([...blocks, ...steps].join('\n'), Object.keys(programs))
}
const withLines = pages.filter((page) => fencesOf(page, 'sh').length > 0)

const cisi = sharedCollection('cisi')
const slow = process.env['KITH_SLOW']
const wordnet = { name: 'WordNet', open: readWordnet, shown: cisi ? FIRST : withLines }
const collections = cisi
  ? [{ name: 'CISI', open: () => readCisi(cisi), shown: withLines }, ...(slow ? [wordnet] : [])]
  : [wordnet]

describe.each(collections)('command lines of the docs on $name', ({ name, open, shown }) => {
  const data = join(folder, name, 'data')
  const made = join(folder, name, 'made')
  beforeAll(async () => {
    mkdirSync(data, { recursive: true })
    await writePart(await open(), data)
  })

  const ordered = [...FIRST, ...shown.filter((page) => !FIRST.includes(page))]
  test.each(ordered)('succeed on %s', async (page) => {
    const own = FIRST.includes(page) ? made : mkdtempSync(join(folder, 'page-'))
    const files = page === FIRST[0] || page === 'README.md' ? data : made
    if (files !== own) cpSync(files, own, { recursive: true })
    process.chdir(own)
    const lines = linesOf(page)
    if (lines.flat().some((word) => word.startsWith('postgres:'))) {
      if (!ownPostgres) return console.warn(`not run without PostgreSQL: ${page}`)
      await emptyDatabase()
    }
    alsoThere[page]?.()
    for (const [called, ...args] of lines) await programs[called]!(args)
  })
})

test('finds pages with command lines', () => {
  expect(withLines).toEqual(expect.arrayContaining(['README.md', ...FIRST, 'docs/labels.md']))
})

/** Runs a line of `kith`, which must succeed. */
async function runKith(args: readonly string[]): Promise<void> {
  const line = `kith ${args.join(' ')}`
  if (TOO_LONG.includes(line) || args.some((arg) => DOWNLOADED.test(arg))) return checkOptions(args)
  const serves = ['serve', 'studio'].includes(args[0]!) && !args.includes('--export')
  if (serves) return startAndStop(args)
  succeed(...args)
}

/** Reads the options of a command without running it. */
function checkOptions(args: readonly string[]): void {
  const two = commands.find(({ name }) => name === args.slice(0, 2).join(' '))
  const command = two ?? commands.find(({ name }) => name === args[0])!
  parseOptions(command, args.slice(two ? 2 : 1))
}

/** Runs a server until it says where it is. */
async function startAndStop(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part) => (said += part))
  child.stdout.on('data', (part) => {
    said += part
    child.kill('SIGTERM')
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  // Somebody else on this machine may have the port that the page names.
  if (!/ is in use/.test(said)) expect([code, said]).toEqual([0, expect.stringContaining('http:')])
}

/** Puts files where the demo, which test/examples.test.ts runs, would have put its own. */
function makeDemo(): void {
  const demo = 'demo-output/wordnet-part'
  mkdirSync(join(demo, 'qrels'), { recursive: true })
  for (const name of ['run.trec', 'queries.npy', 'docs.npy', 'queries.ids.txt', 'docs.ids.txt']) {
    cpSync(name, join(demo, name))
  }
  for (const name of ['corpus.jsonl', 'queries.jsonl']) cpSync(name, join(demo, name))
  cpSync('dev.tsv', join(demo, 'qrels/test.tsv'))
}

let cluster: Awaited<ReturnType<typeof startCluster>> | undefined
afterAll(() => cluster?.remove())

/** An empty database at the address that the pages name, whose port the environment tells. */
async function emptyDatabase(): Promise<void> {
  if (!cluster) {
    cluster = await startCluster()
    await query("CREATE ROLE postgres SUPERUSER LOGIN PASSWORD 'kith'")
    vi.stubEnv('PGPORT', new URL(cluster.url).port)
  }
  await query('DROP DATABASE IF EXISTS kith WITH (FORCE)')
  await query('CREATE DATABASE kith')
}

const query = (sql: string) => run(cluster!.url, sql)

function isUnknownPackage(name: string): boolean {
  const known = ['node_modules', 'packages'].some((at) => existsSync(join(root, at, name)))
  return !name.startsWith('-') && !known
}

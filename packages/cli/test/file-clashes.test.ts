import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { allCommands } from '../src/command-list.ts'
import { main } from '../src/main.ts'
import type { Command, FileRole } from '../src/options/command.ts'
import { refuseClashes } from '../src/options/file-clashes.ts'
import { kith } from './support.ts'

const commands = await allCommands()
const root = temporaryFolder()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'))
})

/** What follows an option that names no file; any other word must say what becomes of the file. */
const plainValues = [
  ...['A', 'B', 'C', 'D', 'E', 'F', 'K', 'K1', 'L', 'M', 'N', 'O', 'P', 'R', 'S', 'T', 'W', 'I/N'],
  ...[
    'CHANGE',
    'FORMAT',
    'GRADE',
    'KEY',
    'KIND',
    'LIST',
    'NAME',
    'ROLE',
    'SCORE,GRAPH',
    'SECONDS',
    'SEED',
  ],
  ...['SIZE', 'SQL', 'TEXT', 'TYPE', 'WHAT', 'URL', 'NAME=VALUE', 'MODEL:N'],
]

test.each(commands)('kith $name declares each of its files as read or written', (command) => {
  for (const [name, { value, file }] of Object.entries(command.options)) {
    // The only address that is no store: where a server listens.
    const plain = value === undefined || plainValues.includes(value) || name === 'host'
    expect([name, file]).toEqual([name, plain ? undefined : expect.stringMatching(/put$/)])
  }
})

/** The names of the options of a command that name files in one role. */
function optionsOf(command: Command, role: FileRole): string[] {
  const names = Object.keys(command.options).filter((name) => command.options[name]!.file === role)
  return command.rest?.file === role ? [...names, 'rest'] : names
}

const pairs = commands.flatMap((command) =>
  optionsOf(command, 'output').flatMap((output) =>
    optionsOf(command, 'input').map((input) => ({ name: command.name, command, output, input })),
  ),
)

test('lists the commands that write files', () => {
  const names = new Set(pairs.map(({ name }) => name))
  for (const name of ['encode', 'search', 'rerank', 'tune', 'tune-training', 'sweep', 'report']) {
    expect(names).toContain(name)
  }
  for (const name of ['labels', 'labels merge', 'audit', 'train', 'train compare', 'adapt']) {
    expect(names).toContain(name)
  }
  for (const name of ['load', 'dataset wordnet', 'convert']) expect(names).toContain(name)
})

test.each(pairs)('kith $name refuses --$output on --$input', async ({ command, output, input }) => {
  const same = join(folder, 'same.npy')
  writeFileSync(same, 'what the user has')
  writeFileSync(join(folder, 'same.ids.txt'), 'a\nb\n')
  const before = contentsOf(folder)
  const args = command.name.split(' ')
  for (const [name, { required, value }] of Object.entries(command.options)) {
    if (name === output || name === input) args.push(`--${name}`, same)
    else if (required) args.push(`--${name}`, value!)
  }
  if (command.rest) args.push(input === 'rest' ? same : 'other')
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    expect(await main(args)).toBe(2)
    expect(said.mock.calls.join('')).toContain(
      `--${output} would overwrite ${same}, which is an input`,
    )
  } finally {
    said.mockRestore()
    process.stdout.removeAllListeners('error')
  }
  expect(contentsOf(folder)).toEqual(before)
})

test.each(
  commands.flatMap((command) => {
    const outputs = optionsOf(command, 'output')
    return outputs.length > 1 ? [{ name: command.name, command, outputs }] : []
  }),
)('kith $name refuses two outputs on one file', ({ command, outputs }) => {
  const values = Object.fromEntries(outputs.map((name) => [name, join(folder, 'one')]))
  expect(() => refuseClashes(command, values)).toThrow(
    /would both write .*one; name two different files/,
  )
})

describe('kith search with --out on an input', () => {
  const search = (out: string) =>
    kith('search', '--queries', join(folder, 'q.npy'), '--docs', 'docs.npy', '--out', out)
  test.each([
    ['with dots', () => join(folder, '..', folder.split('/').at(-1)!, '.', 'q.npy')],
    ['by a link', () => link((at) => symlinkSync('q.npy', at))],
    ['by a hard link', () => link((at) => linkSync(join(folder, 'q.npy'), at))],
    [
      'through a link to its folder',
      () => {
        symlinkSync(folder, `${folder}-link`)
        return join(`${folder}-link`, 'q.npy')
      },
    ],
    ['as the ids beside it', () => join(folder, 'q.ids.txt')],
    ['as its metadata', () => join(folder, 'q.npy.meta.json')],
  ])('refuses an output that names the input %s', (_, spelling) => {
    for (const name of ['q.npy', 'q.ids.txt', 'q.npy.meta.json']) {
      writeFileSync(join(folder, name), `contents of ${name}`)
    }
    const out = spelling()
    const before = contentsOf(folder)
    const { code, err } = search(out)
    expect(err).toContain(`--out would overwrite ${out}`)
    expect(code).toBe(2)
    expect(contentsOf(folder)).toEqual(before)
  })

  const link = (make: (at: string) => void): string => {
    make(join(folder, 'link'))
    return join(folder, 'link')
  }
})

test('refuses to overwrite the ids beside embeddings without an extension', () => {
  const ids = join(folder, 'bare.ids.txt')
  writeFileSync(join(folder, 'bare'), 'vectors')
  writeFileSync(ids, 'd1\n')
  const { code, err } = kith(
    'search',
    '--queries',
    'q',
    '--docs',
    join(folder, 'bare'),
    '--out',
    ids,
  )
  expect(err).toContain(`--out would overwrite ${ids}`)
  expect(code).toBe(2)
  expect(readFileSync(ids, 'utf8')).toBe('d1\n')
})

describe('files that a command reads or writes beside the named ones', () => {
  const at = (name: string): string => join(folder, name)
  const make = (...names: string[]): void => {
    for (const name of names) {
      mkdirSync(join(at(name), '..'), { recursive: true })
      writeFileSync(at(name), name)
    }
  }
  const check = (name: string, values: Record<string, string | boolean>): void => {
    const command = commands.find((one) => one.name === name)!
    refuseClashes(command, { rest: [], ...values } as Parameters<typeof refuseClashes>[1])
  }

  test.each<[string, string[], Record<string, string | boolean>]>([
    ['encode', ['x.partial'], { input: 'x.partial', out: 'x' }],
    ['encode', ['x.ids.txt'], { input: 'x.ids.txt', out: 'x.npy' }],
    ['encode', ['x.meta.json'], { input: 'x.meta.json', out: 'x' }],
    ['encode', ['m/model.safetensors'], { input: 'x', model: 'm', out: 'm/model.safetensors' }],
    ['convert', ['f/ids.memmap'], { in: 'f', out: 'f/ids.memmap' }],
    ['convert', ['f/embedding.memmap'], { in: 'f/embedding.memmap', out: 'f' }],
    ['adapt', ['a/adapter.safetensors'], { adapter: 'a', out: 'a/adapter.safetensors' }],
    ['train compare', ['t/metrics.jsonl'], { rest: 't', out: 't/metrics.jsonl' }],
    ['audit', ['a.html'], { corpus: 'a.html', out: 'a.tsv' }],
    ['tune', ['t.study.jsonl'], { qrels: 't.study.jsonl', out: 't' }],
    ['sweep', ['s/figures.json'], { settings: 's/figures.json', out: 's' }],
    ['train', ['t/config.json'], { model: 't', out: 't' }],
    ['train', ['t/metrics.jsonl'], { labels: 't/metrics.jsonl', out: 't' }],
    ['tune-training', ['t/study.jsonl'], { docs: 't/study.jsonl', out: 't' }],
    ['dataset wordnet', ['w/qrels/dev.tsv'], { run: 'w/qrels/dev.tsv', out: 'w' }],
    ['search', ['q.jsonl'], { store: 'q.jsonl', out: 'q.jsonl' }],
    ['load', ['docs/embedding.memmap'], { docs: 'docs', store: 'docs#name' }],
  ])('kith %s refuses %j', (name, files, values) => {
    make(...files)
    expect(() => check(name, inFolder(values))).toThrow(/would overwrite .* which is an input/)
  })

  test.each<[string, string[], Record<string, string | boolean>]>([
    // Two formats of the same embeddings have the same ids.
    ['convert', ['d.fvecs', 'd.ids.txt', 'd.npy'], { in: 'd.fvecs', out: 'd.npy' }],
    ['convert', ['d.npy.gz', 'd.ids.txt'], { in: 'd.npy.gz', out: 'd.npy' }],
    // What was made before is made again.
    ['encode', ['c.jsonl', 'c.npy', 'c.ids.txt'], { input: 'c.jsonl', out: 'c.npy' }],
    ['encode', ['m/config.json', 'm/d.npy'], { input: 'c', model: 'm', out: 'm/d.npy' }],
    ['search', ['f/embedding.memmap', 'f/run'], { docs: 'f', out: 'f/run' }],
    ['train compare', ['t/metrics.jsonl', 't/c.svg'], { rest: 't', out: 't/c.svg' }],
    ['dataset wordnet', ['w/run.trec', 'w/README.md'], { run: 'w/run.trec', out: 'w' }],
    ['sweep', ['s/run.trec', 's/index.html'], { run: 's/run.trec', out: 's' }],
    ['train', ['t/config.json', 't/q.jsonl'], { 'train-queries': 't/q.jsonl', out: 't' }],
    ['search', [], { docs: 'absent', out: 'absent' }],
    ['load', ['docs.npy'], { docs: 'docs.npy', store: 'postgres://localhost/docs.npy' }],
  ])('kith %s accepts %j', (name, files, values) => {
    make(...files)
    check(name, inFolder(values))
  })

  test('allows pipes and devices as input and output, and follows a dangling link', () => {
    check('convert', { in: '/dev/null', out: '/dev/null' })
    symlinkSync('later', at('link'))
    symlinkSync('loop', at('loop'))
    expect(() => check('audit', { out: at('link'), page: at('later') })).toThrow(/both write/)
    check('audit', { out: at('loop'), page: at('page') })
  })

  const inFolder = (values: Record<string, string | boolean>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const named = String(value).includes('://') ? value : at(String(value))
        return [name, name === 'rest' ? ([named] as unknown as string) : named]
      }),
    )
})

/** Every file below a folder with what it holds. */
function contentsOf(place: string): Record<string, string> {
  const names = readdirSync(place, { recursive: true }) as string[]
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(place, name)).isFile())
      .map((name) => [name, readFileSync(join(place, name), 'latin1')]),
  )
}

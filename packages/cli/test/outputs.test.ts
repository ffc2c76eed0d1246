import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { lockFile } from '@kith/base'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { writeSmallModel } from '../../../test/faults/small-model.mjs'
import { temporaryFolder } from '../../../test/files.ts'
import { writeTurned } from '../../pipelines/test/turned.ts'
import { kith, program, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const root = process.getuid?.() === 0

beforeAll(() => writeTurned(folder))

const queries = (): string[] => ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
const search = (): string[] => ['search', ...queries(), '--top', '5']
const labels = (): string[] => [
  ...['labels', '--run', path('run.trec'), ...queries(), '--qrels', path('train.trec')],
]

function newFolder(name: string): string {
  mkdirSync(path(name))
  return path(name)
}

/** Flags of a Node.js that prints a line when its program handles SIGTERM. */
const TELLS = [
  '--import',
  "data:text/javascript,process.on('newListener', (name) => name === 'SIGTERM' && console.error(name))",
]

/** Runs a line of bash with `kith` as `$0` and its arguments as `$@`. */
function bash(
  line: string,
  args: readonly string[],
): { status: number | null; stdout: string; stderr: string } {
  const script = `kith() { ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"; }; set -o pipefail; ${line}`
  return spawnSync('bash', ['-c', script, 'bash', ...args], { encoding: 'utf8' })
}

describe.each([
  ['search', 'run.trec', search],
  ['labels', 'labels.jsonl', labels],
] as const)('kith %s', (_, name, args) => {
  test('writes to standard output as a pipe, a file, or the end of a file', () => {
    succeed(...args(), '--out', path(name === 'run.trec' ? 'whole.trec' : 'whole.jsonl'))
    const whole = readFileSync(path(name === 'run.trec' ? 'whole.trec' : 'whole.jsonl'), 'utf8')
    const before = readdirSync('/dev')
    const line = 'kith "$@" --out /dev/stdout'
    const piped = bash(`${line} | cat`, args())
    expect(piped.status).toBe(0)
    expect(piped.stdout).toBe(whole)
    expect(piped.stderr).toContain('/dev/stdout')
    const file = path(`stdout-${name}`)
    expect(bash(`${line} > '${file}'`, args()).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(whole)
    writeFileSync(file, 'first\n')
    expect(bash(`${line} >> '${file}'`, args()).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(`first\n${whole}`)
    const substituted = bash(`kith "$@" --out >(cat > '${file}'; echo done) | tail -n 1`, args())
    expect(substituted.status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(whole)
    expect(readdirSync('/dev')).toEqual(before)
  })

  test('writes into a named pipe and leaves no file beside it', async () => {
    const where = newFolder(`pipe-${name}`)
    const pipe = join(where, name)
    execFileSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe])
    const parts: Buffer[] = []
    reader.stdout.on('data', (part: Buffer) => parts.push(part))
    const writer = spawn(process.execPath, [program, ...args(), '--out', pipe], { stdio: 'ignore' })
    const [[code]] = await Promise.all([once(writer, 'exit'), once(reader, 'close')])
    expect(code).toBe(0)
    const whole = readFileSync(path(name === 'run.trec' ? 'whole.trec' : 'whole.jsonl'))
    expect(Buffer.concat(parts).equals(whole)).toBe(true)
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    expect(readdirSync(where)).toEqual([name])
  })

  test('stops on a signal while it waits for the reader of a pipe', async () => {
    const where = newFolder(`lonely-${name}`)
    const pipe = join(where, name)
    execFileSync('mkfifo', [pipe])
    const writer = spawn(process.execPath, [...TELLS, program, ...args(), '--out', pipe])
    const exit = once(writer, 'exit')
    await once(writer.stderr, 'data')
    // Long enough for it to wait for the reader, on most machines; the end is the same before.
    await setTimeout(1500)
    writer.kill('SIGTERM')
    expect(await exit).toEqual([143, null])
    expect(readdirSync(where)).toEqual([name])
  })

  test.runIf(root)(
    'writes into a device, which stays a device, and leaves no file beside it',
    () => {
      const where = newFolder(`device-${name}`)
      execFileSync('mknod', [join(where, name), 'c', '1', '3'])
      succeed(...args(), '--out', join(where, name))
      expect(lstatSync(join(where, name)).isCharacterDevice()).toBe(true)
      expect(readdirSync(where)).toEqual([name])
    },
  )

  test('writes through a link', () => {
    const [links, targets] = [newFolder(`links-${name}`), newFolder(`targets-${name}`)]
    writeFileSync(join(targets, name), 'earlier', { mode: 0o600 })
    symlinkSync(join(targets, name), join(links, name))
    succeed(...args(), '--out', join(links, name))
    expect(lstatSync(join(links, name)).isSymbolicLink()).toBe(true)
    expect(lstatSync(join(targets, name)).mode & 0o777).toBe(0o600)
    const whole = readFileSync(path(name === 'run.trec' ? 'whole.trec' : 'whole.jsonl'))
    expect(readFileSync(join(targets, name)).equals(whole)).toBe(true)
    expect(readdirSync(targets)).toEqual([name])
  })

  test('refuses a folder as output', () => {
    const where = newFolder(`folder-${name}`)
    expect(kith(...args(), '--out', where)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${where}: is a folder, not a file`),
    })
  })
})

test('kith encode writes the same embeddings packed and unpacked', async () => {
  const model = writeSmallModel(path('model'))
  for (const name of ['encoded.npy', 'encoded-packed.npy.gz']) {
    succeed('encode', '--model', model, '--input', path('queries.jsonl'), '--out', path(name))
  }
  const [plain, packed] = await Promise.all(
    ['encoded.npy', 'encoded-packed.npy.gz'].map((name) => openEmbeddings(path(name))),
  )
  expect(packed!.rows).toBe(48)
  expect(packed!.read(0, 48)).toEqual(plain!.read(0, 48))
  expect(packed!.idOf(47)).toBe('q47')
  plain!.close()
  packed!.close()
})

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'kith convert of a packed file, %s: leaves no temporary file, or the next run removes it',
  async (signal) => {
    const temporary = newFolder(`temporary-${signal}`)
    const where = newFolder(`converted-${signal}`)
    const rows = Array.from({ length: 10 }, () => new Float32Array(2 ** 20).fill(1))
    await writeEmbeddings(join(where, 'large.npy'), { dimensions: 2 ** 18 }, rows)
    writeFileSync(
      join(where, 'large.npy.gz'),
      gzipSync(readFileSync(join(where, 'large.npy')), { level: 1 }),
    )
    const args = [
      ...['convert', '--kind', 'embeddings', '--in', join(where, 'large.npy.gz')],
      ...['--out', join(where, 'out.npy')],
    ]
    const env = { ...process.env, TMPDIR: temporary }
    const child = spawn(process.execPath, [program, ...args], { env, stdio: 'ignore' })
    const exit = once(child, 'exit')
    while (readdirSync(temporary).length === 0 && child.exitCode === null) await setTimeout(1)
    child.kill(signal)
    await exit
    if (signal === 'SIGKILL') {
      expect(readdirSync(temporary).length).toBe(1)
      const { status } = spawnSync(process.execPath, [program, ...args], { env })
      expect(status).toBe(0)
    }
    expect(readdirSync(temporary)).toEqual([])
    expect(readdirSync(where).filter((name) => name.endsWith('.tmp'))).toEqual([])
  },
)

test('kith train refuses a folder to which another training writes', async () => {
  const out = path('trained')
  const args = [
    ...['train', '--docs', path('docs.npy'), '--qrels', path('train.trec')],
    ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
    ...['--adapter', 'mlp', '--set', 'steps=2', '--out', out],
  ]
  const lock = lockFile(join(out, 'training'))
  expect(kith(...args)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`process ${process.pid} on `),
  })
  await lock.close()
  succeed(...args)
  expect(readdirSync(out).filter((name) => name.includes('lock'))).toEqual([])
})

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { TemporaryFile, writeAtomic } from '@kith/base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { onSmallDisk, smallDisks } from '../../../test/small-disk.ts'
import { writeEmbeddings } from '../src/index.ts'

const folder = temporaryFolder()

const library = new URL('../dist/index.js', import.meta.url).href
const base = import.meta.resolve('@kith/base')
const packed = join(folder, 'docs.npy.gz')
const corpus = join(folder, 'corpus.jsonl')

beforeAll(async () => {
  const rows = Array.from({ length: 4000 }, (_, i) => new Float32Array(16).fill(i))
  await writeEmbeddings(packed, { dimensions: 16 }, rows)
  const line = (i: number) => `${JSON.stringify({ _id: `d${i}`, text: 'word '.repeat(40) })}\n`
  writeFileSync(corpus, Array.from({ length: 4000 }, (_, i) => line(i)).join(''))
})

/** What uses the temporary folder: scripts for a separate process. */
const users: Record<string, string> = {
  'packed embeddings': `await openEmbeddings(${JSON.stringify(packed)})`,
  'a store of texts': `await TextStore.open(${JSON.stringify(corpus)})`,
}

const script = (body: string): string =>
  `import { openEmbeddings } from ${JSON.stringify(library)}
   import { TextStore } from ${JSON.stringify(new URL('../dist/internal.js', import.meta.url))}
   import { writeAtomic } from ${JSON.stringify(base)}
   try { ${body} } catch (error) { console.error(error.message); process.exit(1) }`

const begin = ['--input-type=module', '-e']

function run(body: string, temporary: string): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, [...begin, script(body)], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temporary },
  })
}

let count = 0
function newFolder(): string {
  const made = join(folder, `temporary${count++}`)
  mkdirSync(made)
  return made
}

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Runs a script that goes on for ever, until there is a new file in a folder. */
async function runUntilFile(body: string, where: string): Promise<ChildProcess> {
  const before = readdirSync(where)
  const isNew = (name: string): boolean => !before.includes(name)
  const child = spawn(process.execPath, [...begin, script(body)], {
    env: { ...process.env, TMPDIR: where },
    stdio: 'inherit',
  })
  children.push(child)
  while (!readdirSync(where).some(isNew) && child.exitCode === null) await setTimeout(5)
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

describe.each(Object.entries(users))('%s', (_, body) => {
  test('leave nothing behind', () => {
    const where = newFolder()
    expect(run(body, where)).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(where)).toEqual([])
  })

  test('name the temporary file that may not grow, and what to do', () => {
    const where = newFolder()
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', 'ulimit -f 64; exec "$@"', 'bash', process.execPath, ...begin, script(body)],
      { encoding: 'utf8', env: { ...process.env, TMPDIR: where } },
    )
    expect(stderr).toMatch(/the temporary file .*\/temporary\d+\/kith-\S+: the file is too large/)
    expect(stderr).toContain('TMPDIR')
    expect(status).toBe(1)
    expect(readdirSync(where)).toEqual([])
  })

  test.runIf(smallDisks)('name the temporary file if the temporary folder is full', async () => {
    const where = newFolder()
    await onSmallDisk(where, '64k', () => {
      const { status, stderr } = run(body, where)
      expect(stderr).toMatch(
        /the temporary file .*kith-\S+: there is no space left on the disk; set TMPDIR/,
      )
      expect(status).toBe(1)
      expect(readdirSync(where)).toEqual([])
    })
  })

  test('report a missing temporary folder', () => {
    const { status, stderr } = run(body, join(folder, 'nowhere'))
    expect(stderr).toMatch(/the temporary file .*nowhere.*: there is no such file; set TMPDIR/)
    expect(status).toBe(1)
  })
})

describe('files that a killed process leaves', () => {
  const slow = `await new Promise((resolve) => setTimeout(resolve, 100_000))`

  test('in the temporary folder are removed by the next process, unless their own still lives', async () => {
    const where = newFolder()
    const module = base
    const body = `const { withUnpacked } = await import(${JSON.stringify(module)})
      await withUnpacked(${JSON.stringify(packed)}, async () => { ${slow} })`
    const dead = await runUntilFile(body, where)
    const [left] = readdirSync(where)
    await end(dead, 'SIGKILL')
    expect(readdirSync(where)).toEqual([left])
    const living = await runUntilFile(body, where)
    await expect.poll(() => readdirSync(where)).not.toContain(left)
    const [kept] = readdirSync(where)
    expect(statSync(join(where, kept!)).mode & 0o777).toBe(0o600)
    writeFileSync(join(where, 'another.tmp'), '')
    symlinkSync(corpus, join(where, left!))
    run(users['packed embeddings']!, where)
    expect(readdirSync(where).sort()).toEqual([kept, 'another.tmp', left].sort())
    expect(existsSync(corpus)).toBe(true)
    await end(living, 'SIGKILL')
  })

  test('beside an output are removed by the next process, unless their own still lives', async () => {
    const where = newFolder()
    const out = join(where, 'run.trec')
    writeFileSync(out, 'earlier')
    const body = `await writeAtomic(${JSON.stringify(out)}, async (write) => {
      await write(new Uint8Array(1000))
      ${slow}
    })`
    const dead = await runUntilFile(body, where)
    await end(dead, 'SIGKILL')
    expect(readdirSync(where).length).toBe(2)
    const living = await runUntilFile(body, where)
    await expect.poll(() => readdirSync(where).length).toBe(2)
    await writeAtomic(out, (write) => write('new'))
    expect(readdirSync(where).length).toBe(2)
    expect(readFileSync(out, 'utf8')).toBe('new')
    await end(living, 'SIGKILL')
    expect(
      run(`await writeAtomic(${JSON.stringify(out)}, (write) => write('newer'))`, where),
    ).toMatchObject({ status: 0 })
    expect(readdirSync(where)).toEqual(['run.trec'])
    expect(readFileSync(out, 'utf8')).toBe('newer')
  })

  test('after an uncaught exception do not exist', () => {
    const where = newFolder()
    const out = JSON.stringify(join(where, 'run.trec'))
    const body = `setTimeout(() => { throw new Error('uncaught') }, 50)
      await writeAtomic(${out}, async (write) => { ${slow} })`
    expect(run(body, where)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('uncaught'),
    })
    expect(readdirSync(where)).toEqual([])
  })
})

test('refuses a temporary file that is shorter than its contents', () => {
  const file = new TemporaryFile('short')
  file.append(Buffer.from('twelve bytes'))
  const bytes = Buffer.alloc(12)
  file.read(bytes, 0)
  expect(bytes.toString()).toBe('twelve bytes')
  writeFileSync(file.file, 'cut')
  expect(() => file.read(bytes, 0)).toThrow(
    expect.objectContaining({ code: 'BAD_FILE', message: expect.stringContaining('byte 3') }),
  )
  file.close()
  file.close()
  expect(existsSync(file.file)).toBe(false)
})

test('leaves no temporary file after reading damaged packed embeddings', () => {
  const where = newFolder()
  const damaged = join(folder, 'damaged.npy.gz')
  writeFileSync(damaged, gzipSync(readFileSync(corpus)).subarray(0, 500))
  const { status, stderr } = run(`await openEmbeddings(${JSON.stringify(damaged)})`, where)
  expect(stderr).toContain('damaged.npy.gz')
  expect(status).toBe(1)
  expect(readdirSync(where)).toEqual([])
})

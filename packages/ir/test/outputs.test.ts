import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { writeResumably } from '@kith/base'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  type LabeledQuery,
  openEmbeddings,
  writeEmbeddings,
  writeRun,
  writeTexts,
} from '../src/index.ts'
import { formatLabelsJson, writeLabelsParquet } from '../src/labels/labels.ts'
import { runOf } from './support.ts'

const folder = temporaryFolder()

const root = process.getuid?.() === 0
const rows = Array.from({ length: 50 }, (_, i) =>
  Float32Array.from({ length: 6 }, (_, j) => Math.sin(i * 6 + j)),
)
const ids = rows.map((_, i) => `d${i}`)
const entry: LabeledQuery = {
  query: 'q',
  docs: ['b', 'a'],
  labels: [0.5, 0.5],
  evidence: [2, 1],
  groundTruth: ['a'],
}

const embeddings = (file: string): Promise<void> =>
  writeEmbeddings(file, { dimensions: 6, ids }, rows)

/** Every way in which a file is written, by a name with the ending that it takes. */
const writers: Record<string, (file: string) => Promise<void>> = {
  'run.trec': (file) => writeRun(file, runOf({ q: { a: 2, b: 1 } })),
  'run.json.gz': (file) => writeRun(file, runOf({ q: { a: 2, b: 1 } })),
  'corpus.jsonl': (file) => writeTexts(file, [{ id: 'a', text: 'b' }]),
  'docs.npy': embeddings,
  'docs.npy.gz': embeddings,
  'docs.safetensors': embeddings,
  'docs.fvecs': embeddings,
  'docs.jsonl': embeddings,
  'docs.parquet': embeddings,
  'docs.parquet.gz': embeddings,
  'labels.parquet': (file) =>
    writeLabelsParquet(
      file,
      (async function* () {
        yield entry
      })(),
    ),
  'labels.jsonl': resumably,
  'labels.jsonl.gz': resumably,
}

function resumably(file: string): Promise<void> {
  return writeResumably<number>(file, {
    key: 'k',
    isState: (state): state is number => Number.isInteger(state),
    async write(append) {
      for (let part = 1; part <= 3; part++) await append(formatLabelsJson(entry), part)
    },
  })
}

const cases = Object.entries(writers)

/** A new folder for a case, so that what is left in it can be seen. */
let count = 0
function place(): string {
  const made = join(folder, `case${count++}`)
  mkdirSync(made)
  return made
}

/** The files of a folder, without the ids that belong to some. */
const filesIn = (where: string): string[] =>
  readdirSync(where).filter((name) => !name.endsWith('.ids.txt'))

const plain = join(folder, 'plain')
beforeAll(async () => {
  mkdirSync(plain)
  for (const [name, write] of cases) await write(join(plain, name))
})

/** Packed bytes may differ, what they hold not. */
function contents(file: string): Buffer {
  const bytes = readFileSync(file)
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

describe.each(cases)('%s', (name, write) => {
  test('is written through a link, which stays', async () => {
    const [links, targets] = [place(), place()]
    symlinkSync(targets, join(links, 'inner'))
    writeFileSync(join(targets, `old-${name}`), 'earlier')
    symlinkSync(`inner/../${targets.split('/').at(-1)}/old-${name}`, join(links, 'hop'))
    symlinkSync('hop', join(links, name))
    await write(join(links, name))
    expect(readlinkSync(join(links, name))).toBe('hop')
    expect(lstatSync(join(links, 'hop')).isSymbolicLink()).toBe(true)
    expect(contents(join(targets, `old-${name}`))).toEqual(contents(join(plain, name)))
    expect(filesIn(targets)).toEqual([`old-${name}`])
    expect(filesIn(links).sort()).toEqual(['hop', 'inner', name].sort())
  })

  test('is created through a link to a missing file', async () => {
    const where = place()
    symlinkSync(`new/${name}`, join(where, name))
    await write(join(where, name))
    expect(lstatSync(join(where, name)).isSymbolicLink()).toBe(true)
    expect(contents(join(where, 'new', name))).toEqual(contents(join(plain, name)))
  })

  test('keeps mode and owner of an earlier file, and gives a new file the usual mode', async () => {
    const where = place()
    const file = join(where, name)
    for (const mode of [0o600, 0o640, 0o664]) {
      writeFileSync(file, 'earlier')
      chmodSync(file, mode)
      if (root) chownSync(file, 1234, 2345)
      await write(file)
      expect(statSync(file).mode & 0o7777).toBe(mode)
      if (root) expect(statSync(file)).toMatchObject({ uid: 1234, gid: 2345 })
      expect(contents(file)).toEqual(contents(join(plain, name)))
    }
    expect(statSync(join(plain, name)).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  test('goes whole into a pipe, which stays a pipe, with no file beside it', async () => {
    const where = place()
    const pipe = join(where, name)
    execFileSync('mkfifo', [pipe])
    const writing = write(pipe)
    const reader = spawn('cat', [pipe])
    const parts: Buffer[] = []
    reader.stdout.on('data', (part: Buffer) => parts.push(part))
    await Promise.all([writing, once(reader, 'close')])
    const got = Buffer.concat(parts)
    expect(name.endsWith('.gz') ? gunzipSync(got) : got).toEqual(contents(join(plain, name)))
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    expect(filesIn(where)).toEqual([name])
  })

  test.runIf(root)('goes into a device, which stays a device', async () => {
    const where = place()
    execFileSync('mknod', [join(where, name), 'c', '1', '3'])
    await write(join(where, name))
    expect(lstatSync(join(where, name)).isCharacterDevice()).toBe(true)
    expect(filesIn(where)).toEqual([name])
  })

  test('is refused if the path is a folder or a circle of links', async () => {
    const where = place()
    mkdirSync(join(where, name))
    await expect(write(join(where, name))).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining(join(where, name)),
    })
    symlinkSync(`a-${name}`, join(where, `b-${name}`))
    symlinkSync(`b-${name}`, join(where, `a-${name}`))
    await expect(write(join(where, `a-${name}`))).rejects.toMatchObject({ code: 'BAD_FILE' })
  })
})

test('names the device that is always full', async () => {
  if (!existsSync('/dev/full')) return
  await expect(writers['run.trec']!('/dev/full')).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('/dev/full'),
  })
  expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true)
})

test('keeps the old rows if the new ids cannot be written', async () => {
  const where = place()
  const file = join(where, 'docs.npy')
  await writeEmbeddings(file, { dimensions: 6, ids }, rows)
  const before = readFileSync(file)
  const others = rows.map((row) => row.map((value) => -value))
  const failing = writeEmbeddings(
    file,
    { dimensions: 6, ids: ids.map((id, i) => (i === 49 ? 'a\nb' : id)) },
    others,
  )
  await expect(failing).rejects.toMatchObject({ code: 'BAD_FILE' })
  expect(readFileSync(file)).toEqual(before)
  mkdirSync(join(where, 'other.ids.txt'))
  await expect(embeddings(join(where, 'other.npy'))).rejects.toMatchObject({ code: 'BAD_FILE' })
  expect(readdirSync(where).sort()).toEqual(['docs.ids.txt', 'docs.npy', 'other.ids.txt'])
  const read = await openEmbeddings(file)
  expect(read.idOf(49)).toBe('d49')
  read.close()
})

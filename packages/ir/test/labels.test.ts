import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writeResumably } from '@kith/base'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type LabeledQuery, RunBuilder, readLabels, readRun, writeRun } from '../src/index.ts'
import { formatSentenceTransformers } from '../src/labels/label-texts.ts'
import {
  formatLabelsJson,
  labelRow,
  readLabelsParquet,
  writeLabelsParquet,
} from '../src/labels/labels.ts'
import { hideAllButOne } from '../src/qrels/qrels.ts'
import { countRankings, streamRankings } from '../src/runs/run-stream.ts'
import { TextStore } from '../src/texts/text-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-labels-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = (name: string): string => join(folder, name)

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

describe('reading a run as a stream', () => {
  test.each(['trec', 'msmarco', 'json'] as const)(
    '%s: returns the rankings of the whole file',
    async (format) => {
      const builder = new RunBuilder()
      for (let q = 0; q < 700; q++) {
        const ids = Array.from({ length: 1 + (q % 5) }, (_, i) => `d${(q * 3 + i * 11) % 97}`)
        builder.add({ query: `q${q}`, ids, scores: ids.map((_, i) => 9 - i - (q % 2) / 2) })
      }
      for (const file of [`run.${format}`, `run.${format}.gz`].map(path)) {
        await writeRun(file, builder.finish(), { format })
        const whole = await readRun(file)
        expect(await collect(streamRankings(file))).toEqual([...whole])
        expect(await countRankings(file)).toBe(700)
      }
    },
  )

  test('ranks by score, and reports mistakes with their lines', async () => {
    writeFileSync(path('unsorted.trec'), 'a Q0 x 1 1 t\na Q0 y 2 5 t\na Q0 z 3 5 t\n')
    expect((await collect(streamRankings(path('unsorted.trec'))))[0]!.ids).toEqual(['z', 'y', 'x'])
    writeFileSync(path('twice.trec'), 'a Q0 x 1 2 t\na Q0 x 2 1 t\n')
    await expect(countRankings(path('twice.trec'))).rejects.toThrow(/twice.trec:2: .*twice/)
    writeFileSync(path('back.trec'), 'a Q0 x 1 2 t\nb Q0 x 1 1 t\na Q0 y 2 1 t\n')
    await expect(countRankings(path('back.trec'))).rejects.toThrow(/:3:/)
    writeFileSync(path('empty.trec'), '\n')
    await expect(countRankings(path('empty.trec'))).rejects.toMatchObject({ code: 'BAD_FILE' })
  })
})

describe('TextStore', () => {
  test('returns every text, packed or not, with any characters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            id: fc.string({ minLength: 1 }),
            title: fc.string(),
            text: fc.string({ unit: 'binary' }),
          }),
          { selector: ({ id }) => id, minLength: 1, maxLength: 30 },
        ),
        async (entries) => {
          const lines = entries.map(({ id, title, text }) =>
            JSON.stringify({ _id: id, title, text }),
          )
          writeFileSync(path('texts.jsonl.gz'), gzipSync(lines.join('\n')))
          const store = await TextStore.open(path('texts.jsonl.gz'))
          for (const { id, title, text } of entries) {
            expect(store.get(id)).toEqual(title === '' ? { id, text } : { id, title, text })
          }
          expect(store.get('no such id, ever')).toBeUndefined()
          expect(store.size).toBe(entries.length)
          expect([...store]).toEqual(entries.map(({ id }) => store.get(id)))
          await store.close()
          await store.close()
          expect(() => store.get('0')).toThrow(expect.objectContaining({ code: 'CLOSED' }))
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('resumable writing', () => {
  /** Writes ten parts; fails before the part with a number, as a stop would. */
  const write = (file: string, key: string, stop = Infinity): Promise<void> =>
    writeResumably<number>(path(file), {
      key,
      isState: (state): state is number => Number.isInteger(state),
      async write(append, done = 0) {
        for (let part = done; part < 10; part++) {
          if (part === stop) throw new Error('stopped')
          await append(`part ${part} of ${key}\n`, part + 1)
        }
        await append('', 10)
        if (stop === 10) throw new Error('stopped')
      },
    })

  test.each(['plain.txt', 'packed.txt.gz'])(
    '%s: writes the same bytes after a stop at any point',
    async (file) => {
      await write(file, 'k')
      const whole = readFileSync(path(file))
      expect((file.endsWith('.gz') ? gunzipSync(whole) : whole).toString()).toMatch(
        /^part 0 .*\npart 1/,
      )
      for (let stop = 0; stop <= 10; stop++) {
        rmSync(path(file))
        await expect(write(file, 'k', stop)).rejects.toThrow('stopped')
        // A torn part behind the last good one, as kill -9 leaves it.
        writeFileSync(path(`${file}.partial`), 'torn', { flag: 'a' })
        await write(file, 'k')
        expect(readFileSync(path(file)).equals(whole)).toBe(true)
      }
    },
  )

  test('starts again with another key, or if the partial file is too short', async () => {
    await expect(write('keyed.txt', 'old', 5)).rejects.toThrow('stopped')
    await write('keyed.txt', 'new')
    expect(readFileSync(path('keyed.txt'), 'utf8')).not.toContain('old')
    await expect(write('short.txt', 'k', 5)).rejects.toThrow('stopped')
    writeFileSync(path('short.txt.partial'), 'part')
    await write('short.txt', 'k')
    expect(readFileSync(path('short.txt'), 'utf8').split('\n').length).toBe(11)
  })
})

describe('the lock of an output', () => {
  test('keeps others from the file if its process is on another host, but not if its process is dead', async () => {
    const work = {
      key: 'k',
      isState: (_state: unknown): _state is number => true,
      write: (append: (part: string, state: number) => Promise<void>) => append('x', 1),
    }
    const lock = path('locked.txt.partial.lock-ffffffff-1-00000000-0123456789ab')
    writeFileSync(lock, 'another-machine')
    await expect(writeResumably(path('locked.txt'), work)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('another-machine'),
    })
    utimesSync(lock, 1000, 1000)
    await writeResumably(path('locked.txt'), work)
    expect(existsSync(lock)).toBe(false)
    await expect(writeResumably(folder, work)).rejects.toMatchObject({ code: 'BAD_FILE' })
    await expect(writeResumably(path('locked.txt/x'), work)).rejects.toMatchObject({
      code: 'BAD_FILE',
    })
  })

  test('stops the writing before the next part once another process has taken over', async () => {
    const taken = writeResumably<number>(path('taken.txt'), {
      key: 'k',
      isState: (_state: unknown): _state is number => true,
      async write(append) {
        await append('mine', 1)
        for (const name of readdirSync(folder)) {
          if (name.startsWith('taken.txt.partial.lock-')) rmSync(path(name))
        }
        await append('not mine any more', 2)
      },
    })
    await expect(taken).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(readFileSync(path('taken.txt.partial'), 'utf8')).toBe('mine')
    expect(existsSync(path('taken.txt'))).toBe(false)
  })

  test('writes an empty packed file as a packed file', async () => {
    await writeResumably(path('none.gz'), {
      key: 'k',
      isState: (_state: unknown): _state is number => true,
      write: (append) => append('', 0),
    })
    expect(gunzipSync(readFileSync(path('none.gz'))).toString()).toBe('')
  })
})

describe('label files', () => {
  const entry: LabeledQuery = {
    query: 'q',
    docs: ['b', 'a', 'c'],
    labels: [0.5, 0.3, 0.2],
    evidence: [2, 1, -1],
    groundTruth: ['a'],
  }

  test('reads back JSONL and Parquet as written', async () => {
    const entries = Array.from({ length: 25 }, (_, i) => ({ ...entry, query: `q${i} "ü"` }))
    writeFileSync(path('l.jsonl'), entries.map(formatLabelsJson).join(''))
    expect(await collect(readLabels(path('l.jsonl')))).toEqual(entries)
    await writeLabelsParquet(path('l.parquet'), readLabels(path('l.jsonl')))
    expect(await collect(readLabelsParquet(path('l.parquet')))).toEqual(entries)
  })

  test.each([
    ['{"query":1}', /:1: query must be a string/],
    [
      '{"query":"q","docs":[1],"labels":[],"evidence":[],"groundTruth":[]}',
      /docs must be a list of strings/,
    ],
    [
      '{"query":"q","docs":["a"],"labels":[],"evidence":[1],"groundTruth":[]}',
      /expected 1 labels, one per document, got 0/,
    ],
    ['{"query"', /:1: not JSON/],
  ])('refuses %s', async (line, message) => {
    writeFileSync(path('bad.jsonl'), line)
    await expect(collect(readLabels(path('bad.jsonl')))).rejects.toThrow(message)
  })

  test('refuses damaged Parquet', async () => {
    writeFileSync(path('bad.parquet'), 'PAR1 but nothing else')
    await expect(collect(readLabelsParquet(path('bad.parquet')))).rejects.toThrow(/bad.parquet/)
  })

  test('writes a label of 0 as a finite logit, and names a missing text', () => {
    const texts = {
      query: (id: string) => ({ id, text: id }),
      document: (id: string) => ({ id, text: id }),
    }
    const line = formatSentenceTransformers({ ...entry, labels: [1, 0, 0] }, texts, 'logit')
    expect(JSON.parse(line).label.every(Number.isFinite)).toBe(true)
    expect(JSON.parse(line)).toMatchObject({ positive: 'a', negative_1: 'b', negative_2: 'c' })
    const without = { ...texts, document: () => undefined }
    expect(() => formatSentenceTransformers(entry, without, 'logit')).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
  })
})

describe('labelRow', () => {
  const labels = (docs: string[], groundTruth: string[]): LabeledQuery => ({
    query: 'q',
    docs,
    labels: docs.map((_, i) => (docs.length - i) / 10),
    evidence: docs.map((_, i) => -i),
    groundTruth,
  })

  test('takes every relevant document as a positive, and none as a negative', () => {
    const row = labelRow(labels(['a', 'soft', 'b', 'c'], ['a', 'b', 'c']), ['x', 'y', 'z'], 3)
    expect(row).toEqual({
      query: 'q',
      docs: ['a', 'soft', 'b', 'c', 'y', 'z'],
      labels: [0.4, 0.3, 0.2, 0.1, 0, 0],
      groundTruth: ['a', 'b', 'c'],
    })
  })

  test('takes at most half of its negatives from soft labels, and the others with the least evidence', () => {
    const soft = labels(['a', 's1', 's2', 's3'], ['a'])
    expect(labelRow(soft, ['x', 'y', 'z'], 4)).toMatchObject({ docs: ['a', 's1', 's2', 'y', 'z'] })
    expect(labelRow(soft, ['x', 'y', 'z'], 1)).toMatchObject({ docs: ['a', 'z'] })
    // Of documents that all have a label, those of the lower half keep theirs.
    expect(labelRow(soft, ['s2', 's3'], 3)).toMatchObject({
      docs: ['a', 's1', 's2', 's3'],
      labels: soft.labels,
    })
  })

  test('returns nothing without a positive document or with too few negatives', () => {
    expect(labelRow(labels(['s1', 's2'], ['a']), ['x'], 1)).toBe('no positive document')
    expect(labelRow(labels(['a', 'b', 'c'], ['a', 'b', 'c']), [], 1)).toBe('too few negatives')
    expect(labelRow(labels(['a', 's1', 's2'], ['a']), ['x'], 3)).toBe('too few negatives')
  })
})

describe('hideAllButOne', () => {
  test('keeps one judgment and hides the others, in any order of the file', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 12 }),
        fc.nat(),
        (ids, seed) => {
          const of = (list: string[]) => new Map([['q', new Map(list.map((id) => [id, 2]))]])
          const { known, hidden } = hideAllButOne(of(ids), { level: 2, seed })
          const all = [...known.get('q')!.keys(), ...hidden.get('q')!.keys()]
          expect(known.get('q')!.size).toBe(1)
          expect(all.toSorted()).toEqual(ids.toSorted())
          const other = hideAllButOne(of(ids.toReversed()), { level: 2, seed })
          expect([...other.known.get('q')!.keys()]).toEqual([...known.get('q')!.keys()])
        },
      ),
    )
    expect(hideAllButOne(new Map([['q', new Map([['a', 1]])]])).known.size).toBe(0)
  })
})

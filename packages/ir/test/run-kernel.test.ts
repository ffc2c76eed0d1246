/** The kernel for lines of runs, compared with plain TypeScript. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { tries } from '../../../test/thorough.ts'
import { RunBuilder } from '../src/index.ts'
import { RankingLines, streamRankings } from '../src/internal.ts'
import { IdList } from '../src/io/id-list.ts'
import { type RowBlock, RunRows } from '../src/runs/run-rows.ts'

const folder = temporaryFolder()

/** A row of a run, with the number of its line. */
type Row = [query: string, document: string, score: number, line: number]

/** Reads rows with the kernel, from chunks of some bytes. */
function rowsOf(text: string, format: 'trec' | 'msmarco', chunk: number): Row[] {
  const rows: Row[] = []
  const reader = new RunRows('run', format, {
    rows: ({ queries, firsts, ids, starts, scores, lines }: RowBlock) => {
      for (const [group, query] of queries.entries()) {
        for (let row = firsts[group]!; row < firsts[group + 1]!; row++) {
          const id = Buffer.from(ids.subarray(starts[row], starts[row + 1])).toString()
          rows.push([query, id, scores[row]!, lines[row]!])
        }
      }
    },
  })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk))
  reader.end()
  return rows
}

/** Reads rows with regular expressions; throws for lines that are no rows. */
function plainRows(text: string, format: 'trec' | 'msmarco'): Row[] {
  return text.split('\n').flatMap((line, i): Row[] => {
    const fields = line.split(/[\t-\r ]+/).filter((field) => field !== '')
    if (fields.length === 0 || (format === 'trec' && fields[0]!.startsWith('#'))) return []
    const [query, second, third, , fifth] = fields
    if (format === 'trec' ? fields.length < 6 : fields.length !== 3) throw new Error(`${i + 1}`)
    const number = Number(format === 'trec' ? fifth : third)
    if (format === 'trec') return [[query!, third!, number, i + 1]]
    if (!Number.isInteger(number) || number < 0) throw new Error(`${i + 1}`)
    return [[query!, second!, -number, i + 1]]
  })
}

const id = fc.string({
  unit: fc.constantFrom('a', '7', 'é', '#', '\u00a0'),
  minLength: 1,
  maxLength: 5,
})
const space = fc.constantFrom(' ', '\t', '  ', '\v', '\f', ' \r')
const score = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toPrecision(9)),
  fc.constantFrom('0', '-0', '.5', '5.', '007', '1e5', '9007199254740993', '1'.repeat(25)),
)
const blank = fc.constantFrom('', ' \t', '\r', '# a b c d e f')

describe('RunRows', () => {
  test('reads what regular expressions read, from chunks of any size', () => {
    const trec = fc
      .tuple(id, space, id, space, id, space, score, fc.constantFrom('', '\r', ' x y', '\t'))
      .map(([q, a, d, b, r, c, s, end]) => `${a}${q}${a}Q0${b}${d}${c}${r}${a}${s}${b}tag${end}`)
    const lines = fc.array(fc.oneof({ weight: 5, arbitrary: trec }, blank), { maxLength: 40 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 500 }), fc.boolean(), (all, chunk, open) => {
        const text = all.join('\n') + (open ? '' : '\n')
        expect(rowsOf(text, 'trec', chunk)).toEqual(plainRows(text, 'trec'))
      }),
      tries(400),
    )
  })

  test('reads MS MARCO ranks, and refuses other numbers', () => {
    const rank = fc.oneof(fc.nat().map(String), fc.constantFrom('1.5', '-1', 'x', '3.0', '1e2', ''))
    const line = fc
      .tuple(id, space, id, space, rank, fc.constantFrom('', '\r', ' more'))
      .map(([q, a, d, b, r, end]) => `${q}${a}${d}${b}${r}${end}`)
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 10 }), (lines) => {
        const text = lines.join('\n')
        let expected: Row[] | string
        try {
          expected = plainRows(text, 'msmarco')
        } catch (error) {
          expect(() => rowsOf(text, 'msmarco', 100)).toThrow(`run:${(error as Error).message}: `)
          return
        }
        expect(rowsOf(text, 'msmarco', 100)).toEqual(expected)
      }),
      tries(400),
    )
  })

  test('reports the first error of a run', async () => {
    const file = join(folder, 'scattered.trec')
    writeFileSync(file, 'q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq3 Q0 a 1 1e400 t\n')
    const reading = (async () => {
      for await (const _ of streamRankings(file));
    })()
    await expect(reading).rejects.toThrow(`${file}:3: query q1 occurs again`)
  })

  test('reads lines longer than its window, and more rows than it reads at a time', () => {
    const long = 'd'.repeat(1_000_000)
    const text = `q1 Q0 ${long} 1 2 tag\n${'q2 Q0 d 1 2 t\n'.repeat(70_000)}q3 Q0 ${long} 1 2 tag`
    const rows = rowsOf(text, 'trec', text.length)
    expect(rows).toHaveLength(70_002)
    expect(rows[0]).toEqual(['q1', long, 2, 1])
    expect(rows[70_000]).toEqual(['q2', 'd', 2, 70_001])
    expect(rows[70_001]).toEqual(['q3', long, 2, 70_002])
  })
})

test('RunBuilder ranks by score, ties by id, descending, and finds documents that occur twice', () => {
  const row = fc.record({
    query: fc.constantFrom('a', 'b'),
    id: fc.string({ unit: fc.constantFrom('x', 'y', 'é'), minLength: 1, maxLength: 3 }),
    score: fc.constantFrom(-1, 0, -0, 1, 2),
  })
  const rows = fc.array(row, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(rows, fc.boolean(), fc.boolean(), (rows, sorted, grouped) => {
      if (sorted) rows.sort((a, b) => b.score - a.score || compare(b.id, a.id))
      if (grouped) rows.sort((a, b) => compare(a.query, b.query))
      const builder = new RunBuilder()
      for (const { query, id, score } of rows) builder.add({ query, ids: [id], scores: [score] })
      const own = (query: string) => rows.filter((row) => row.query === query)
      const twice = ['a', 'b'].some((query) => {
        const ids = own(query).map(({ id }) => id)
        return new Set(ids).size < ids.length
      })
      if (twice) {
        expect(() => builder.finish()).toThrow('twice')
        return
      }
      for (const { query, ids } of builder.finish()) {
        const ranked = own(query).sort((a, b) => b.score - a.score || compare(b.id, a.id))
        expect(ids).toEqual(ranked.map(({ id }) => id))
      }
    }),
    tries(1000),
  )
})

test('RunBuilder ranks the queries that are not sorted, in runs of any length', () => {
  const builder = new RunBuilder()
  const ranked = [...Array(700).keys()].map((i) => `d${i}`)
  const scores = ranked.map((_, i) => 1000 - i)
  for (let query = 0; query < 200; query++) {
    const sorted = query % 3 > 0
    const [ids, own] = sorted ? [ranked, scores] : [ranked.toReversed(), scores.toReversed()]
    builder.add({ query: `q${query}`, ids, scores: own })
  }
  const run = builder.finish()
  for (const { ids } of run) expect(ids).toEqual(ranked)
  builder.add({ query: 'q1', ids: ['d1'], scores: [0] })
  expect(() => builder.finish()).toThrow('query q1 has document d1 twice')
})

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

describe('RankingLines', () => {
  const written = (
    format: 'trec' | 'msmarco',
    ids: string[],
    scores: ArrayLike<number>,
  ): string => {
    const lines = new RankingLines({ file: 'out', format })
    lines.add({ query: 'q', ids, scores })
    return Buffer.from(lines.take()).toString()
  }

  test('writes scores in float32 with nine digits, as toPrecision does', () => {
    const check = (value: number): void => {
      const single = Math.fround(value)
      if (!Number.isFinite(single)) return
      const line = `q Q0 d 1 ${single.toPrecision(9)} kith\n`
      expect(written('trec', ['d'], Float32Array.of(single))).toBe(line)
    }
    const options = tries(2000)
    fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), check), options)
    fc.assert(fc.property(fc.float({ min: -10, max: 10, noNaN: true }), check), options)
    // Halves between two numbers of nine digits, and the ends of decades.
    for (let exponent = -9; exponent <= 10; exponent++) {
      for (const digits of [1, 1.5, 9.99999999, 9.999999995, 1.000000005, 1.234567885, 5]) {
        for (const sign of [1, -1]) check(sign * digits * 10 ** exponent)
      }
    }
    check(0)
    check(-0)
  })

  test('writes ids of any list, in any order, with ranks and scores', () => {
    const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(ids, fc.boolean(), fc.infiniteStream(score), (all, single, stream) => {
        const numbers = [...stream.take(all.length)].map(Number)
        const scores = single ? Float32Array.from(numbers) : Float64Array.from(numbers)
        if (!scores.every(Number.isFinite)) return
        const list = new IdList()
        for (const one of all.toReversed()) list.pushText(one)
        const rows = all.map((_, i) => all.length - 1 - i)
        const lines = new RankingLines({ file: 'out', format: 'trec' }, 'tag')
        // Ids of the list and strings in turn, and scores of both types.
        const others = single ? Float64Array.from(scores) : scores
        lines.add({ query: 'q1', ids: list, rows, scores })
        lines.add({ query: 'q2', ids: list, rows, scores: others })
        lines.add({ query: 'q3', ids: all, scores })
        lines.add({ query: 'q4', ids: list, rows, scores })
        const expected = ['q1', 'q2', 'q3', 'q4'].flatMap((query) =>
          all.map((one, i) => {
            const short = single && query !== 'q2'
            const digits = short ? scores[i]!.toPrecision(9) : String(scores[i])
            return `${query} Q0 ${one} ${i + 1} ${digits} tag\n`
          }),
        )
        expect(Buffer.from(lines.take()).toString()).toBe(expected.join(''))
        expect(lines.take()).toHaveLength(0)
      }),
      tries(400),
    )
  })

  test('writes more lines than it formats at a time', () => {
    const lines = new RankingLines({ file: 'out', format: 'trec' })
    const ids = [...Array(999).keys()].map(String)
    for (let query = 0; query < 40; query++) {
      lines.add({ query: String(query), ids, scores: Float32Array.from(ids, (_, i) => 2000 - i) })
    }
    const written = Buffer.from(lines.take()).toString().split('\n')
    expect(written).toHaveLength(40 * 999 + 1)
    for (const i of [0, 998, 999, 20_000, 40 * 999 - 1]) {
      const [query, rank] = [Math.floor(i / 999), i % 999]
      const score = (2000 - rank).toPrecision(9)
      expect(written[i]).toBe(`${query} Q0 ${rank} ${rank + 1} ${score} kith`)
    }
  })

  test('refuses missing scores', () => {
    const lines = new RankingLines({ file: 'out', format: 'trec' })
    lines.add({ query: 'q1', ids: ['a', 'b'], scores: [2, 1] })
    lines.take()
    lines.add({ query: 'q2', ids: ['a', 'b'], scores: [2] })
    expect(() => lines.take()).toThrow('query q2: the score of b must be finite')
  })

  test('writes MS MARCO lines, and ids longer than its memory', () => {
    const long = 'é'.repeat(100_000)
    expect(written('msmarco', ['d', long], [2, 1])).toBe(`q\td\t1\nq\t${long}\t2\n`)
  })

  test('refuses ids that are no columns', () => {
    for (const bad of ['', 'a b', 'a\tb', '\n']) {
      const list = new IdList()
      for (const one of ['a', bad]) list.pushText(one)
      const lines = new RankingLines({ file: 'out', format: 'trec' })
      lines.add({ query: 'q', ids: list, rows: [0, 1], scores: [2, 1] })
      expect(() => lines.take()).toThrow('does not fit into a column')
    }
    for (const bad of ['a\ud800', '\udc00']) {
      const lines = new RankingLines({ file: 'out', format: 'trec' })
      const adding = () => lines.add({ query: 'q', ids: ['a', bad], scores: [2, 1] })
      expect(adding).toThrow('does not fit into a column')
    }
    // A no-break space is no white space.
    expect(written('trec', ['é\u00a0'], [1])).toBe('q Q0 é\u00a0 1 1 kith\n')
  })
})

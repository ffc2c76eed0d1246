import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { FileError, writeAtomic } from '@kith/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuSeconds } from '../../../test/cpu-seconds.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { readQrels, readRun, writeQrels, writeRun } from '../src/index.ts'
import { filesIn, qrelsOf, runOf } from './support.ts'

const folder = temporaryFolder()
const fileOf = filesIn(folder)

const trec =
  '2 Q0 d1 1 0.5 tag\n2 Q0 d2 2 0.25 tag\n\n1\tQ0  ü 7 1e-3 tag more\n# comment\n2 Q0 d0 9 0.75 x\n'

describe('reading a run', () => {
  test.for([
    ['plain.trec', Buffer.from(trec)],
    ['packed.trec.gz', gzipSync(trec)],
    ['capitals.trec.GZ', gzipSync(trec)],
    ['packed-without-an-ending', gzipSync(trec)],
    ['comment.trec', Buffer.from(`\n# three more words\n${trec}`)],
    ['crlf.trec', Buffer.from(trec.replaceAll('\n', '\r\n'))],
    ['bom.trec', Buffer.from(`\ufeff${trec}`)],
    ['open-end.trec', Buffer.from(trec.trimEnd())],
  ] as const)('%s', async ([name, bytes]) => {
    const run = await readRun(await fileOf(name, bytes))
    expect(run.queries).toEqual(['2', '1'])
    expect(run.size).toBe(4)
    expect(run.get('2')!.ids).toEqual(['d0', 'd1', 'd2'])
    expect([...run].map(({ ids, scores }) => [ids, [...(scores as Float64Array)]])).toEqual([
      [
        ['d0', 'd1', 'd2'],
        [0.75, 0.5, 0.25],
      ],
      [['ü'], [0.001]],
    ])
    expect(run.has('3')).toBe(false)
    expect(run.get('3')).toBeUndefined()
  })

  test('ranks MS MARCO runs by rank', async () => {
    const run = await readRun(await fileOf('msmarco.tsv', '1\t7\t2\n1\t8\t1\n2\t7\t1\n'))
    expect(run.get('1')!.ids).toEqual(['8', '7'])
  })

  test('keeps the order of numeric ids in JSON', async () => {
    const text = '\ufeff{ "q\\u0041" : {"10":1.5,\n"9":-2e1} , "3": {"x\\"y": 3}, "1": {"a": 0}}\n'
    const run = await readRun(await fileOf('run.json', text))
    expect(run.queries).toEqual(['qA', '3', '1'])
    expect(run.get('qA')!.ids).toEqual(['10', '9'])
    expect(run.get('3')!.ids).toEqual(['x"y'])
  })

  test('reads the format in the options', async () => {
    const file = await fileOf('forced.txt', 'a b 3\n')
    expect((await readRun(file)).size).toBe(1)
    await expect(readRun(file, { format: 'trec' })).rejects.toThrow(/:1:/)
    await expect(readRun(file, { format: 'x' as never })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
  })

  test('reads lines and tokens that span chunks', async () => {
    const scores = Object.fromEntries(
      Array.from({ length: 60_000 }, (_, i) => [`document-${i}`, i / 7]),
    )
    const run = runOf({ q: scores, r: { a: 1 } })
    for (const name of ['large.trec', 'large.json', 'large.trec.gz']) {
      const file = join(folder, name)
      await writeRun(file, run)
      const again = (await readRun(file)).get('q')!
      expect(again.ids.join()).toBe(run.get('q')!.ids.join())
      expect(Array.from(again.scores).join()).toBe(Array.from(run.get('q')!.scores).join())
    }
  })
})

describe('reading a bad run fails with its position', () => {
  test.for([
    ['five.trec', '1 Q0 d 1 0.5 t\n1 Q0 d2 2 0.4\n', ':2: '],
    ['score.trec', '1 Q0 d 1 high t\n', ':1: '],
    ['nan.trec', '1 Q0 d 1 NaN t\n', ':1: '],
    ['inf.trec', '1 Q0 d 1 1e999 t\n', ':1: '],
    ['twice.trec', '1 Q0 d 1 3 t\n2 Q0 d 1 3 t\n\n1 Q0 d 2 2 t\n', ':4: '],
    ['rank.tsv', '1 2 1\n1 3 first\n', ':2: '],
    ['four.tsv', '1 2 1\n1 3 2 4\n', ':2: '],
    ['empty.trec', '', 'contains no rows'],
    ['broken.json', '{"a": {"b": 1}', ':1: expected , or }, got the end of the file'],
    ['twice.json', '{"a": {"b": 1,\n"b": 2}}', ':2: '],
    ['list.json', '[]', ':1: expected {, got "[]"'],
    ['text.json', '{"a": {"b": "1"}}', ':1: expected a score, got "\\"1\\"}}"'],
    ['comma.json', '{"a": {"b": 1,}}', ':1: expected a document id, got "}}"'],
    ['after.json', '{"a": {"b": 1}} x', ':1: expected the end, got "x"'],
    ['garbage.trec', '\0\x01\xff\x80 garbage', ':1: '],
  ] as const)('%s', async ([name, text, message]) => {
    const file = await fileOf(name, text)
    const place = message.startsWith(':') ? '' : ': '
    await expect(readRun(file)).rejects.toThrow(`${file}${place}${message}`)
  })

  test('refuses a very long row of digits as a number', async () => {
    const file = await fileOf('digits.trec', `1 Q0 d 1 ${'1'.repeat(600_000)}x t\n`)
    const read = () => expect(readRun(file)).rejects.toThrow(':1: score must be a number')
    expect(await cpuSeconds(read)).toBeLessThan(30)
  })

  test('names a missing file, a folder and a truncated archive', async () => {
    await expect(readRun(join(folder, 'none'))).rejects.toMatchObject({ code: 'BAD_FILE' })
    await expect(readRun(folder)).rejects.toMatchObject({ code: 'BAD_FILE' })
    const cut = await fileOf('cut.trec.gz', gzipSync(trec).subarray(0, 30))
    await expect(readRun(cut)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining(cut),
    })
  })
})

const id = fc
  .string({ minLength: 1, maxLength: 12 })
  .filter((text) => !/[\s#]|^[{\ufeff]/.test(text))
/** Text has no negative zero. */
const score = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0)
const anyRun = fc.dictionary(id, fc.dictionary(id, score, { minKeys: 1 }), { minKeys: 1 })

describe('writing a run', () => {
  test.for(['trec', 'json'] as const)('reads back %s runs as written', async (format) => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (scores) => {
        const run = runOf(scores)
        const file = join(folder, `round.${format}`)
        await writeRun(file, run, { format })
        const again = await readRun(file, { format })
        expect([...again]).toEqual([...run])
      }),
      { numRuns: 50 },
    )
  })

  test('keeps the order of MS MARCO runs', async () => {
    const file = join(folder, 'round.tsv.gz')
    const run = runOf({ q: { a: 1, b: 3, c: 2 } })
    await writeRun(file, run, { format: 'msmarco' })
    expect(gunzipSync(readFileSync(file)).toString()).toBe('q\tb\t1\nq\tc\t2\nq\ta\t3\n')
    expect((await readRun(file)).get('q')!.ids).toEqual(['b', 'c', 'a'])
  })

  test('refuses an id with white space', async () => {
    const file = join(folder, 'space.trec')
    await expect(writeRun(file, runOf({ q: { 'a b': 1 } }))).rejects.toThrow(
      'does not fit into a column',
    )
    expect(readdirSync(folder).filter((name) => name.startsWith('space'))).toEqual([])
  })

  test('reads back qrels as written', async () => {
    const qrels = qrelsOf({ q1: { a: 1, b: -1, c: 7 }, q2: { a: 0 } })
    for (const name of ['round.qrels', 'round.tsv', 'round.qrels.gz', 'round.tsv.gz']) {
      const file = join(folder, name)
      await writeQrels(file, qrels)
      expect(await readQrels(file)).toEqual(qrels)
    }
    expect(readFileSync(join(folder, 'round.tsv'), 'utf8')).toMatch(
      /^query-id\tcorpus-id\tscore\nq1\ta/,
    )
  })

  test('writes a file whole or not at all, and keeps the older file on failure', async () => {
    const file = await fileOf('whole.txt', 'old')
    const failing = writeAtomic(file, async (write) => {
      await write('new')
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
    await expect(writeAtomic(join(file, 'below'), async () => {})).rejects.toThrow(FileError)
  })
})

describe('writing refuses to lose data', () => {
  /** Takes an error of ours as the answer. */
  function refused(error: unknown): boolean {
    expect(error).toBeInstanceOf(FileError)
    return false
  }

  const anyId = fc.oneof(
    id,
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('', '#a', 'a b', '{', '\ufeffa', 'a\u00a0b', 'query-id', '1\n2'),
  )

  test.for(['trec', 'msmarco', 'json'] as const)('of %s runs with any ids', async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(anyId, fc.dictionary(anyId, fc.integer({ min: 0, max: 9 })), { minKeys: 1 }),
        async (scores) => {
          const run = runOf(scores)
          const file = join(folder, 'lost.run')
          const written = await writeRun(file, run, { format }).then(() => true, refused)
          if (!written || run.size === 0) return
          const back = await readRun(file)
          expect(back.queries).toEqual(run.queries)
          for (const query of run.queries) expect(back.get(query)!.ids).toEqual(run.get(query)!.ids)
        },
      ),
      { numRuns: 200, seed: 15 },
    )
  })

  test.for(['trec', 'beir'] as const)('of %s judgments with any ids', async (format) => {
    const grades = fc.dictionary(anyId, fc.integer(), { minKeys: 1 })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(anyId, grades, { minKeys: 1 }), async (judged) => {
        const file = join(folder, 'lost.qrels')
        const written = await writeQrels(file, qrelsOf(judged), { format }).then(
          () => true,
          refused,
        )
        if (written) expect(await readQrels(file)).toEqual(qrelsOf(judged))
      }),
      { numRuns: 200, seed: 15 },
    )
  })

  test('of ids that start a comment, scores that are not numbers, and queries without documents', async () => {
    const file = join(folder, 'refused.trec')
    const write = (run: Parameters<typeof runOf>[0]) => writeRun(file, runOf(run))
    await expect(write({ '#1': { a: 1 } })).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('"#"'),
    })
    await expect(write({ q: { a: Number.NaN } })).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('NaN'),
    })
    await expect(write({ p: {}, q: { a: 1 } })).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('query p'),
    })
    const qrels = join(folder, 'refused.qrels')
    await expect(writeQrels(qrels, qrelsOf({ '#1': { a: 1 } }))).rejects.toMatchObject({
      code: 'BAD_FILE',
    })
    await expect(writeQrels(qrels, qrelsOf({ q: { '\ud800': 1 } }))).rejects.toMatchObject({
      code: 'BAD_FILE',
    })
    await expect(writeQrels(qrels, qrelsOf({ q: { a: 0.5 } }))).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('0.5'),
    })
    await expect(writeRun(file, runOf({ q: { a: 1 } }), { tag: '' })).rejects.toThrow('tag ""')
  })

  test('refuses bytes that are not UTF-8, in any line and chunk', async () => {
    const good = '1 Q0 d 1 0.5 t\n'
    const latin1 = (text: string) => Buffer.from(text, 'latin1')
    const run = await fileOf('latin1.trec', latin1(`${good}1 Q0 caf\u00e9 2 0.4 t\n`))
    await expect(readRun(run)).rejects.toThrow(`${run}:2:`)
    const late = Array.from({ length: 90_000 }, (_, i) => `1 Q0 d${i} 1 0.5 t\n`).join('')
    await expect(readRun(await fileOf('late.trec', latin1(`${late}\u00e9`)))).rejects.toThrow(
      ':90001:',
    )
    const json = await fileOf('latin1.json', latin1('{"a": {"b": 1},\n"caf\u00e9": {"b": 1}}'))
    await expect(readRun(json)).rejects.toThrow(':2:')
    const half = await fileOf('half.json', '{"\\ud800": {"b": 1}}')
    await expect(readRun(half)).rejects.toThrow(':1:')
    await expect(readQrels(await fileOf('latin1.qrels', latin1('\u00e9 0 a 1\n')))).rejects.toThrow(
      'latin1.qrels:1:',
    )
  })
})

describe('reading qrels', () => {
  test.for([
    ['bad.qrels', '1 0 a 1\n1 0 b\n', ':2: '],
    ['grade.qrels', '1 0 a high\n', ':1: '],
    ['part.qrels', '1 0 a 1.5\n', ':1: '],
    ['twice.qrels', '1 0 a 1\n2 0 a 1\n1 0 a 2\n', ':3: '],
    ['header.tsv', 'query-id\tcorpus-id\tscore\n1\ta\tx\n', ':2: '],
    ['first.tsv', '1\ta\thigh\n1\tb\t1\n', ':1: '],
    ['none.tsv', 'query-id\tcorpus-id\tscore\n', ': contains no judgments'],
    ['space.tsv', 'q 1\td1\t1\nq 1\td2\t1\n', ':1: '],
  ] as const)('%s', async ([name, text, message]) => {
    await expect(readQrels(await fileOf(name, text))).rejects.toThrow(message)
  })

  test('reads ids that start with # in BEIR files', async () => {
    const file = await fileOf('number.tsv', 'query-id\tcorpus-id\tscore\n#1\ta\t2\n')
    expect(await readQrels(file)).toEqual(qrelsOf({ '#1': { a: 2 } }))
  })

  test('reads BEIR files without a header, with CRLF and with a byte order mark', async () => {
    const expected = qrelsOf({ '1': { a: 2, b: 0 } })
    const files = ['1\ta\t2\n1\tb\t0\n', '\ufeffquery-id\tcorpus-id\tscore\r\n1\ta\t2\r\n1\tb\t0']
    for (const [i, text] of files.entries()) {
      expect(await readQrels(await fileOf(`beir${i}.tsv`, text))).toEqual(expected)
    }
  })
})

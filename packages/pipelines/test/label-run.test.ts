import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { lockFile } from '@kith/base'
import { labelPresets, smoothLabels } from '@kith/core'
import { openEmbeddings, readQrels, readRun } from '@kith/ir'
import { readLabelsParquet } from '@kith/ir/internal'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import type { Hooks } from '../src/job/hooks.ts'
import { type LabelInputs, type LabelResult, labelRun } from '../src/labels/label-run.ts'
import { judged, judgedInputs, queries, writeJudged } from './label-data.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
beforeAll(() => writeJudged(folder))

const texts = { corpus: path('corpus.jsonl'), queryText: path('queries.jsonl') }
/** Makes labels; settings stand beside the other inputs. */
const labels = (
  out: string,
  { settings, ...more }: Partial<LabelInputs> = {},
  hooks: Hooks = {},
): Promise<LabelResult> =>
  labelRun({ ...judgedInputs(folder), out: path(out), settings, ...more }, hooks)
const read = (name: string): string => readFileSync(path(name), 'utf8')
const lines = (name: string): Record<string, unknown>[] =>
  read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('labels from files', () => {
  test('equal the labels of the core, with a summary', async () => {
    const settings = { contextSize: 20, labelDepth: 5 }
    const { summary, missing } = await labels('labels.jsonl', { settings })
    expect(summary).toMatchObject({
      ...{ position: queries, queries: judged.once },
      leftOut: { 'no ground truth': queries - judged.once },
    })
    expect(missing).toEqual([])
    const written = lines('labels.jsonl')
    expect(written.length).toBe(judged.once)
    const [run, qrels] = [await readRun(path('run.trec')), await readQrels(path('qrels.trec'))]
    const docs = await openEmbeddings(path('docs.npy'))
    const asked = await openEmbeddings(path('queries.npy'))
    const vectorOf = (id: string) => docs.read(docs.rowOf(id)!, docs.rowOf(id)! + 1)
    for (const entry of written.filter((_, i) => i % 30 === 0)) {
      const query = entry['query'] as string
      const truth = [...qrels.get(query)!].filter(([, grade]) => grade >= 1)
      const known = truth.map(([id]) => id)
      const others = run.get(query)!.ids.filter((id) => !known.includes(id))
      const context = [...known, ...others].slice(0, 20)
      const row = asked.rowOf(query)!
      const { kept, target, evidence } = smoothLabels(
        asked.read(row, row + 1),
        context.map(vectorOf),
        { candidates: [...known.keys()], grades: truth.map(([, grade]) => grade) },
        // As the run was searched.
        { ...labelPresets.balanced, ...settings, metric: 'dot' },
      )
      const seven = (values: Iterable<number>) =>
        Array.from(values, (value) => Number(value.toPrecision(7)))
      expect(entry).toEqual({
        query,
        docs: Array.from(kept, (candidate) => context[candidate]),
        labels: seven(target),
        evidence: seven(Array.from(kept, (candidate) => evidence[candidate]!)),
        groundTruth: known,
      })
    }
    await docs.close()
    await asked.close()
    const meta = JSON.parse(read('labels.jsonl.meta.json'))
    const whole = { from: 0, to: queries, total: queries }
    expect(meta).toMatchObject({ command: 'labels', queries: whole, summary })
    expect(meta.settings).toMatchObject({ ...settings, target: 'mixed' })
    expect(existsSync(path('labels.jsonl.partial'))).toBe(false)
    expect(existsSync(path('labels.jsonl.partial.json'))).toBe(false)
  })

  test('have the same bytes for any number of workers', async () => {
    await labels('one.jsonl', { workers: 1 })
    await labels('three.jsonl', { workers: 3 })
    expect(read('three.jsonl')).toBe(read('one.jsonl'))
  })

  test('have the same bytes for any number of workers with texts, compared and written', async () => {
    const both = { ...texts, texts: true, format: 'listwise' as const }
    await labels('one-texts.jsonl', { ...both, workers: 1 })
    await labels('two-texts.jsonl', { ...both, workers: 2 })
    expect(read('two-texts.jsonl')).toBe(read('one-texts.jsonl'))
    expect(lines('one-texts.jsonl').length).toBeGreaterThan(100)
  })

  test.each(['jsonl', 'jsonl.gz', 'parquet'])(
    'resume after a signal and end with the same bytes: %s',
    async (ending) => {
      const [whole, stopped] = [`undisturbed.${ending}`, `stopped.${ending}`]
      await labels(whole)
      const reason = new Error('enough')
      for (let stops = 0; stops < 2; stops++) {
        const stop = new AbortController()
        const hooks: Hooks = {
          signal: stop.signal,
          onProgress: ({ stage, total }) => {
            expect([stage, total]).toEqual(['labeling', queries])
            stop.abort(reason)
          },
        }
        // The part under way is saved before the signal is looked at.
        await expect(labels(stopped, {}, hooks)).rejects.toMatchObject({
          code: 'ABORTED',
          cause: reason,
        })
        expect(existsSync(path(stopped))).toBe(false)
      }
      const remarks: string[] = []
      const told: number[] = []
      await labels(
        stopped,
        {},
        {
          onRemark: (remark) => remarks.push(remark),
          onProgress: ({ done }) => told.push(done),
        },
      )
      expect(remarks).toContain(`resuming: ${told[0]} of 1200 queries are done`)
      expect(remarks).toContainEqual(
        expect.stringMatching(/^resuming: 11\d\d of 1200 queries are done$/),
      )
      expect(readFileSync(path(stopped)).equals(readFileSync(path(whole)))).toBe(true)
      expect(existsSync(path(`${stopped}.partial`))).toBe(false)
      if (ending !== 'jsonl.gz') return
      expect(gunzipSync(readFileSync(path(stopped))).toString()).toBe(read('undisturbed.jsonl'))
    },
  )

  test('start nothing if the signal was aborted before', async () => {
    const signal = AbortSignal.abort(new Error('no'))
    await expect(labels('never.jsonl', {}, { signal })).rejects.toThrow('no')
    expect(existsSync(path('never.jsonl'))).toBe(false)
  })

  test('resume only a file that the same command has begun', async () => {
    const settings = { labelDepth: 3 }
    await labels('other.jsonl', { settings })
    const whole = read('other.jsonl')
    rmSync(path('other.jsonl'))
    writeFileSync(path('other.jsonl.partial'), 'rubbish from another command\n')
    for (const journal of [
      '{"key":"another","bytes":5,"state":{"position":9}}',
      'not a journal',
      '{"key":"another"',
    ]) {
      writeFileSync(path('other.jsonl.partial.json'), journal)
      await labels('other.jsonl', { settings })
      expect(read('other.jsonl')).toBe(whole)
    }
  })

  test('keep the metadata of the earlier output if they fail', async () => {
    await labels('kept.jsonl')
    const before = [read('kept.jsonl'), read('kept.jsonl.meta.json')]
    writeFileSync(path('unknown.trec'), 'q0 Q0 nowhere 1 5 t\n')
    const failing = labels('kept.jsonl', { run: path('unknown.trec') })
    await expect(failing).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect([read('kept.jsonl'), read('kept.jsonl.meta.json')]).toEqual(before)
  })

  test('count and leave out a query with more ground truth than the context holds', async () => {
    const { summary } = await labels('narrow.jsonl', { settings: { contextSize: 1, k: 1 } })
    expect(summary.leftOut).toEqual({
      'no ground truth': queries - judged.once,
      'more ground truth than contextSize': judged.twice,
    })
    expect(summary.queries).toBe(judged.once - judged.twice)
    const meta = JSON.parse(read('narrow.jsonl.meta.json'))
    expect(meta.summary.leftOut).toEqual(summary.leftOut)
    expect(read('narrow.jsonl')).not.toContain('"q0"')
  })

  test('refuse a file that another process is writing', async () => {
    await labels('busy.jsonl')
    const whole = read('busy.jsonl')
    const lock = lockFile(path('busy.jsonl.partial'))
    await expect(labels('busy.jsonl')).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await lock.close()
    expect(read('busy.jsonl')).toBe(whole)
  })

  test('change if texts take part in the comparison', async () => {
    await labels('without-texts.jsonl')
    await labels('texts.jsonl', { texts: true, ...texts })
    expect(read('texts.jsonl')).not.toBe(read('without-texts.jsonl'))
  })
})

describe('labels from files with missing data', () => {
  const told = async (out: string, more: Partial<LabelInputs>) => {
    const remarks: string[] = []
    const result = await labels(out, more, { onRemark: (remark) => remarks.push(remark) })
    return { ...result, remarks }
  }

  test('are refused with the query, or the data is skipped and counted', async () => {
    writeFileSync(path('foreign.trec'), 'q0 Q0 nowhere 1 5 t\nq1 Q0 d1 1 5 t\nnew Q0 d1 1 5 t\n')
    writeFileSync(path('foreign-qrels.trec'), `${read('qrels.trec')}new 0 d1 1\nq1 0 lost 1\n`)
    const foreign = { run: path('foreign.trec'), qrels: path('foreign-qrels.trec') }
    await expect(labels('x', foreign)).rejects.toThrow(
      `${path('foreign.trec')}:1: query q0: 1 candidates of the run have no embedding in ${path('docs.npy')}: nowhere; pass missing: 'skip' to leave them out`,
    )
    const skipped = await told('x', { ...foreign, missing: 'skip' })
    expect(skipped.missing).toEqual([
      { what: 'candidates of the run have no embedding', count: 1, first: ['nowhere'] },
      { what: 'judged documents have no embedding', count: 1, first: ['lost'] },
      { what: 'queries of the run have no embedding', count: 1, first: ['new'] },
    ])
    expect(skipped.remarks).toContain('1 judged documents have no embedding: lost')
    expect(skipped.summary).toMatchObject({
      queries: 2,
      leftOut: { 'the query has no embedding': 1 },
    })
  })

  test('need no embedding of queries without ground truth', async () => {
    writeFileSync(path('unjudged.trec'), 'q1 Q0 d1 1 5 t\nnew Q0 d1 1 5 t\n')
    const { summary } = await labels('unjudged.jsonl', { run: path('unjudged.trec') })
    expect(summary).toMatchObject({ queries: 1, leftOut: { 'no ground truth': 1 } })
  })

  test('are refused or skip documents without a text', async () => {
    const some = read('corpus.jsonl').trimEnd().split('\n').slice(0, 150)
    writeFileSync(path('half.jsonl'), `${some.join('\n')}\n`)
    const half = { corpus: path('half.jsonl'), queryText: path('queries.jsonl') }
    const list = { ...half, format: 'listwise' } as const
    await expect(labels('h', list)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('half.jsonl'),
    })
    const skipped = await told('h', { ...list, missing: 'skip' })
    expect(skipped.summary.leftOut['a document has no text']).toBeGreaterThan(0)
    const [lost] = skipped.missing
    expect(lost).toMatchObject({ what: 'labeled documents have no text' })
    expect(skipped.remarks).toContainEqual(
      expect.stringMatching(`^${lost!.count} labeled documents have no text: `),
    )
    await expect(labels('h', { ...half, texts: true })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('half.jsonl'),
    })
    // Candidates without words drop out, queries stay.
    const compared = await told('h', { ...half, texts: true, missing: 'skip' })
    expect(compared.summary.queries).toBe(judged.once)
    expect(compared.missing).toMatchObject([{ what: 'candidates of the run have no text' }])
  })

  test('are refused or skip queries without a text', async () => {
    const some = read('queries.jsonl').trimEnd().split('\n').slice(0, 5)
    writeFileSync(path('five.jsonl'), `${some.join('\n')}\n`)
    const five = { corpus: path('corpus.jsonl'), queryText: path('five.jsonl') }
    const more = { ...five, missing: 'skip' } as const
    for (const way of [{ texts: true }, { format: 'listwise' } as const]) {
      const { summary, missing } = await told('h', { ...more, ...way })
      // Of the first five, the fourth has no judgment.
      expect(summary).toMatchObject({
        queries: 4,
        leftOut: { 'the query has no text': judged.once - 4 },
      })
      expect(missing).toMatchObject([
        { what: 'queries of the run have no text', count: judged.once - 4 },
      ])
    }
  })
})

describe('formats of labels', () => {
  test('tsv and parquet contain the same labels', async () => {
    await labels('same.jsonl')
    await labels('same.tsv')
    const flat = lines('same.jsonl').flatMap(({ query, docs, labels: target }) =>
      (docs as string[]).map((id, i) => `${query}\tQ0\t${id}\t${(target as number[])[i]}\n`),
    )
    expect(read('same.tsv')).toBe(flat.join(''))
    await labels('same.parquet')
    const rows = []
    for await (const row of readLabelsParquet(path('same.parquet'))) rows.push(row)
    expect(rows).toEqual(lines('same.jsonl'))
  })

  /** The ids of the documents in texts, which end with them. */
  const idsOf = (written: readonly unknown[]) =>
    written.map((text) => String(text).split(' ').pop()!)

  test('sentence-transformers contains logits whose softmax is the label, and real negatives', async () => {
    const settings = { labelDepth: 3 }
    await labels('plain.jsonl', { settings })
    const format = { format: 'sentence-transformers', ...texts } as const
    const { summary } = await labels('st.jsonl', { ...format, settings })
    expect(summary.leftOut).toEqual({ 'no ground truth': queries - judged.once })
    const plain = lines('plain.jsonl') as unknown as Entry[]
    lines('st.jsonl').forEach((row, i) => {
      const { docs, labels: target, query, groundTruth } = plain[i]!
      const { query: asked, label, ...columns } = row
      const names = ['positive', ...[1, 2, 3, 4].map((n) => `negative_${n}`)]
      expect(Object.keys(columns)).toEqual(names)
      expect(asked).toMatch(new RegExp(`text of ${query}$`))
      const [positive, ...negatives] = idsOf(Object.values(columns))
      expect(positive).toBe(docs.find((id) => groundTruth.includes(id)))
      const soft = docs.filter((id) => !groundTruth.includes(id))
      expect(negatives.slice(0, soft.length)).toEqual(soft)
      expect(negatives.filter((id) => groundTruth.includes(id))).toEqual([])
      expect(negatives.slice(soft.length).filter((id) => docs.includes(id))).toEqual([])
      const powers = (label as number[]).map(Math.exp)
      const labelOf = (id: string) => target[docs.indexOf(id)] ?? 0
      const sum = [positive!, ...soft].reduce((total, id) => total + labelOf(id), 0)
      ;[positive!, ...negatives].forEach((id, j) => {
        expect(powers[j]! / powers.reduce((x, y) => x + y, 0)).toBeCloseTo(labelOf(id) / sum, 5)
      })
    })
    // Without soft labels all negatives are the last of the context.
    const plainTargets = { ...format, negatives: 2, settings: { target: 'one-hot' } } as const
    await labels('one-hot.jsonl', plainTargets)
    expect(lines('one-hot.jsonl').length).toBe(judged.once)
  })

  test('hard-negatives: the nearest candidates without a label, in the order of the run', async () => {
    const settings = { labelDepth: 5 }
    await labels('plain.jsonl', { settings })
    const format = { format: 'hard-negatives', ...texts } as const
    const { summary } = await labels('hard.jsonl', { ...format, settings })
    const run = new Map<string, string[]>()
    for (const line of read('run.trec').trim().split('\n')) {
      const [query] = line.split(' ') as [string]
      run.set(query, [...(run.get(query) ?? []), line])
    }
    const all = (lines('plain.jsonl') as unknown as Entry[]).map((entry) => ({
      ...entry,
      candidates: run.get(entry.query)!.map((line) => line.split(' ')[2]!),
    }))
    // A judged document that the search did not find is no positive document.
    const positiveOf = ({ docs, groundTruth, candidates }: (typeof all)[number]) =>
      docs.find((id) => groundTruth.includes(id) && candidates.includes(id))
    const wanted = all.filter((entry) => positiveOf(entry) !== undefined)
    expect(wanted.length).toBeLessThan(all.length)
    expect(summary.queries).toBe(wanted.length)
    expect(summary.leftOut['no positive document']).toBe(all.length - wanted.length)
    lines('hard.jsonl').forEach((row, i) => {
      const { docs, groundTruth, candidates } = wanted[i]!
      const names = ['query', 'positive', ...[1, 2, 3, 4].map((n) => `negative_${n}`)]
      expect(Object.keys(row)).toEqual(names)
      const [, positive, ...negatives] = idsOf(Object.values(row))
      expect(positive).toBe(positiveOf(wanted[i]!))
      const left = candidates.filter((id) => !docs.includes(id) && !groundTruth.includes(id))
      expect(negatives).toEqual(left.slice(0, 4))
    })
    await expect(labels('hard.jsonl', { ...format, values: 'logit' })).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('values'),
    })
  })

  describe('of a query with more relevant documents than labels', () => {
    const many = () => {
      const run = read('run.trec').split('\n')
      const found = (query: string) =>
        run.filter((line) => line.startsWith(`${query} `)).map((line) => line.split(' ')[2]!)
      // Of 30 candidates the first 24, and all 30, are relevant.
      const judgments = [
        ...found('q0')
          .slice(0, 24)
          .map((id) => `q0 0 ${id} 1`),
        ...found('q1').map((id) => `q1 0 ${id} 1`),
      ]
      writeFileSync(path('many.trec'), `${judgments.join('\n')}\n`)
      return { qrels: path('many.trec'), ...texts, relevant: found('q0').slice(0, 24) }
    }

    test.each(['sentence-transformers', 'hard-negatives', 'listwise', 'tevatron'] as const)(
      '%s: negatives are not judged relevant, and a query without them is left out',
      async (format) => {
        const { relevant, ...inputs } = many()
        const { summary } = await labels('many.jsonl', { ...inputs, format, negatives: 6 })
        expect(summary).toMatchObject({ queries: 1, leftOut: { 'too few negatives': 1 } })
        const [row] = lines('many.jsonl')
        const tuple = () =>
          idsOf(Object.keys(row!).flatMap((name) => (name.startsWith('neg') ? row![name] : [])))
        const negatives = {
          'sentence-transformers': tuple,
          'hard-negatives': tuple,
          listwise: () =>
            idsOf(row!['docs'] as string[]).filter((_, i) => (row!['labels'] as number[])[i] === 0),
          tevatron: () => (row!['negative_passages'] as Passage[]).map(({ docid }) => docid),
        }[format]()
        expect(negatives.length).toBe(6)
        expect(negatives.filter((id) => relevant.includes(id))).toEqual([])
      },
    )

    test('takes no documents of a grade below the level as negatives', async () => {
      const { relevant, ...inputs } = many()
      const graded = read('many.trec').trim().split('\n').slice(0, 12)
      // The first two make the ground truth, the next ten are somewhat relevant.
      const lines3 = graded.map((line, i) => line.replace(/1$/, i < 2 ? '3' : '1'))
      writeFileSync(path('graded.trec'), `${lines3.join('\n')}\n`)
      const rows = { ...inputs, qrels: path('graded.trec'), level: 3, negatives: 18 }
      for (const target of ['one-hot', undefined] as const) {
        const settings = target && { target }
        await labels('graded.jsonl', { ...rows, settings, format: 'tevatron' })
        const [row] = lines('graded.jsonl')
        const negatives = (row!['negative_passages'] as Passage[]).map(({ docid }) => docid)
        expect(negatives.length).toBeGreaterThan(0)
        expect(negatives.filter((id) => relevant.slice(0, 12).includes(id))).toEqual([])
      }
    })

    test('refuses a run without any labels, and names the setting to change', async () => {
      const { relevant: _, ...inputs } = many()
      const format = 'sentence-transformers'
      const failing = labels('none.jsonl', { ...inputs, format, negatives: 7 })
      await expect(failing).rejects.toMatchObject({ code: 'BAD_INPUT' })
    })

    test('keeps all ground truth if labelDepth is smaller', async () => {
      const { relevant, ...inputs } = many()
      const { summary } = await labels('deep.jsonl', { ...inputs, settings: { labelDepth: 4 } })
      expect(summary.queries).toBe(2)
      const [first] = lines('deep.jsonl') as unknown as Entry[]
      expect(first!.docs.toSorted()).toEqual(relevant.toSorted())
    })
  })

  test('listwise and tevatron contain the texts', async () => {
    await labels('plain.jsonl')
    const plain = lines('plain.jsonl') as unknown as Entry[]
    await labels('list.jsonl', { format: 'listwise', ...texts })
    lines('list.jsonl').forEach((row, i) => {
      const { docs, labels: target } = plain[i]!
      const zeros = new Array((row['docs'] as string[]).length - docs.length).fill(0)
      expect(row['labels']).toEqual([...target, ...zeros])
      expect(idsOf(row['docs'] as string[]).slice(0, docs.length)).toEqual(docs)
      expect(zeros.length).toBe(6 - (docs.length - plain[i]!.groundTruth.length))
    })
    await labels('tevatron.jsonl', { format: 'tevatron', ...texts })
    lines('tevatron.jsonl').forEach((row, i) => {
      expect(row['query_id']).toBe(plain[i]!.query)
      const [positive, negative] = [
        row['positive_passages'],
        row['negative_passages'],
      ] as Passage[][]
      expect(positive!.map(({ docid }) => docid).toSorted()).toEqual(
        plain[i]!.groundTruth.toSorted(),
      )
      expect(negative!.length).toBe(6)
      expect([...positive!, ...negative!].reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1)
      expect(positive![0]).toMatchObject({ title: '', text: expect.stringContaining('topic') })
    })
  })
})

describe('labelRun refuses wrong inputs', () => {
  test.each<[string, Partial<LabelInputs>, string]>([
    ['a format without texts', { format: 'listwise' }, 'the format listwise needs texts'],
    ['negatives in a format without rows', { negatives: 3 }, 'leave out neg'],
    ['texts without texts', { texts: true }, 'needs texts; pass queryText and corpus'],
    ['a format that is none', { format: 'xml' as 'tsv' }, 'setting layout.format must be'],
    ['a share that is none', { shard: { index: 4, count: 3 } }, '1 ≤ index ≤ count, got 4/3'],
    ['a target that is none', { settings: { target: 'cosy' as 'mixed' } }, 'must be one of mixed'],
  ])('%s', async (_, more, problem) => {
    const failing = labels('x', more)
    await expect(failing).rejects.toMatchObject({ code: 'BAD_SETTING' })
    await expect(failing).rejects.toThrow(problem)
  })

  test('a run with a damaged line', async () => {
    writeFileSync(path('damaged.trec'), 'q0 Q0 d1 1 5 t\nq1 Q0 d1 1 many t\n')
    await expect(labels('x', { run: path('damaged.trec') })).rejects.toThrow(/damaged.trec:2:/)
  })

  test('documents from both a file and a store, or from neither', async () => {
    const both = labels('x', { store: 'postgres://localhost/kith' })
    await expect(both).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await expect(labels('x', { docs: undefined })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })
})

test('labels queries whose lines are not contiguous', async () => {
  const [a, b, c] = ['q0 Q0 d1 1 5 t', 'q0 Q0 d2 2 4 t', 'q1 Q0 d1 1 5 t']
  const written = await Promise.all(
    [
      [a, b, c],
      [a, c, b],
    ].map(async (rows, i) => {
      const run = path(`order${i}.trec`)
      writeFileSync(run, `${rows.join('\n')}\n`)
      await labels(`order${i}.jsonl`, { run })
      return lines(`order${i}.jsonl`)
    }),
  )
  expect(written[1]).toEqual(written[0])
  expect(written[0]!.length).toBeGreaterThan(0)
})

test('labels of a real dataset sum to 1 and keep the ground truth', async () => {
  const scifact = sharedCollection('scifact')
  if (!scifact) return
  const at = (name: string) => join(scifact, name)
  const model = 'embeddings/all-MiniLM-L6-v2'
  await labelRun({
    ...{ run: at(`${model}/top200.run.trec`), qrels: at('qrels/test.tsv') },
    ...{ queries: at(`${model}/queries.npy`), docs: at(`${model}/docs.npy`) },
    ...{ out: path('scifact.jsonl'), settings: { contextSize: 60 } },
  })
  const written = lines('scifact.jsonl') as unknown as Entry[]
  expect(written.length).toBe(300)
  for (const { docs, labels: target, groundTruth } of written) {
    expect(target.reduce((sum, label) => sum + label, 0)).toBeCloseTo(1, 5)
    for (const id of groundTruth) expect(docs).toContain(id)
  }
})

interface Entry {
  query: string
  docs: string[]
  labels: number[]
  groundTruth: string[]
}

interface Passage {
  docid: string
  score: number
}

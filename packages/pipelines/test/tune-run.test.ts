import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { methods } from '@kith/core/internal'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'
import { type TuneInputs, tuneRun } from '../src/tune/tune-run.ts'
import { writeTopics } from './topics.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const files = () => ({
  run: path('run.trec'),
  queries: path('queries.npy'),
  docs: path('docs.npy'),
})
const tune = (out: string, more: Partial<TuneInputs> = {}) =>
  tuneRun({ ...files(), qrels: path('topic.trec'), ...more, out: path(out) })

describe('tuneRun', () => {
  test('chooses between the default settings and no reranking with few judged queries', async () => {
    const { tuned, study, missing } = await tune('tuned.json')
    expect(tuned).toMatchObject({ verdict: 'default', measure: 'nDCG@10', queries: 20 })
    expect(tuned.heldOut.gain).toBeGreaterThan(0)
    expect({ study, missing }).toEqual({ study: path('tuned.json.study.jsonl'), missing: [] })
    expect(JSON.parse(read('tuned.json'))).toMatchObject({ verdict: 'default' })
    expect(JSON.parse(read('tuned.json.meta.json'))).toMatchObject({
      command: 'tune',
      settings: { measure: 'nDCG@10', strict: false, missing: 'error' },
    })
    await rerankRun({ ...files(), tuned, out: path('by-file.trec') })
    await rerankRun({ ...files(), out: path('by-default.trec') })
    expect(read('by-file.trec')).toBe(read('by-default.trec'))
  })

  test('reports that reranking hurts, and keeps the run', async () => {
    const { tuned } = await tune('keep.json', { qrels: path('as-it-is.trec') })
    expect(tuned.verdict).toBe('keep-run')
    const kept = await rerankRun({ ...files(), tuned, out: path('kept.trec') })
    expect(kept.kept).toEqual({ verdict: 'keep-run', reason: tuned.reason })
    const order = (name: string) => read(name).replace(/(\S+ Q0 \S+) .*/g, '$1')
    expect(order('kept.trec')).toBe(order('run.trec'))
    await rerankRun({ ...files(), tuned, force: true, out: path('forced.trec') })
    expect(order('forced.trec')).not.toBe(order('run.trec'))
  })

  test('refuses missing data, or counts it', async () => {
    const docs = await openEmbeddings(path('docs.npy'))
    const ids = Array.from({ length: 99 }, (_, row) => docs.idOf(row))
    await writeEmbeddings(path('fewer.npy'), { dimensions: 8, ids }, [docs.read(0, 99)])
    await docs.close()
    const fewer = { docs: path('fewer.npy') }
    await expect(tune('x.json', fewer)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('d99'),
    })
    const remarks: string[] = []
    const inputs = { ...files(), ...fewer, qrels: path('topic.trec'), missing: 'skip' as const }
    const { missing } = await tuneRun(
      { ...inputs, out: path('skipped.json') },
      { onRemark: (remark) => remarks.push(remark) },
    )
    expect(missing).toMatchObject([{ count: 1, first: ['d99'] }])
    expect(remarks).toContain('1 candidates of the run have no embedding: d99')
  })

  test('names wrong inputs', async () => {
    await expect(tune('x', { measure: 'nonsense' })).rejects.toThrow('nonsense')
    await expect(tune('x', { methods: ['fusion'] })).rejects.toThrow('fusion needs texts')
    await expect(tune('x', { methods: ['magic' as 'neighbor-rrf'] })).rejects.toThrow(
      'unknown method magic; methods: neighbors, fusion, rocchio',
    )
    await expect(tune('x', { corpus: path('run.trec') })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
    expect(existsSync(path('x'))).toBe(false)
    const reason = new Error('enough')
    const stopped = tuneRun(
      { ...files(), qrels: path('topic.trec'), out: path('x') },
      { signal: AbortSignal.abort(reason) },
    )
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
    expect(existsSync(path('x'))).toBe(false)
  })
})

const cranfield = sharedCollection('cranfield')

describe.skipIf(!cranfield)('tuneRun on Cranfield', () => {
  const at = (name: string): string => join(cranfield!, name)
  const model = 'embeddings/all-MiniLM-L6-v2'
  const inputs = () => ({
    run: at(`${model}/top200.run.trec`),
    queries: at(`${model}/queries.npy`),
    docs: at(`${model}/docs.npy`),
    qrels: at('qrels/test.trec'),
  })

  test('finds the same settings with any number of workers, and after a stop', async () => {
    const search = (out: string, more: Partial<TuneInputs>) =>
      tuneRun({ ...inputs(), out: path(out), folds: 3, ...more })
    await search('two.json', { trials: 16, workers: 2 })
    expect(JSON.parse(read('two.json'))).toMatchObject({ queries: 225, trials: 16, folds: 3 })
    await search('one.json', { trials: 16, workers: 1 })
    expect(read('one.json')).toBe(read('two.json'))
    // A study that has eight trials goes on with eight more, also where files have other paths.
    await search('part.json', { trials: 8 })
    const paths = Object.entries(inputs()).map(([name, file]) => [
      name,
      relative(process.cwd(), file),
    ])
    await search('part.json', { ...Object.fromEntries(paths), trials: 16 })
    expect(read('part.json')).toBe(read('two.json'))
  })

  test('chooses among methods, and rerankRun applies the choice', async () => {
    const words = { corpus: at('corpus.jsonl'), queryText: at('queries.jsonl') }
    const study = path('methods.jsonl')
    const plan = { methods: 'all' as const, trials: 16, folds: 2, study }
    const { tuned } = await tuneRun({ ...inputs(), ...words, ...plan, out: path('methods.json') })
    expect(methods).toContain(tuned.settings.method)
    const tried = read('methods.jsonl')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).parameters.method)
    expect(new Set(tried).size).toBeGreaterThan(3)
    const out = path('tuned.trec')
    const { figures } = await rerankRun({ ...inputs(), ...words, tuned, out })
    expect(figures!.evaluations[1].evaluation.mean['nDCG@10']).toBeGreaterThan(0.4)
  })
})

import { below, fraction, hashedWords, normal } from '@kith/base/random'
import { prepareText, resolveMethodSettings, type Settings, termStatistics } from '@kith/core'
import { evaluate, openEmbeddings, readQrels, readRun, readTexts } from '@kith/ir'
import { describe, expect, test } from 'vitest'
import { sharedCollection } from '../../../test/files.ts'
import { collect } from '../../pipelines/src/tune/collect.ts'
import { createEvaluator, type Evaluator } from '../src/evaluate/evaluator.ts'
import { tune } from '../src/tune.ts'
import { meanOf, type PairedTest, pairedTest } from '../src/verdict.ts'
import { objective, randomCollection } from './support.ts'

const measure = 'nDCG@10'

/**
 * Every query likes some settings by chance: with enough trials, some please the queries at hand
 * and no others. `gain` is what λ near 0.45 is worth to all queries alike.
 */
function capricious(seed: number, queries: number, gain = 0) {
  const words = hashedWords(seed, 7)
  const tastes = Array.from({ length: queries }, () => ({
    level: 0.4 + 0.1 * normal(words),
    lambda: 12 * normal(words),
    k: 3 * normal(words),
    size: 3 * normal(words),
    phase: 2 * Math.PI * fraction(words),
  }))
  const value = (query: number, { lambda, k, contextSize }: Settings): number => {
    const taste = tastes[query]!
    const angle =
      taste.phase +
      taste.lambda * lambda +
      taste.k * Math.log(k) +
      taste.size * Math.log(contextSize)
    return taste.level + 0.1 * Math.sin(angle) + gain * Math.exp(-(((lambda - 0.45) / 0.1) ** 2))
  }
  return objective(queries, value, (query) => tastes[query]!.level)
}

describe('tune does not advise tuned settings', () => {
  test('that fit the training queries by chance', async () => {
    const seeds = 60
    let tuned = 0
    let fooled = 0
    for (let seed = 0; seed < seeds; seed++) {
      const evaluator = capricious(seed, 80)
      const { verdict } = await tune(evaluator, { measure, seed, trials: 40, folds: 4 })
      if (verdict === 'tuned') tuned++
      if ((await judgedByItsOwnQueries(evaluator, seed)).t > 2) fooled++
    }
    expect(tuned / seeds).toBeLessThanOrEqual(0.05)
    // The same trap catches who judges the best settings by the queries that chose them.
    expect(fooled / seeds).toBeGreaterThan(0.2)
  })

  test('for random vectors and judgments', async () => {
    let tuned = 0
    const seeds = 12
    for (let seed = 0; seed < seeds; seed++) {
      const collection = randomCollection(seed, { queries: 60, candidates: 15, dimensions: 4 })
      const evaluator = createEvaluator(collection, { measure, workers: 0 })
      // Its vectors have all lengths, and its order says nothing of a metric.
      const base = resolveMethodSettings({ metric: 'dot' })
      const { verdict } = await tune(evaluator, { measure, base, seed, trials: 32, folds: 3 })
      if (verdict === 'tuned') tuned++
    }
    expect(tuned).toBeLessThanOrEqual(1)
  })
})

/** The evidence for the best of some settings on the very queries that chose it. */
async function judgedByItsOwnQueries(evaluator: Evaluator, seed: number): Promise<PairedTest> {
  const words = hashedWords(seed, 8)
  const settings = Array.from({ length: 48 }, () => ({
    ...resolveMethodSettings(),
    lambda: 0.3 + 0.7 * fraction(words),
    k: 2 + below(40, words),
  }))
  const [standard, ...others] = await evaluator.evaluate([resolveMethodSettings(), ...settings])
  const best = others.reduce((a, b) => (meanOf(b) > meanOf(a) ? b : a))
  return pairedTest(standard!, best)
}

test('finds a real gain, and estimates its size on held-out queries', async () => {
  const evaluator = capricious(1, 300, 0.08)
  const result = await tune(evaluator, { measure, seed: 1, trials: 80 })
  expect(result).toMatchObject({ verdict: 'tuned', candidate: 'tuned', queries: 300, folds: 5 })
  expect(Math.abs(result.settings.lambda - 0.45)).toBeLessThan(0.1)
  const { overDefault, gain, ci, baseline, tuned } = result.heldOut
  expect(overDefault!.t).toBeGreaterThan(2)
  expect(gain).toBeCloseTo(tuned! - baseline, 10)
  expect(ci[0] < 0.08 && 0.08 < ci[1] + 0.02).toBe(true)
})

test('searches with 51 queries, but not with 50', async () => {
  const searched = async (queries: number) => {
    let calls = 0
    const evaluator = capricious(3, queries, 0.08)
    const { evaluate } = evaluator
    evaluator.evaluate = (settings) => {
      calls += settings.length
      return evaluate(settings)
    }
    const result = await tune(evaluator, { measure, trials: 16 })
    return { calls, ...result }
  }
  expect(await searched(50)).toMatchObject({
    calls: 1,
    trials: 0,
    folds: 0,
    settings: resolveMethodSettings(),
  })
  const more = await searched(51)
  expect(more.calls).toBeGreaterThan(16)
  expect(more.trials).toBe(16)
})

test('advises no reranking if the default harms, also with few queries', async () => {
  for (const queries of [30, 120]) {
    const evaluator = objective(
      queries,
      (query, { lambda }) =>
        0.4 + 0.01 * (query % 3) - (lambda < 1 ? 0.05 + 0.01 * (query % 2) : 0),
      (query) => 0.4 + 0.01 * (query % 3),
    )
    const { verdict } = await tune(evaluator, { measure, trials: 16 })
    expect(verdict).toBe('keep-run')
  }
})

test('refuses wrong options', async () => {
  const evaluator = capricious(1, 60)
  await expect(tune(evaluator, { measure, trials: 0 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  await expect(tune(evaluator, { measure, seed: -1 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  await expect(tune(evaluator, { measure, folds: 61 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  await expect(tune(evaluator, { measure, base: { k: 0 } })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  await expect(tune(capricious(1, 1), { measure })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  const space = { k: { kind: 'integer', from: 9, to: 2 } } as const
  await expect(tune(evaluator, { measure, space })).rejects.toMatchObject({ code: 'BAD_SETTING' })
})

const folder = sharedCollection('cranfield')

test('leaves out words that harm and keeps embeddings that help, with few queries and texts', async () => {
  const noisy = (query: number) => ((query * 7) % 5) / 100
  const withTexts = (...given: Parameters<typeof objective>) => ({
    ...objective(...given),
    texts: true,
  })
  const worse = withTexts(
    30,
    (query, { views }) => 0.5 + noisy(query) * 2 + (views ? 0.03 : -0.05),
    (query) => 0.5 + noisy(query),
  )
  const tuned = await tune(worse, { measure })
  expect(tuned).toMatchObject({ verdict: 'tuned', texts: false, trials: 0 })
  expect(tuned.settings.views).toEqual({ vectors: { graph: 1, score: 1 } })
  const helpful = withTexts(30, (query) => 0.6 + noisy(query), noisy)
  expect(await tune(helpful, { measure })).toMatchObject({ verdict: 'default', texts: true })
  const harmful = withTexts(30, noisy, (query) => 0.6 + noisy(query) / 2)
  expect(await tune(harmful, { measure })).toMatchObject({ verdict: 'keep-run' })
})

describe.skipIf(!folder)('tune on Cranfield', () => {
  const vectors = `${folder}/embeddings/all-MiniLM-L6-v2`

  async function inputs() {
    return {
      run: await readRun(`${vectors}/top200.run.trec`),
      qrels: await readQrels(`${folder}/qrels/test.trec`),
      queries: await openEmbeddings(`${vectors}/queries.npy`),
      docs: await openEmbeddings(`${vectors}/docs.npy`),
    }
  }

  test('reaches the recorded figures with vectors, and the same verdict for any number of workers', async () => {
    const given = await inputs()
    const { collection, report } = collect({ ...given, largest: 60 })
    expect(report.list()).toEqual([])
    const results = []
    for (const workers of [0, 2]) {
      const evaluator = createEvaluator(collection, { measure, workers })
      results.push(await tune(evaluator, { measure, trials: 8, folds: 3, seed: 1 }))
      await evaluator.close()
    }
    expect(results[0]).toEqual(results[1])
    const { heldOut, verdict, queries } = results[0]!
    expect(heldOut.baseline).toBeCloseTo(
      evaluate(given.qrels, given.run, [measure]).mean[measure]!,
      10,
    )
    expect(heldOut.default).toBeCloseTo(0.395, 3)
    expect({ verdict, queries }).toEqual({ verdict: 'default', queries: 225 })
  })

  test('reaches the recorded figure of the default with texts', async () => {
    const texts = async (file: string) => {
      const all = new Map<string, ReturnType<typeof prepareText>>()
      for await (const { id, title, text } of readTexts(file)) {
        all.set(id, prepareText(title ? `${title} ${text}` : text))
      }
      return all
    }
    const queryTexts = await texts(`${folder}/queries.jsonl`)
    const docTexts = await texts(`${folder}/corpus.jsonl`)
    const { collection } = collect({
      ...(await inputs()),
      texts: [
        {
          query: (id) => queryTexts.get(id),
          document: (id) => docTexts.get(id),
          statistics: termStatistics(docTexts.values()),
        },
      ],
      largest: 200,
    })
    const evaluator = createEvaluator(collection, { measure, workers: 0 })
    const [values] = await evaluator.evaluate([resolveMethodSettings()])
    // docs/method.md section 4: with the collection's statistics and preselection.
    expect(meanOf(values!)).toBeCloseTo(0.439, 3)
  })
})

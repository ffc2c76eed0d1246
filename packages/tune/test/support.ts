import { below, hashedWords, normal } from '@kith/base/random'
import { prepareText, type Settings } from '@kith/core'
import { shareTexts } from '@kith/ir/internal'
import type { TrialCollection, TrialQuery } from '../src/evaluate/collection.ts'
import type { Evaluator } from '../src/evaluate/evaluator.ts'

/** A collection of random vectors, texts and grades: no settings are better than others, except by chance. */
export function randomCollection(
  seed: number,
  { queries = 60, candidates = 20, dimensions = 6, texts = false } = {},
): TrialCollection {
  const source = hashedWords(seed, 99)
  const numbers = (length: number) => {
    const array = new Float32Array(new SharedArrayBuffer(length * 4))
    return array.map(() => normal(source))
  }
  const words = (count: number) =>
    Array.from({ length: count }, () =>
      prepareText(Array.from({ length: 8 }, () => `w${below(30, source)}`).join(' ')),
    )
  const list = Array.from({ length: queries }, (_, row): TrialQuery => {
    const grades = Float64Array.from({ length: candidates }, () => below(4, source) - 1)
    return {
      id: `q${row}`,
      row,
      docs: Uint32Array.from({ length: candidates }, (_, i) => row * candidates + i),
      places: Uint32Array.from({ length: candidates }, (_, i) => i),
      grades,
      ideal: grades
        .filter((grade) => grade >= 0)
        .sort()
        .reverse(),
    }
  })
  return {
    dimensions,
    list,
    queries: numbers(queries * dimensions),
    docs: numbers(queries * candidates * dimensions),
    texts: texts
      ? [{ queries: shareTexts(words(queries)), docs: shareTexts(words(queries * candidates)) }]
      : undefined,
  }
}

/** An evaluator of any function of query and settings. */
export function objective(
  queries: number,
  value: (query: number, settings: Settings) => number,
  baseline: (query: number) => number,
): Evaluator {
  const all = [...new Array(queries).keys()]
  return {
    queries,
    largest: 100,
    texts: false,
    tokenizers: [],
    baseline: Float64Array.from(all, baseline),
    evaluate: async (settings) =>
      settings.map((some) => Float64Array.from(all, (query) => value(query, some))),
    async close() {},
    async [Symbol.asyncDispose]() {},
  }
}

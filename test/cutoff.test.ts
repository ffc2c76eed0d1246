import { background, prepareText, shortlist, termStatistics } from '@kith/core'
import { describe, expect, test } from 'vitest'
import { haveDatasets, readDataset } from '../packages/core/test/real-datasets.ts'
import { thorough } from './thorough.ts'

/** Queries that are asked of each dataset. */
const SOME = 40

// Test judgments report: the bounds are loose, and nothing is chosen by them.
const bounds = {
  cranfield: { f1: 0.38, kept: 0.85, refused: 0.95 },
  cisi: { f1: 0.42, kept: 0.9, refused: 0.95 },
  scifact: { f1: 0.25, kept: 0.8, refused: 0.95 },
  'trec-dl-2019-judged': { f1: 0.5, kept: 0.9, refused: 0.85 },
  nfcorpus: { f1: 0.42, kept: 0.35, refused: 0.95 },
}

const names = Object.keys(bounds) as (keyof typeof bounds)[]

describe.skipIf(!haveDatasets)('estimated relevance on shared datasets', () => {
  const [cranfield, cisi] = haveDatasets ? [readDataset('cranfield'), readDataset('cisi')] : []

  test.each(thorough ? names : names.slice(0, 2))(
    'keeps relevant hits of %s, and finds queries about other subjects off topic',
    (name) => {
      const { texts, documents, queries } =
        name === 'cranfield' ? cranfield! : name === 'cisi' ? cisi! : readDataset(name)
      const prepared = texts.map((text) => prepareText(text))
      const statistics = termStatistics(prepared)
      const options = { background: background(documents), statistics, cutoff: 'auto' } as const
      const level = name.startsWith('trec') ? 2 : 1
      const found = every(queries).map(({ vector, text, candidates, vectors, grades }) => {
        const own = candidates.map((row) => prepared[row]!)
        const list = shortlist({ vector, text }, { vectors, texts: own }, options)
        const isRelevant = ({ index }: { index: number }) =>
          (grades.get(candidates[index]!) ?? 0) >= level
        const relevant = [...list.hits, ...list.below].slice(0, 20).filter(isRelevant).length
        const kept = list.hits.filter(isRelevant).length
        return { onTopic: list.onTopic!, relevant, f1: (2 * kept) / (list.hits.length + relevant) }
      })
      const answered = found.filter(({ relevant }) => relevant > 0)
      const strangers = every((name === 'cranfield' ? cisi : cranfield)!.queries).map(
        ({ vector, text }) => {
          const nearest = documents
            .map((document, row) => ({ row, dot: dot(vector, document) }))
            .sort((a, b) => b.dot - a.dot)
            .slice(0, 200)
          const vectors = nearest.map(({ row }) => documents[row]!)
          const own = nearest.map(({ row }) => prepared[row]!)
          return shortlist({ vector, text }, { vectors, texts: own }, options).onTopic!
        },
      )
      const { f1, kept, refused } = bounds[name]
      expect(mean(answered.map((one) => one.f1))).toBeGreaterThan(f1)
      expect(mean(found.map(({ onTopic }) => Number(onTopic >= 0.5)))).toBeGreaterThan(kept)
      expect(mean(strangers.map((onTopic) => Number(onTopic < 0.5)))).toBeGreaterThanOrEqual(
        refused,
      )
    },
  )
})

/** Some of a list, evenly over it. */
function every<T>(list: readonly T[]): T[] {
  const count = Math.min(SOME, list.length)
  return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]!)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!
  return sum
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

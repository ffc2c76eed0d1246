import { type PartialSettings, prepareText, presets, Reranker, termStatistics } from '@kith/core'
import { describe, expect, test } from 'vitest'
import { haveDatasets, readDataset } from '../packages/core/test/real-datasets.ts'
import { thorough } from './thorough.ts'

/** nDCG@10 with MiniLM: the preset balanced-2, and the default with statistics and preselection (docs/results.md). */
const figures = {
  cranfield: {
    alone: [0.4288, 0.4369],
    statistics: [0.4352, 0.4362],
    preselected: 0.4365,
    third: 0.4423,
  },
  cisi: {
    alone: [0.4461, 0.4476],
    statistics: [0.4524, 0.457],
    preselected: 0.45,
    third: 0.4583,
  },
  scifact: {
    alone: [0.7043, 0.7073],
    statistics: [0.694, 0.7034],
    preselected: 0.7157,
    third: 0.7225,
  },
  'trec-dl-2019-judged': {
    alone: [0.6913, 0.6793],
    statistics: [0.6874, 0.6806],
    preselected: 0.6859,
    third: 0.6886,
  },
} as const

const WITHIN = 0.0005
const THIRD_WITHIN = 0.001

const entries = Object.entries(figures)

describe.skipIf(!haveDatasets).each(thorough ? entries : entries.slice(0, 2))(
  'nDCG@10 on %s',
  (name, expected) => {
    test('has its recorded values for the context alone, with statistics, with preselection, and in the third generation', () => {
      const { texts, queries } = readDataset(name)
      const prepared = texts.map((text) => prepareText(text))
      const statistics = termStatistics(prepared)
      const measured = (settings: PartialSettings, others = presets['balanced-2']): number => {
        const reranker = new Reranker({ ...others, ...settings })
        const sum = queries.reduce((whole, { vector, text, candidates, vectors, grades }) => {
          const own = candidates.map((row) => prepared[row]!)
          const { order } = reranker.rerank({ vector, text }, { vectors, texts: own })
          return (
            whole +
            ndcg(
              Array.from(order.subarray(0, 10), (i) => candidates[i]!),
              grades,
            )
          )
        }, 0)
        return sum / queries.length
      }
      const weights = [0.4, 0.5]
      const actual = {
        alone: weights.map((bm25Weight) => measured({ bm25Weight })),
        statistics: weights.map((bm25Weight) => measured({ bm25Weight, statistics, preselect: 0 })),
        preselected: measured({ statistics }),
        third: measured({ statistics }, presets.balanced),
      }
      const gaps = [
        ...actual.alone.map((value, i) => value - expected.alone[i]!),
        ...actual.statistics.map((value, i) => value - expected.statistics[i]!),
        actual.preselected - expected.preselected,
      ].map(Math.abs)
      expect(Math.max(...gaps), JSON.stringify(actual)).toBeLessThan(WITHIN)
      expect(Math.abs(actual.third - expected.third)).toBeLessThan(THIRD_WITHIN)
    })
  },
)

function ndcg(ranked: readonly number[], grades: ReadonlyMap<number, number>): number {
  const gain = (grade: number, place: number): number => grade / Math.log2(place + 2)
  const found = ranked.reduce((sum, row, i) => sum + gain(grades.get(row) ?? 0, i), 0)
  const ideal = [...grades.values()]
    .sort((a, b) => b - a)
    .slice(0, ranked.length)
    .reduce((sum, grade, i) => sum + gain(grade, i), 0)
  return found / ideal
}

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  type PartialSettings,
  prepareText,
  presets,
  Reranker,
  type TitledText,
  termStatistics,
} from '../src/index.ts'

/** nDCG@10 that METHOD.md states, MiniLM: the second generation, and the third with statistics and preselection. */
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
const FIRST = 200

const data = fileURLToPath(new URL('../../../../shared/data', import.meta.url))
const there = existsSync(data)
if (!there) console.warn(`skipped: no real collections at ${data}`)

describe.skipIf(!there).each(Object.entries(figures))('nDCG@10 on %s', (name, expected) => {
  test('the context alone, with statistics, with preselection, and the third generation', {
    timeout: 60_000,
  }, () => {
    const { texts, queries } = readCollection(`${data}/${name}`)
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
})

/** A judged query with its nearest documents, by their row. */
interface JudgedQuery {
  vector: Float32Array
  text: string
  candidates: number[]
  vectors: Float32Array[]
  grades: ReadonlyMap<number, number>
}

function readCollection(folder: string): { texts: TitledText[]; queries: JudgedQuery[] } {
  const embeddings = `${folder}/embeddings/all-MiniLM-L6-v2`
  const documents = readRows(`${embeddings}/docs.npy`)
  const queryRows = readRows(`${embeddings}/queries.npy`)
  const rowOf = new Map(readLines(`${embeddings}/docs.ids.txt`).map((id, row) => [id, row]))
  const texts: TitledText[] = documents.map(() => ({ text: '' }))
  for (const { _id, title, text } of readJson(`${folder}/corpus.jsonl`)) {
    texts[rowOf.get(_id!)!] = { title, text: text! }
  }
  const queryTexts = new Map(
    readJson(`${folder}/queries.jsonl`).map(({ _id, text }) => [_id, text]),
  )
  const judged = new Map<string, Map<number, number>>()
  for (const line of readLines(`${folder}/qrels/test.tsv`).slice(1)) {
    const [query, document, grade] = line.split('\t')
    if (!judged.has(query!)) judged.set(query!, new Map())
    judged.get(query!)!.set(rowOf.get(document!) ?? -1, Number(grade))
  }
  const queries = readLines(`${embeddings}/queries.ids.txt`).flatMap((id, row): JudgedQuery[] => {
    const grades = judged.get(id)
    if (!grades || ![...grades.values()].some((grade) => grade > 0)) return []
    const vector = queryRows[row]!
    const candidates = nearest(vector, documents)
    const vectors = candidates.map((document) => documents[document]!)
    return [{ vector, text: queryTexts.get(id)!, candidates, vectors, grades }]
  })
  return { texts, queries }
}

/** The rows with the largest inner products, ties by the earlier row. */
function nearest(query: Float32Array, documents: readonly Float32Array[]): number[] {
  const scores = Float32Array.from(documents, (document) => {
    let sum = 0
    for (let i = 0; i < query.length; i++) sum += query[i]! * document[i]!
    return sum
  })
  const cut = scores.toSorted().at(-Math.min(FIRST, scores.length))!
  return Array.from(scores.keys())
    .filter((row) => scores[row]! >= cut)
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .slice(0, FIRST)
}

/** The rows of a matrix of float32 in NumPy's format. */
function readRows(file: string): Float32Array[] {
  const bytes = readFileSync(file)
  const start = 10 + bytes.readUInt16LE(8)
  const head = bytes.toString('latin1', 10, start)
  const [, rows, columns] = /'<f4'.*\((\d+), (\d+)\)/.exec(head)!.map(Number)
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset + start))
  return Array.from({ length: rows! }, (_, row) =>
    numbers.subarray(row * columns!, (row + 1) * columns!),
  )
}

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n')
}

function readJson(file: string): Record<string, string>[] {
  return readLines(file).map((line) => JSON.parse(line))
}

function ndcg(ranked: readonly number[], grades: ReadonlyMap<number, number>): number {
  const gain = (grade: number, place: number): number => grade / Math.log2(place + 2)
  const found = ranked.reduce((sum, row, i) => sum + gain(grades.get(row) ?? 0, i), 0)
  const ideal = [...grades.values()]
    .sort((a, b) => b - a)
    .slice(0, ranked.length)
    .reduce((sum, grade, i) => sum + gain(grade, i), 0)
  return found / ideal
}

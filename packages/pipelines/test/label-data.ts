import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import type { LabelInputs } from '../src/labels/label-run.ts'
import { searchRun } from '../src/search/search-run.ts'

const documents = 300
const dimensions = 12

/** Queries of the tests with labels: more than two parts of a file. */
export const queries = 1200

/** Those with judgments, and those of them with two relevant documents. */
export const judged = { once: 1080, twice: 155 }

/**
 * Writes 1,200 queries over 300 documents into a folder; every tenth query has no judgment, every
 * seventh two. Each query has 30 candidates.
 */
export async function writeJudged(folder: string): Promise<void> {
  const path = (name: string): string => join(folder, name)
  const vector = (i: number, sway: number) =>
    Float32Array.from(
      { length: dimensions },
      (_, j) => (j === i % dimensions ? 1 : 0) + Math.sin(i * 7 + j * 3 + sway) * 0.4,
    )
  const rows = (count: number, sway: number) =>
    Array.from({ length: count }, (_, i) => vector(i, sway))
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const text = (letter: string, count: number) =>
    ids(count, letter)
      .map((id, i) => `${JSON.stringify({ _id: id, text: `topic ${i % 12} text of ${id}` })}\n`)
      .join('')
  const [docs, asked] = [ids(documents, 'd'), ids(queries, 'q')]
  await writeEmbeddings(path('docs.npy'), { dimensions, ids: docs }, rows(documents, 0))
  await writeEmbeddings(path('queries.npy'), { dimensions, ids: asked }, rows(queries, 1))
  writeFileSync(path('corpus.jsonl'), text('d', documents))
  writeFileSync(path('queries.jsonl'), text('q', queries))
  const lines: string[] = []
  for (let q = 0; q < queries; q++) {
    if (q % 10 === 3) continue
    lines.push(`q${q} 0 d${q % 12} 1`)
    if (q % 7 === 0) lines.push(`q${q} 0 d${12 + (q % 12)} 2`)
    lines.push(`q${q} 0 d${(q + 5) % 12} 0`)
  }
  writeFileSync(path('qrels.trec'), `${lines.join('\n')}\n`)
  const files = { queries: path('queries.npy'), docs: path('docs.npy') }
  await searchRun({ ...files, top: 30, out: path('run.trec'), workers: 1 })
}

/** The inputs of labels that `writeJudged` has written. */
export function judgedInputs(folder: string): LabelInputs {
  const path = (name: string): string => join(folder, name)
  return {
    ...{ run: path('run.trec'), queries: path('queries.npy'), docs: path('docs.npy') },
    ...{ qrels: path('qrels.trec'), out: path('labels.jsonl'), workers: 1 },
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { searchRun } from '../src/search/search-run.ts'

/** Documents and queries of the tests with stores. */
export const sizes = { documents: 300, queries: 200, dimensions: 12 }

/**
 * Writes a small collection into a folder: embeddings, texts, judgments (none for every tenth
 * query), and a run of 40 candidates. The document `poison` is a candidate of `q7` alone.
 */
export async function writeCollection(folder: string, queries = sizes.queries): Promise<void> {
  const { documents, dimensions } = sizes
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
  const texts = (names: readonly string[]) =>
    names
      .map((_id, i) => {
        const title = i % 3 === 0 ? { title: `about ${i % 5}` } : {}
        return `${JSON.stringify({ _id, ...title, text: `topic ${i % 12} text of ${_id}` })}\n`
      })
      .join('')
  await writeEmbeddings(
    path('docs.npy'),
    { dimensions, ids: ids(documents, 'd') },
    rows(documents, 0),
  )
  await writeEmbeddings(path('poison.npy'), { dimensions, ids: ['poison'] }, [vector(3, 2)])
  const all = [...ids(documents, 'd'), 'poison']
  const everything = [...rows(documents, 0), vector(3, 2)]
  await writeEmbeddings(path('all.npy'), { dimensions, ids: all }, everything)
  await writeEmbeddings(
    path('queries.npy'),
    { dimensions, ids: ids(queries, 'q') },
    rows(queries, 1),
  )
  writeFileSync(path('corpus.jsonl'), texts(all))
  writeFileSync(path('queries.jsonl'), texts(ids(queries, 'q')))
  const judged = ids(queries, 'q').filter((_, i) => i % 10 > 0)
  const lines = judged.map((query, i) => `${query} 0 d${(i * 13) % documents} 1\n`)
  writeFileSync(path('qrels.trec'), lines.join(''))
  const files = { queries: path('queries.npy'), docs: path('docs.npy') }
  await searchRun({ ...files, top: 40, out: path('run.trec'), workers: 1 })
  const run = readFileSync(path('run.trec'), 'utf8')
  writeFileSync(path('run.trec'), run.replace(/^q7 Q0 \S+ 1 /m, 'q7 Q0 poison 1 '))
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { searchRun } from '../src/search/search-run.ts'

/**
 * Queries that are their topic's documents turned in one plane, so that an adapter can turn them
 * back: `docs.npy`, `queries.npy`, `queries.jsonl`, `run.trec`, `train.trec`, `dev.trec`.
 */
export async function writeTurned(folder: string): Promise<void> {
  const path = (name: string): string => join(folder, name)
  const vector = (i: number, turn: number) => {
    const values = Float32Array.from(
      { length: 8 },
      (_, j) => (j === i % 8 ? 1 : 0) + Math.sin(i * 5 + j * 3) * 0.1,
    )
    return Float32Array.from(values, (_, j) => values[(j + turn) % 8]!)
  }
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const list = (count: number, turn: number) =>
    Array.from({ length: count }, (_, i) => vector(i, turn))
  await writeEmbeddings(path('docs.npy'), { dimensions: 8, ids: ids(80, 'd') }, list(80, 0))
  await writeEmbeddings(path('queries.npy'), { dimensions: 8, ids: ids(48, 'q') }, list(48, 1))
  const judged = (from: number, to: number) =>
    ids(to, 'q')
      .slice(from)
      .map((id) => `${id} 0 d${Number(id.slice(1)) % 8} 1\n`)
      .join('')
  writeFileSync(path('train.trec'), judged(0, 32))
  writeFileSync(path('dev.trec'), judged(32, 48))
  const texts = ids(48, 'q').map((id, i) => JSON.stringify({ _id: id, text: `topic ${i % 8}` }))
  writeFileSync(path('queries.jsonl'), `${texts.join('\n')}\n`)
  const vectors = { queries: path('queries.npy'), docs: path('docs.npy') }
  await searchRun({ ...vectors, top: 80, out: path('run.trec') })
}

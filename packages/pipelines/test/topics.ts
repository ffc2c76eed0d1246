import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { searchRun } from '../src/search/search-run.ts'

/**
 * Twenty queries over documents of five topics: `docs.npy`, `queries.npy`, `run.trec`; judged by
 * topic (`topic.trec`), or as the run has it (`as-it-is.trec`).
 */
export async function writeTopics(folder: string): Promise<void> {
  const path = (name: string): string => join(folder, name)
  const vector = (i: number, sway: number) =>
    Float32Array.from(
      { length: 8 },
      (_, j) => (j === i % 5 ? 1 : 0) + Math.sin(i * 5 + j * 3 + sway) * 0.6,
    )
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const list = (count: number, sway: number) =>
    Array.from({ length: count }, (_, i) => vector(i, sway))
  await writeEmbeddings(path('docs.npy'), { dimensions: 8, ids: ids(100, 'd') }, list(100, 0))
  await writeEmbeddings(path('queries.npy'), { dimensions: 8, ids: ids(20, 'q') }, list(20, 1))
  const judged = (relevant: (q: number, d: number) => boolean) =>
    Array.from({ length: 20 }, (_, q) =>
      Array.from({ length: 100 }, (_, d) => (relevant(q, d) ? `q${q} 0 d${d} 1\n` : '')).join(''),
    ).join('')
  writeFileSync(
    path('topic.trec'),
    judged((q, d) => q % 5 === d % 5),
  )
  const vectors = { queries: path('queries.npy'), docs: path('docs.npy') }
  await searchRun({ ...vectors, top: 60, out: path('run.trec') })
  // What stands first is right, and only that: any other order is worse.
  const first = readFileSync(path('run.trec'), 'utf8')
    .split('\n')
    .filter((line) => / [123] \S+ \S+$/.test(line))
    .map((line) => line.replace(/ Q0 (\S+) .*/, ' 0 $1 1\n'))
  writeFileSync(path('as-it-is.trec'), first.join(''))
}

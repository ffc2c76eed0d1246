import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeEmbeddings, writeQrels } from '@kith/ir'
import { searchRun } from '@kith/pipelines/search'

/**
 * A collection in a temporary folder: 80 documents of eight topics, and 48 queries whose vectors
 * are turned away from their topic's documents, so that there is something to learn.
 */
export async function writeTurned() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-example-'))
  const at = (name) => join(folder, name)
  // Of a topic's direction and the next one's, a query has about as much of each.
  const vector = (i, next) =>
    Float32Array.from({ length: 8 }, (_, j) => {
      const topic = j === i % 8 ? 1 - next : j === (i + 1) % 8 ? next : 0
      return topic + Math.sin(i * 7 + j * 3) * 0.3
    })
  for (const [name, count, next] of [
    ['docs', 80, 0],
    ['queries', 48, 0.5],
  ]) {
    const ids = Array.from({ length: count }, (_, i) => `${name[0]}${i}`)
    const rows = ids.map((_, i) => vector(i, next))
    await writeEmbeddings(at(`${name}.npy`), { dimensions: 8, ids }, rows)
  }
  const judged = (from, to) =>
    new Map(
      Array.from({ length: to - from }, (_, i) => [
        `q${from + i}`,
        new Map(Array.from({ length: 10 }, (_, n) => [`d${((from + i) % 8) + 8 * n}`, 1])),
      ]),
    )
  await writeQrels(at('train.trec'), judged(0, 32))
  await writeQrels(at('dev.trec'), judged(32, 48))
  const files = { queries: at('queries.npy'), docs: at('docs.npy') }
  await searchRun({ ...files, top: 60, out: at('run.trec') })
  return { folder, at }
}

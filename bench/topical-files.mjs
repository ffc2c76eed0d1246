import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { generator } from './clusters.mjs'
import { writeLines } from './write-lines.mjs'

/** Number of topics of the documents. */
const TOPICS = 200

/**
 * Writes embeddings of documents around the centers of topics, of queries, and a run in which two
 * thirds of a query's candidates have its topic, and no candidate comes twice. Returns the files.
 */
export async function writeTopicalFiles(
  folder,
  { documents, queries, dimensions, seed, queryType },
) {
  const random = generator(seed)
  const centers = Array.from({ length: TOPICS }, () => vector(dimensions, random))
  const rows = function* (count) {
    for (let i = 0; i < count; i++) {
      const center = centers[i % TOPICS]
      const row = vector(dimensions, random)
      for (let j = 0; j < dimensions; j++) row[j] = (row[j] + center[j]) / 20
      yield row
    }
  }
  const files = { docs: join(folder, 'docs.npy'), queries: join(folder, 'queries.npy') }
  await writeEmbeddings(files.docs, { dimensions }, rows(documents))
  await writeEmbeddings(files.queries, { dimensions, type: queryType }, rows(queries))
  return files
}

/** Writes a run over such documents. */
export async function writeTopicalRun(file, { documents, queries, candidates }) {
  await writeLines(file, queries, (q) => {
    let lines = ''
    for (let rank = 1; rank <= candidates; rank++) {
      const topic = (q + (rank % 3 === 0 ? rank : 0)) % TOPICS
      const id = topic + TOPICS * ((q * 3 + rank * 4) % (documents / TOPICS))
      lines += `${q} Q0 ${id} ${rank} ${(candidates - rank).toFixed(1)} bench\n`
    }
    return lines
  })
}

function vector(length, random) {
  const numbers = new Float32Array(length)
  for (let i = 0; i < length; i++) numbers[i] = random() + random() - 1
  return numbers
}

// A small collection for the examples: three topics of eight documents, of which two were judged.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { searchRun } from '@kith/pipelines/search'

/** Writes the files into a folder of their own; their names, and where more can go. */
export async function writeTopics() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-topics-'))
  const at = (name) => join(folder, name)
  const vector = (i, sway) =>
    Float32Array.from([0, 1, 2, 3], (j) => (j === i % 3) + 0.2 * Math.sin(5 * i + 3 * j + sway))
  const write = (name, letter, count, sway) => {
    const rows = Array.from({ length: count }, (_, i) => vector(i, sway))
    return writeEmbeddings(
      at(name),
      { dimensions: 4, ids: rows.map((_, i) => `${letter}${i}`) },
      rows,
    )
  }
  await write('docs.npy', 'd', 24, 0)
  await write('queries.npy', 'q', 3, 1)
  const judged = [0, 1, 2].map((q) => `q${q} 0 d${q} 1\nq${q} 0 d${q + 3} 1\n`)
  writeFileSync(at('qrels.trec'), judged.join(''))
  const [queries, docs, run] = [at('queries.npy'), at('docs.npy'), at('run.trec')]
  await searchRun({ queries, docs, top: 24, out: run })
  return { files: { run, queries, docs, qrels: at('qrels.trec') }, folder }
}

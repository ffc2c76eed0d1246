/** Embeddings that are too large to be loaded at once: threads load the rows of the run. */
import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { presets } from '@kith/core'
import { writeEmbeddings } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { labelRun, rerankRun } from '../src/index.ts'

const folder = temporaryFolder()
const dimensions = 64
const [queryCount, used, all] = [300, 120, 300_000]

const numbers = (rows: number, seed: number): Float32Array =>
  Float32Array.from({ length: rows * dimensions }, (_, i) => Math.sin(seed + i * 0.7) + 0.3)
const documents = numbers(used, 1)

const [run, qrels, queries] = ['run.trec', 'qrels.trec', 'queries.npy'].map((name) =>
  join(folder, name),
) as [string, string, string]
const lines = Array.from({ length: queryCount }, (_, q) =>
  Array.from({ length: 20 }, (_, i) => `${q} Q0 ${(q * 7 + i * 11) % used} ${i + 1} ${20 - i} t`),
)
writeFileSync(run, `${lines.flat().join('\n')}\n`)
writeFileSync(qrels, lines.map((_, q) => `${q} 0 ${(q * 7) % used} 1\n`).join(''))
await writeEmbeddings(queries, { dimensions }, [numbers(queryCount, 2)])

/** Writes the same documents and, behind them, rows of zeros, which take no room on the disk. */
function writeDocuments(name: string, rows: number): string {
  const file = join(folder, name)
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`
  const header = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${shape.padEnd(117)}\n`, 'latin1')
  const descriptor = openSync(file, 'w')
  writeSync(descriptor, Buffer.concat([header, Buffer.from(documents.buffer)]))
  ftruncateSync(descriptor, header.length + rows * dimensions * 4)
  closeSync(descriptor)
  return file
}

const small = writeDocuments('small.npy', used)
const large = writeDocuments('large.npy', all)
const settings = presets['msmarco-tas-b']

test.each([1, 2])(
  'reranks and labels as with embeddings in memory (workers: %i)',
  async (workers) => {
    const outputs = await Promise.all(
      [small, large].map(async (docs, i) => {
        const ranked = join(folder, `ranked-${workers}-${i}.trec`)
        await rerankRun({ run, queries, docs, settings, workers, out: ranked })
        const labels = join(folder, `labels-${workers}-${i}.jsonl`)
        await labelRun({ run, queries, docs, qrels, workers, out: labels })
        return [readFileSync(ranked, 'utf8'), readFileSync(labels, 'utf8')]
      }),
    )
    expect(outputs[1]).toEqual(outputs[0])
    expect(outputs[0]![0]!.split('\n')).toHaveLength(queryCount * 20 + 1)
  },
)

/** A number that is not finite in a candidate of the first query: the last one of 20. */
const row = (19 * 11) % used
const broken = writeDocuments('broken.npy', all)
const descriptor = openSync(broken, 'r+')
writeSync(descriptor, Buffer.from(Float32Array.of(NaN).buffer), 0, 4, 128 + row * dimensions * 4)
closeSync(descriptor)

test('ignores numbers beyond the context that are not finite', async () => {
  const out = join(folder, 'short.trec')
  const first = join(folder, 'first.trec')
  writeFileSync(first, `${lines[0]!.join('\n')}\n`)
  await rerankRun({ run: first, queries, docs: broken, settings: { contextSize: 10 }, out })
  expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(21)
})

test('names the packed file of a number that is not finite', async () => {
  const packed = `${broken}.gz`
  writeFileSync(packed, gzipSync(readFileSync(broken), { level: 1 }))
  const reranking = rerankRun({
    run,
    queries,
    docs: packed,
    settings,
    out: join(folder, 'no.trec'),
  })
  await expect(reranking).rejects.toThrow(`${packed} row ${row} column 0`)
})

test('names the row of a number that is not finite', async () => {
  const reranking = rerankRun({
    run,
    queries,
    docs: broken,
    settings,
    out: join(folder, 'no.trec'),
  })
  await expect(reranking).rejects.toThrow(`${broken} row ${row} column 0`)
})

import { existsSync, readFileSync } from 'node:fs'
import type { Matrix } from '@kith/core'
import { expect, it } from 'vitest'
import { searchExact } from '../src/index.ts'
import { kernels } from './support.ts'

const folder = new URL(
  '../../../../shared/data/cranfield/embeddings/all-MiniLM-L6-v2/',
  import.meta.url,
)
const present = existsSync(folder)
if (!present) console.warn(`skipped: no collection at ${folder}`)

it.skipIf(!present).each(kernels)('reproduces the top 200 of Cranfield, %s', async (kernel) => {
  const queries = readNpy('queries.npy')
  const { data: memory, rows: documents, dimensions } = readNpy('docs.npy')
  const queryIds = lines('queries.ids.txt')
  const ids = lines('docs.ids.txt')
  const run = new Map<string, string[][]>(queryIds.map((id) => [id, []]))
  for (const fields of lines('top200.run.trec').map((line) => line.split(' '))) {
    run.get(fields[0]!)!.push(fields)
  }
  const source = { rows: documents, dimensions, memory }
  const { rows, scores } = await searchExact(queries, source, { top: 200, kernel })
  for (let q = 0; q < queries.rows; q++) {
    const expected = run.get(queryIds[q]!)!
    expect(expected.length).toBe(200)
    const place = new Map(expected.map(([, , id], i) => [id, i]))
    expected.forEach(([, , id, , score], i) => {
      const at = q * 200 + i
      expect(Math.abs(scores[at]! - Number(score))).toBeLessThan(1e-6)
      const ours = ids[rows[at]!]!
      if (ours === id) return
      // Another document may stand here only if the run scores it the same.
      const theirs = expected[place.get(ours) ?? 199]![4]
      expect(Math.abs(Number(theirs) - Number(score))).toBeLessThan(1e-6)
    })
  }
})

function lines(name: string): string[] {
  return readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n')
}

/** Float32 in C order, as these files are. */
function readNpy(name: string): Matrix {
  const bytes = readFileSync(new URL(name, folder))
  const start = 10 + bytes.readUInt16LE(8)
  const [rows, dimensions] = /\((\d+), (\d+)\)/
    .exec(bytes.toString('latin1', 10, start))!
    .slice(1)
    .map(Number) as [number, number]
  return { data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + start)), rows, dimensions }
}

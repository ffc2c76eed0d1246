import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type LabeledQuery, writeEmbeddings } from '../src/index.ts'
import { writeLabelsParquet } from '../src/labels/labels.ts'

const folder = temporaryFolder()

const program = fileURLToPath(new URL('mutate.mjs', import.meta.url))

/** Reads a file with every byte changed, in a process that is ended if it does not come back. */
function mutate(kind: string, file: string) {
  const child = spawnSync(process.execPath, [program, kind, file], {
    encoding: 'utf8',
    timeout: 600_000,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 26,
  })
  expect(child.signal, 'a changed byte made the reader hang').toBeNull()
  expect(child.stderr).toBe('')
  return JSON.parse(child.stdout) as { read: number; refused: number; others: string[] }
}

describe('a Parquet file with any byte changed is read, or refused with its name', () => {
  test('as labels', async () => {
    const entries = Array.from(
      { length: 7 },
      (_, i): LabeledQuery => ({
        query: `q${i}`,
        docs: [`d${i}`, 'd-all', `e${i % 3}`],
        labels: [0.5, 0.25 + i / 1000, 0.25],
        evidence: [i, 1, -1 / (i + 1)],
        groundTruth: i === 3 ? [] : [`d${i}`],
      }),
    )
    const file = join(folder, 'labels.parquet')
    await writeLabelsParquet(
      file,
      (async function* () {
        yield* entries
      })(),
    )
    const { read, refused, others } = mutate('labels', file)
    expect(others).toEqual([])
    expect(read + refused).toBe(statSync(file).size * 9)
    expect(refused).toBeGreaterThan(0)
  })

  test('as embeddings', async () => {
    const file = join(folder, 'docs.parquet')
    const values = Float32Array.from({ length: 40 }, (_, i) => Math.sin(i))
    await writeEmbeddings(file, { dimensions: 4, ids: Array.from('abcdefghij') }, [values])
    const { read, refused, others } = mutate('embeddings', file)
    expect(others).toEqual([])
    expect(read + refused).toBe(statSync(file).size * 9)
    expect(refused).toBeGreaterThan(0)
  })
})

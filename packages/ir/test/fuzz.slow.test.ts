import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KithError } from '@kith/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openEmbeddings, readQrels, readRun, readTexts, writeEmbeddings } from '../src/index.ts'
import { all, filesIn } from './support.ts'

const folder = temporaryFolder()
const fileOf = filesIn(folder)

describe('fuzzed files are read, or refused with a KithError', () => {
  /** The answer, or the error; anything but ours fails the test. */
  async function attempt(read: () => Promise<unknown>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!(error instanceof KithError)) throw error
      expect(error.message).toMatch(/^(?!kith: )\S/)
    }
  }

  test.for(['docs.npy', 'docs.safetensors', 'docs.fvecs', 'docs.parquet', 'docs.jsonl'])(
    '%s with changed, missing and additional bytes',
    async (name) => {
      const file = join(folder, name)
      const values = Float32Array.from({ length: 60 }, (_, i) => i / 8)
      await writeEmbeddings(file, { dimensions: 6 }, [values])
      const original = readFileSync(file)
      const place = fc.integer({ min: 0, max: original.length - 1 })
      const change = fc.record({ place, byte: fc.integer({ min: 0, max: 255 }) })
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { maxLength: 4 }),
          place,
          fc.boolean(),
          async (changes, end, cut) => {
            const bytes = Buffer.from(cut ? original.subarray(0, end) : original)
            for (const { place, byte } of changes) if (place < bytes.length) bytes[place] = byte
            const changed = await fileOf(`changed-${name}`, bytes)
            await attempt(async () => {
              const embeddings = await openEmbeddings(changed, { memory: 1 << 24 })
              expect(embeddings.read(0, embeddings.rows).every(Number.isFinite)).toBe(true)
            })
          },
        ),
        { numRuns: 300 },
      )
    },
  )

  test('refuses binary garbage in every format', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const file = await fileOf('garbage', bytes)
        await attempt(() => readRun(file))
        await attempt(() => readRun(file, { format: 'json' }))
        await attempt(() => readQrels(file))
        for (const format of ['jsonl', 'tsv', 'sgml'] as const) {
          await attempt(() => all(readTexts(file, { format })))
        }
        for (const format of ['npy', 'safetensors', 'fvecs', 'parquet', 'jsonl'] as const) {
          await attempt(() => openEmbeddings(file, { format }))
        }
        const packed = await fileOf('garbage.gz', bytes)
        await attempt(() => readRun(packed))
      }),
      { numRuns: 200 },
    )
  })
})

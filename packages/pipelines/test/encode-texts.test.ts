import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Encoder } from '@kith/encoder'
import { openEmbeddings } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { encodeWith } from '../src/encode/encode-texts.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const weights = path('model.safetensors')
writeFileSync(weights, 'weights')
writeFileSync(
  path('texts.jsonl'),
  Array.from({ length: 4 }, (_, i) => `{"_id":"t${i}","text":"x"}\n`).join(''),
)

/** An encoder that gives each text one number, and fails after some texts. */
function encoderOf(value: number, last: number, pooling = 'mean'): Encoder {
  const encoder: Pick<Encoder, 'dimensions' | 'maxTokens' | 'source' | 'encodeStream'> = {
    dimensions: 1,
    maxTokens: 8,
    source: { files: [weights], pooling, normalize: false },
    async *encodeStream(texts) {
      let count = 0
      for await (const _ of texts) {
        if (count++ === last) throw new Error('stopped')
        yield { data: Float32Array.of(value), rows: 1, dimensions: 1, cut: 0 }
      }
    },
  }
  return encoder as Encoder
}

test.each([
  ['the same model resumes', () => {}, 'mean', [1, 1, 2, 2]],
  ['other weights start again', () => appendFileSync(weights, '!'), 'mean', [2, 2, 2, 2]],
  ['another pooling starts again', () => {}, 'first', [2, 2, 2, 2]],
] as const)('after a stop, %s', async (name, change, pooling, expected) => {
  const out = path(`${name.replaceAll(' ', '-')}.npy`)
  const job = { input: path('texts.jsonl'), out, role: 'document' } as const
  await expect(
    encodeWith({ encoder: encoderOf(1, 2), model: { model: 'models/letters' } }, job),
  ).rejects.toThrow('stopped')
  change()
  const told: number[] = []
  const hooks = { onProgress: ({ done }: { done: number }) => told.push(done) }
  const encoder = encoderOf(2, Number.POSITIVE_INFINITY, pooling)
  await encodeWith({ encoder, model: { model: 'models/letters' } }, job, hooks)
  expect(told[0]).toBe(expected.filter((value) => value === 1).length)
  const made = await openEmbeddings(out)
  expect(Array.from(made.read(0, 4))).toEqual(expected)
  made.close()
  const known = JSON.parse(readFileSync(`${out}.background.json`, 'utf8'))
  expect(known).toMatchObject({ documents: 4, model: 'models/letters' })
})

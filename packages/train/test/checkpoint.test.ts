import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import { writeTensors } from '@kith/base/safetensors'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { readCheckpoint, type TrainingState, writeCheckpoint } from '../src/run/checkpoint.ts'

const folder = temporaryFolder()
const file = join(folder, 'latest.safetensors')
const identity = { format: 2, seed: 0, learningRate: 2e-5, 'vectors of the documents': 'sha256:ab' }
const numbers = (from: number) => Float32Array.from({ length: 6 }, (_, i) => from + i / 7)

const state: TrainingState = {
  progress: {
    step: 20,
    schedule: { bestLoss: 0.5, stalled: 1, reductions: 2 },
    best: { step: 15, value: -0.5 },
    sinceBest: 1,
    identity,
  },
  weights: new Map([['up.weight', numbers(1)]]),
  moments: new Map([['up.weight', { first: numbers(2), second: numbers(3) }]]),
  candidates: [Uint32Array.of(4, 2), Uint32Array.of(1)],
}

/** What is read, and the numbers that were put into place. */
async function read() {
  const weights = new Map([['up.weight', new Float32Array(6)]])
  const moments = new Map([
    ['up.weight', { first: new Float32Array(6), second: new Float32Array(6) }],
  ])
  return { ...(await readCheckpoint(file, { weights, moments }, identity)), weights, moments }
}

await writeCheckpoint(file, state)
const written = readFileSync(file)

test('reads back a checkpoint as written', async () => {
  expect(await read()).toEqual(state)
})

test('finds a flipped bit in any byte, and names the file', async () => {
  for (let at = 0; at < written.length; at++) {
    const bytes = Buffer.from(written)
    bytes[at]! ^= 1 << (at % 7)
    writeFileSync(file, bytes)
    const found = await read().catch((error: unknown) => error)
    if (found instanceof FileError) expect(found.message).toContain(file)
    // Nothing but the blanks behind the header can be others without a consequence.
    else expect(found, `byte ${at}`).toEqual(state)
  }
})

test('refuses a checkpoint that was cut off anywhere', async () => {
  for (let length = 0; length < written.length; length++) {
    writeFileSync(file, written.subarray(0, length))
    const found = await read().catch((error: unknown) => error)
    expect(found, `${length} bytes`).toBeInstanceOf(FileError)
    expect((found as FileError).message).toContain(file)
  }
})

test('finds numbers that were exchanged', async () => {
  const bytes = Buffer.from(written)
  const from = bytes.length - 3 * 4
  bytes.writeUInt32LE(2, from)
  bytes.writeUInt32LE(4, from + 4)
  writeFileSync(file, bytes)
  await expect(read()).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('latest.safetensors'),
  })
})

test.each([
  { step: -1 },
  { step: 1.5 },
  { sinceBest: 'x' },
  { best: { step: 1 } },
  { best: undefined },
  { schedule: null },
  { schedule: { bestLoss: 'x', stalled: 0, reductions: 0 } },
  { identity: undefined },
  { identity: '5' },
  { identity: '{' },
])('refuses the progress %j', async (change) => {
  const training = JSON.stringify({ ...state.progress, ...change })
  await writeTensors(file, [], { training })
  await expect(read()).rejects.toMatchObject({ code: 'BAD_FILE' })
})

import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { KeptStates } from '../src/layers/kept-states.ts'
import { Digest } from '../src/run/digest.ts'

const folder = temporaryFolder()
const sizes = [3, 5, 1, 4]
const TOTAL = 13
const all = Float32Array.from({ length: TOTAL }, (_, i) => Math.sqrt(i))

/** A source that notes which parts it computes, and fails before one of them. */
function source({ fails = sizes.length, name = 'one' } = {}) {
  const computed: number[] = []
  return {
    computed,
    identity: new Digest().text(name).end(),
    sizes,
    async compute(part: number) {
      if (part === fails) throw new Error('stopped here')
      computed.push(part)
      const from = sizes.slice(0, part).reduce((sum, size) => sum + size, 0)
      return all.slice(from, from + sizes[part]!)
    },
  }
}

/** The numbers that a file gives, and the parts that were computed for it. */
async function opened(file: string, name?: string): Promise<[number[], number[]]> {
  const own = source({ name })
  const states = await KeptStates.open(file, own)
  const numbers = new Float32Array(TOTAL)
  await states.read(0, numbers.subarray(0, 6))
  await states.read(6, numbers.subarray(6))
  await states.close()
  return [Array.from(numbers), own.computed]
}
const [right, every] = [Array.from(all), [0, 1, 2, 3]]

test('makes a file once, and reads it at any position', async () => {
  const file = join(folder, 'once.bin')
  expect(await opened(file)).toEqual([right, every])
  expect(await opened(file)).toEqual([right, []])
})

test('resumes after a stop before any part', async () => {
  for (const fails of every) {
    const file = join(folder, `stopped-${fails}.bin`)
    await expect(KeptStates.open(file, source({ fails }))).rejects.toThrow('stopped here')
    expect(existsSync(file)).toBe(false)
    expect(await opened(file)).toEqual([right, every.slice(fails)])
  }
})

test('makes a file again that was changed anywhere, is truncated, or belongs to another source', async () => {
  const file = join(folder, 'changed.bin')
  await opened(file)
  const written = readFileSync(file)
  for (let place = 0; place < written.length; place += 5) {
    const changed = Buffer.from(written)
    changed[place]! ^= 1
    writeFileSync(file, changed)
    expect(await opened(file), `byte ${place}`).toEqual([right, every])
  }
  for (const wrong of [written.subarray(0, -1), Buffer.concat([written, written]), '']) {
    writeFileSync(file, wrong)
    expect(await opened(file)).toEqual([right, every])
  }
  expect(await opened(file, 'another')).toEqual([right, every])
  expect(await opened(file)).toEqual([right, every])
})

test('makes a file again that was resumed from damaged parts', async () => {
  const file = join(folder, 'damaged-parts.bin')
  await expect(KeptStates.open(file, source({ fails: 2 }))).rejects.toThrow('stopped here')
  const partial = `${file}.partial`
  const bytes = readFileSync(partial)
  bytes[4]! ^= 1
  writeFileSync(partial, bytes)
  expect(await opened(file)).toEqual([right, [2, 3, ...every]])
})

test('names a file that cannot be read or written', async () => {
  const file = join(folder, 'cut.bin')
  const states = await KeptStates.open(file, source())
  truncateSync(file, 20)
  await expect(states.read(4, new Float32Array(2))).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining(file),
  })
  await states.close()
  const taken = join(folder, 'folder.bin')
  mkdirSync(taken)
  await expect(KeptStates.open(taken, source())).rejects.toThrow(taken)
  const inFile = join(file, 'states.bin')
  await expect(KeptStates.open(inFile, source())).rejects.toMatchObject({ code: 'BAD_FILE' })
})

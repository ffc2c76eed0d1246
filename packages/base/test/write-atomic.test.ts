import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeAtomic } from '../src/index.ts'

const folder = temporaryFolder()

const part = fc.record({
  size: fc.constantFrom(0, 1, 5, 100_000, 600_000, 1 << 20, 1_200_000),
  text: fc.boolean(),
})

test('writes parts in their order, whatever their sizes, and keeps no reference to them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.boolean(), async (parts, packed) => {
      const file = join(folder, packed ? 'out.gz' : 'out')
      const reused = Buffer.alloc(1 << 21)
      const expected: Buffer[] = []
      await writeAtomic(file, async (write) => {
        for (const [i, { size, text }] of parts.entries()) {
          const letter = 97 + i
          expected.push(Buffer.alloc(size, letter))
          if (text) await write(String.fromCharCode(letter).repeat(size))
          // Packing may read a large part later, so only a part that is not packed is reused.
          else await write((packed ? Buffer.alloc(size) : reused.subarray(0, size)).fill(letter))
        }
      })
      const bytes = readFileSync(file)
      expect((packed ? gunzipSync(bytes) : bytes).equals(Buffer.concat(expected))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('leaves no file behind if the program ends while the file is created', () => {
  const place = join(folder, 'ended')
  mkdirSync(place)
  // All threads of Node's pool are busy, so that what it is asked for happens later.
  const program = `import { pbkdf2 } from 'node:crypto'
import { writeAtomic } from '@kith/base'
for (let i = 0; i < 4; i++) pbkdf2('a', 'b', 100_000, 8, 'sha1', () => {})
writeAtomic(${JSON.stringify(join(place, 'out'))}, async () => {})
process.exit(0)`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  expect(readdirSync(place)).toEqual([])
})

import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type RankedQuery, readRun } from '../src/index.ts'
import {
  parseSlice,
  type RunParts,
  readRange,
  readSlices,
  sharedRankings,
  shareRankings,
  sliceRun,
} from '../src/internal.ts'

const folder = temporaryFolder()
const file = join(folder, 'run.trec')

function rankings({ queries, starts, order, documents, scores }: RunParts): RankedQuery[] {
  return queries.map((query, i) => {
    const rows = [...order.subarray(starts[i]!, starts[i + 1]!)]
    return {
      query,
      ids: rows.map((row) => documents.get(row)),
      scores: Float64Array.from(rows, (row) => scores[row]!),
    }
  })
}

async function bySlices(name: string): Promise<RankedQuery[]> {
  const sliced = (await sliceRun(name))!
  const read: RankedQuery[] = []
  for await (const { slice, bytes } of readSlices(sliced)) {
    const part = rankings(parseSlice(sliced, slice, bytes))
    if (sliced.unpacked) {
      expect(readRange(sliced.unpacked, slice).equals(bytes)).toBe(true)
    }
    expect(part).toHaveLength(slice.queries)
    expect(read).toHaveLength(slice.position)
    read.push(...part)
  }
  expect(read).toHaveLength(sliced.queries)
  return read
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\n\n', '\n# a comment\n', '\n  \t\n')

test('divides the whole run into slices, with any bytes between its lines', async () => {
  const lines = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 5 }), lineEnd, fc.constantFrom(' ', '\t')),
    {
      minLength: 1,
      maxLength: 300,
    },
  )
  await fc.assert(
    fc.asyncProperty(lines, fc.boolean(), fc.boolean(), async (queries, packed, open) => {
      let text = open ? '\ufeff# head\n' : '# head\n'
      queries.forEach(([documents, end, gap], q) => {
        for (let d = 0; d < documents; d++) text += `é${q}${gap}Q0 d${d} 1 ${(d * 7) % 5} t${end}`
      })
      if (open) text = text.trimEnd()
      const name = packed ? `${file}.gz` : file
      writeFileSync(name, packed ? gzipSync(text) : text)
      expect(await bySlices(name)).toEqual([...(await readRun(name))])
    }),
    { numRuns: 40 },
  )
})

test('refuses to read a slice of a file that has changed since it was cut', async () => {
  const name = join(folder, 'changed.trec')
  writeFileSync(name, 'q1 Q0 d1 1 0.9 t\n')
  const { unpacked, slices } = (await sliceRun(name))!
  expect(readRange(unpacked!, slices[0]!).toString()).toBe('q1 Q0 d1 1 0.9 t\n')
  utimesSync(name, 1, 1)
  expect(() => readRange(unpacked!, slices[0]!)).toThrow('the file changed')
})

test('returns whole slices that span many chunks of the file', async () => {
  const id = 'x'.repeat(500)
  let text = ''
  for (let q = 0; q < 130; q++) {
    for (let d = 0; d < 50; d++) text += `${q}\t${id}${d}\t${d + 1}\n`
  }
  const name = join(folder, 'long.tsv')
  writeFileSync(name, text)
  expect((await sliceRun(name))!.slices.map(({ queries }) => queries)).toEqual([
    ...Array(21).fill(6),
    4,
  ])
  expect(await bySlices(name)).toEqual([...(await readRun(name))])
})

test('names the line of the file in errors', async () => {
  const good = Array.from({ length: 300 }, (_, q) => `q${q} Q0 d1 1 1.5 t`)
  good[250] = 'q250 Q0 d1 1 many t'
  writeFileSync(file, good.join('\n'))
  await expect(bySlices(file)).rejects.toThrow(`${file}:251:`)
  good[250] = 'q250 Q0 d1 1 2 t\nq250 Q0 d1 1 3 t'
  writeFileSync(file, good.join('\n'))
  await expect(bySlices(file)).rejects.toThrow(':252:')
})

test('returns no slices for a run that must be read whole', async () => {
  writeFileSync(file, 'a Q0 d1 1 1 t\nb Q0 d1 1 1 t\na Q0 d2 2 1 t\n')
  expect(await sliceRun(file)).toBeUndefined()
  const json = join(folder, 'run.json')
  writeFileSync(json, '{"a": {"d1": 1}}')
  expect(await sliceRun(json)).toBeUndefined()
})

test('refuses a file that changes between the two readings', async () => {
  writeFileSync(file, 'a Q0 d1 1 1 t\nb Q0 d1 1 1 t\n')
  const sliced = (await sliceRun(file))!
  for (const text of ['a Q0 d1 1 1 t\n', 'a Q0 d1 1 1 t\nb Q0 d1 1 1 t\nc Q0 d1 1 1 t\n']) {
    writeFileSync(file, text)
    const reading = (async () => {
      for await (const _ of readSlices(sliced));
    })()
    await expect(reading).rejects.toMatchObject({ code: 'BAD_FILE' })
  }
})

test('refuses an empty file when its slice is read', async () => {
  writeFileSync(file, '# nothing\n')
  await expect(bySlices(file)).rejects.toMatchObject({ code: 'BAD_FILE' })
})

test('shares rankings that were read whole', async () => {
  const lines = Array.from({ length: 500 }, (_, i) => `q${i % 150} Q0 d${i} 1 ${i % 7} t`)
  writeFileSync(file, lines.join('\n'))
  const run = await readRun(file)
  const shared = [...shareRankings(run)].flatMap((part) => rankings(sharedRankings(part)))
  expect(shared).toEqual([...run])
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveMethodSettings } from '@kith/core'
import { Batches } from '@kith/work'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres, run } from '../../../test/postgres.ts'
import { encodeItem } from '../src/batches/batch-item.ts'
import { exportBatch } from '../src/batches/export-batch.ts'
import { workBatches } from '../src/batches/work-batches.ts'
import { loadStore } from '../src/load/load-store.ts'
import { submitRerank } from '../src/rerank/rerank-run.ts'
import { sizes, writeCollection } from './store-data.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

describe.runIf(postgres)('data that a database cannot store, or has stored wrong', () => {
  const database = emptyDatabase()
  const listed = async () => {
    const batches = await Batches.open(database.url)
    try {
      return await batches.progress()
    } finally {
      await batches.close()
    }
  }
  beforeAll(async () => {
    await writeCollection(folder)
    await loadStore({ store: database.url, docs: path('all.npy') })
  })

  test.each([['U+0000', 'd7\0x', '"d7\\u0000x" of a document contains the character U+0000']])(
    'submitRerank refuses %s in the id of a candidate',
    async (_, id, problem) => {
      const run = readFileSync(path('run.trec'), 'utf8')
      writeFileSync(path('nul.trec'), run.replace(/^q9 Q0 \S+ 3 /m, `q9 Q0 ${id} 3 `))
      const inputs = { run: path('nul.trec'), queries: path('queries.npy'), store: database.url }
      await expect(submitRerank(inputs, { name: 'nul' })).rejects.toThrow(
        `${path('nul.trec')} query "q9": the id ${problem}`,
      )
      expect(await listed()).toEqual([])
    },
  )

  test.each([
    ['U+0000', 'a\\u0000b', ' document "d3": the text contains the character U+0000'],
    ['half a character', 'a\\ud800', ':1: '],
  ])('loadStore refuses %s in a text', async (_, text, problem) => {
    writeFileSync(path('bad.jsonl'), `{"_id": "d3", "text": "${text}"}\n`)
    const store = `${database.url}#bad`
    const loading = loadStore({ store, docs: path('all.npy'), corpus: path('bad.jsonl') })
    await expect(loading).rejects.toThrow(`${path('bad.jsonl')}${problem}`)
  })

  test('a worker reports jobs that cannot be done, and does the others', async () => {
    const usual = { missing: 'error', texts: false, statistics: false }
    const settings = { settings: resolveMethodSettings(), ...usual }
    const item = (query: string, ids: string[], dimensions = sizes.dimensions) => ({
      query,
      body: encodeItem({ query, ids, vector: new Float32Array(dimensions).fill(1) }),
    })
    const good = item('q0', ['d1', 'd2', 'd3'])
    const batches = await Batches.open(database.url)
    const submit = (name: string, bad: { query: string; body: Uint8Array }) =>
      batches.submit({ name, kind: 'rerank', settings, origin: {} }, [good, bad], 1)
    // As an older version would have put it there.
    await submit('nul', item('q1', ['d1', 'd\0']))
    await submit('long', item('q1', ['d1', 'd2'], sizes.dimensions + 1))
    await submit('cut', { query: 'q1', body: good.body.subarray(0, 40) })
    await submit('settings', item('q1', ['d1', 'd2']))
    await submit('kind', item('q1', ['d1', 'd2']))
    await batches.close()
    await run(
      database.url,
      `UPDATE kith.batches SET settings = jsonb_set(settings::jsonb, '{settings,k}', '"many"')::json
       WHERE name = 'settings';
       UPDATE kith.batches SET kind = 'sort' WHERE name = 'kind'`,
    )
    const worked = await workBatches({ store: database.url, untilEmpty: true, workers: 1 })
    expect(worked).toEqual({ queries: 3, failures: 3 + 3 + 3 + 6 + 6, left: 0, missing: [] })
    const all = await listed()
    const expected: [name: string, done: number, message: string][] = [
      ['nul', 1, 'query q1: '],
      [
        'long',
        1,
        'query q1: the query embedding has 13 dimensions, but documents in the store have 12',
      ],
      ['cut', 1, 'query q1: its entry in the database is damaged'],
      ['settings', 0, 'batch settings in the database is invalid: setting k'],
      ['kind', 0, 'setting kind must be rerank or labels, got "sort"'],
    ]
    for (const [name, done, message] of expected) {
      const found = all.find((batch) => batch.name === name)!
      expect(found).toMatchObject({ name, done })
      expect(found.failures).toHaveLength(2 - done)
      expect(found.failures[0]!.message).toContain(message)
    }
    for (const name of ['settings', 'kind']) {
      const exporting = exportBatch({ store: database.url, name, out: path('never.trec') })
      await expect(exporting).rejects.toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringContaining(name),
      })
    }
  })
})

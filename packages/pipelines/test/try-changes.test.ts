import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeRun } from '@kith/ir'
import { afterAll, expect, test } from 'vitest'
import { changesOf } from '../src/try/changes.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-changes-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('without judgments, shows the queries whose first five moved most, new documents or not', async () => {
  const orders = {
    same: [['a', 'b', 'c', 'd', 'e', 'f'], 'a b c d e f'],
    swapped: [['a', 'b', 'c', 'd', 'e', 'f'], 'b a c d e f'],
    reversed: [['a', 'b', 'c', 'd', 'e', 'f'], 'e d c b a f'],
    entered: [['a', 'b', 'c', 'd', 'e', 'f'], 'a b c d f e'],
  } as const
  const at = (name: string): string => join(folder, name)
  const rankings = (side: 0 | 1) =>
    Object.entries(orders).map(([query, pair]) => {
      const ids = side === 0 ? [...pair[0]] : pair[1].split(' ')
      return { query, ids, scores: Float64Array.from(ids, (_, i) => -i) }
    })
  await writeRun(at('before.trec'), rankings(0))
  await writeRun(at('after.trec'), rankings(1))
  const lines = (ids: Iterable<string>): string =>
    [...ids].map((_id) => `${JSON.stringify({ _id, text: `text of ${_id}` })}\n`).join('')
  writeFileSync(at('corpus.jsonl'), lines('abcdef'))
  writeFileSync(at('queries.jsonl'), lines(Object.keys(orders)))
  const texts = { corpus: at('corpus.jsonl'), queryText: at('queries.jsonl') }
  const { gained, newFirst } = await changesOf(
    texts,
    [at('before.trec'), at('after.trec')],
    undefined,
  )
  expect(gained.map(({ query }) => query)).toEqual(['reversed', 'swapped', 'entered'])
  expect(gained[0]!.top.after[0]).toBe('e text of e')
  expect(newFirst).toBe(2)
})

import { join } from 'node:path'
import { prepareText } from '@kith/core'
import { openEmbeddings, RunBuilder, writeEmbeddings } from '@kith/ir'
import { textAt } from '@kith/ir/internal'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { collect } from '../src/tune/collect.ts'

const folder = temporaryFolder()

async function embeddings(name: string, ids: readonly string[], dimensions = 2) {
  const file = join(folder, `${name}.npy`)
  const rows = ids.map((_, i) => new Float32Array(dimensions).fill(i + 1))
  await writeEmbeddings(file, { dimensions, ids }, rows)
  return openEmbeddings(file)
}

function run(rankings: Readonly<Record<string, readonly string[]>>) {
  const builder = new RunBuilder()
  for (const [query, ids] of Object.entries(rankings)) {
    builder.add({ query, ids, scores: ids.map((_, i) => -i) })
  }
  return builder.finish()
}

const qrels = new Map([
  [
    'a',
    new Map([
      ['x', 1],
      ['w', 3],
      ['y', -1],
      ['z', 0],
    ]),
  ],
  ['b', new Map([['z', 2]])],
  ['unranked', new Map([['x', 1]])],
])

test('collects the queries that are both ranked and judged, with each document once', async () => {
  const { collection, report } = collect({
    run: run({ a: ['z', 'x', 'y'], unjudged: ['x'], b: ['y', 'z', 'x'] }),
    qrels,
    queries: await embeddings('queries', ['b', 'a']),
    docs: await embeddings('docs', ['w', 'x', 'y', 'z']),
    texts: [
      { query: (id) => prepareText(`query ${id}`), document: (id) => prepareText(id) },
      {
        query: (id) => prepareText(`query ${id}`, { tokenizer: 'none' }),
        document: (id) => prepareText(id, { tokenizer: 'none' }),
      },
    ],
    largest: 2,
    groupOf: (query) => (query === 'a' ? 'first' : undefined),
  })
  expect(report.list()).toEqual([])
  const [a, b] = collection.list
  expect(collection.list.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(a).toMatchObject({ group: 'first', row: 0 })
  expect(b).toMatchObject({ group: undefined, row: 1 })
  // All places have their grade, also those that are never reranked.
  expect([...a!.grades]).toEqual([0, 1, -1])
  expect([...a!.ideal]).toEqual([3, 1, 0])
  expect([...a!.places]).toEqual([0, 1])
  const vectors = (all: Float32Array) =>
    Array.from({ length: all.length / 2 }, (_, i) => all[2 * i])
  expect(vectors(collection.queries)).toEqual([2, 1])
  expect([...a!.docs, ...b!.docs]).toEqual([0, 1, 2, 0])
  expect(vectors(collection.docs)).toEqual([4, 2, 3])
  const [english, none] = collection.texts!
  expect(textAt(english!.docs, 2)).toEqual(prepareText('y'))
  expect(textAt(english!.queries, 1)).toEqual(prepareText('query b'))
  expect(textAt(none!.docs, 2)).toEqual(prepareText('y', { tokenizer: 'none' }))
})

test('counts and names missing data, or skips it', async () => {
  const inputs = {
    run: run({ a: ['z', 'lost', 'x', 'mute'], b: ['y', 'lost'] }),
    qrels,
    queries: await embeddings('one-query', ['a']),
    docs: await embeddings('docs', ['x', 'y', 'z', 'mute']),
    texts: [
      {
        query: (id: string) => prepareText(id),
        document: (id: string) => (id === 'mute' ? undefined : prepareText(id)),
      },
    ],
  }
  expect(() => collect(inputs)).toThrow(
    "1 candidates of the run have no embedding: lost; 1 candidates of the run have no text: mute; 1 queries of the run have no embedding: b; pass missing: 'skip' to leave them out",
  )
  const { collection, report } = collect({ ...inputs, missing: 'skip' })
  expect(report.list()).toHaveLength(3)
  expect(collection.list.map(({ id, places }) => [id, ...places])).toEqual([['a', 0, 2]])
})

test('refuses inputs without a common query, and vectors of different lengths', async () => {
  const queries = await embeddings('queries', ['a'])
  const docs = await embeddings('docs', ['x'])
  expect(() => collect({ run: run({ q9: ['x'] }), qrels, queries, docs })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('q9') }),
  )
  const longer = await embeddings('longer', ['x'], 3)
  expect(() => collect({ run: run({ a: ['x'] }), qrels, queries, docs: longer })).toThrow(
    expect.objectContaining({ code: 'BAD_SHAPE' }),
  )
})

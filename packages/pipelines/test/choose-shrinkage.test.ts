import { join } from 'node:path'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { AdapterModel } from '@kith/train'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { chooseShrinkage } from '../src/train/choose-shrinkage.ts'

const docs = join(temporaryFolder(), 'docs.npy')
const vector = (i: number) => Float32Array.of(Math.cos(i), Math.sin(i))

/** The shrinkages that are tried on 120 held-out queries with so many judgments each. */
async function triedWith(judgments: number): Promise<{ tried: number[]; measure: string }> {
  const ids = Array.from({ length: 30 }, (_, i) => `d${i}`)
  await writeEmbeddings(
    docs,
    { dimensions: 2, ids },
    ids.map((_, i) => vector(i)),
  )
  const queries = Array.from({ length: 120 }, (_, i) => ({
    ...{ id: `q${i}`, vector: vector(i), relevant: [], retrieved: new Uint32Array() },
  }))
  const judged = ids.slice(0, judgments).map((id): [string, number] => [id, 1])
  const qrels = new Map(queries.map(({ id }) => [id, new Map(judged)]))
  const tried: number[] = []
  const { measure } = await chooseShrinkage(
    { usual: 100, given: undefined },
    {
      ...{ queries: { queries, qrels }, docs: await openEmbeddings(docs) },
      ...{ metric: 'dot', level: 1, device: { threads: 1 } },
      async fit(shrinkage) {
        tried.push(shrinkage)
        return new AdapterModel({ kind: 'linear', dimensions: 2, normalize: true })
      },
    },
  )
  return { tried, measure }
}

test('tries other shrinkages on queries with several judgments', async () => {
  expect(await triedWith(3)).toEqual({ tried: [100, 400, 25], measure: 'nDCG@10' })
})

test('keeps the default shrinkage if queries have one label, which is too noisy to choose by', async () => {
  expect(await triedWith(1)).toEqual({ tried: [100], measure: 'nDCG@100' })
})

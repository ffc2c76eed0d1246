import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import * as arrow from 'apache-arrow'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openStore } from '../src/index.ts'

test('opens a LanceDB collection of an earlier version, without hashes', async () => {
  const folder = join(temporaryFolder(), 'lance')
  const item = new arrow.Field('item', new arrow.Float32(), true)
  const text = (name: string, nullable: boolean) =>
    new arrow.Field(name, new arrow.Utf8(), nullable)
  const vector = new arrow.Field('vector', new arrow.FixedSizeList(2, item), false)
  const schema = new arrow.Schema([
    ...[text('id', false), vector, text('title', true), text('text', true)],
  ])
  const connection = await connect(folder)
  const row = { id: 'a', vector: [1, 2], title: null, text: 'bees' }
  await connection.createTable('main', [row], { schema })
  connection.close()
  const store = await openStore(folder)
  await store.add([{ id: 'b', vector: Float32Array.of(3, 4), text: 'wasps' }])
  await store.replace([{ id: 'a', vector: Float32Array.of(5, 6), text: 'ants' }])
  await store.index!()
  expect(await store.textVectors!(['ants', 'wasps'])).toEqual([undefined, undefined])
  const [a, b] = await store.fetch(['a', 'b'])
  expect([a?.text, b?.text]).toEqual(['ants', 'wasps'])
  await store.close()
})

import type { PoolClient } from 'pg'
import { twice } from '../check-documents.ts'
import type { StoreDocument } from '../store.ts'
import { type CopyField, copyRows } from './postgres-copy.ts'
import { type Collection, columnType, tableOf } from './postgres-schema.ts'
import { encodeVector } from './postgres-vectors.ts'

const COLUMNS = 'id, embedding, title, text'

/** Puts a batch of documents into a collection's table. */
export type PutBatch = (
  client: PoolClient,
  name: string,
  collection: Collection,
  batch: readonly StoreDocument[],
) => Promise<void>

/** Adds documents, straight into the table. */
export const addBatch: PutBatch = async (client, name, { type }, batch) => {
  try {
    await copyRows(client, `${tableOf(name)} (${COLUMNS})`, fieldsOf(batch, type))
  } catch (error) {
    throw duplicate(error) ?? error
  }
}

/** Adds documents, or puts them in the place of those with the same ids. */
export const replaceBatch: PutBatch = async (client, name, { type, dimensions }, batch) => {
  await client.query(
    `CREATE TEMPORARY TABLE IF NOT EXISTS incoming (
       id text, embedding ${columnType(type, dimensions)}, title text, text text
     ) ON COMMIT DROP`,
  )
  await copyRows(client, `incoming (${COLUMNS})`, fieldsOf(batch, type))
  await client.query(
    `INSERT INTO ${tableOf(name)} (${COLUMNS}) SELECT ${COLUMNS} FROM incoming
     ON CONFLICT (id) DO UPDATE
     SET embedding = excluded.embedding, title = excluded.title, text = excluded.text`,
  )
  await client.query('TRUNCATE incoming')
}

function* fieldsOf(
  batch: readonly StoreDocument[],
  type: 'f16' | 'f32',
): Generator<readonly CopyField[]> {
  for (const { id, vector, title = null, text = null } of batch) {
    yield [id, encodeVector(vector, type), title, text]
  }
}

/** A broken primary key, said as every store says it. */
function duplicate(error: unknown): Error | undefined {
  const { code, detail } = error as { code?: string; detail?: string }
  if (code !== '23505') return undefined
  return twice(/^Key \(id\)=\((.*)\) already exists/.exec(detail ?? '')?.[1] ?? '')
}

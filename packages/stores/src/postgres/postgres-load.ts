import type { PoolClient } from 'pg'
import { twice } from '../check-documents.ts'
import type { StoreDocument } from '../store.ts'
import type { TermChanges, TextOfDocument } from '../term-changes.ts'
import { type CopyField, copyRows } from './postgres-connection.ts'
import { type Collection, columnType, tableOf } from './postgres-schema.ts'
import { encodeVector } from './postgres-search.ts'

const COLUMNS = 'id, embedding, title, text'

/** Writes a batch of documents to a collection's table, and records how its terms change. */
export type PutBatch = (
  client: PoolClient,
  name: string,
  collection: Collection,
  batch: readonly StoreDocument[],
  terms: TermChanges,
) => Promise<void>

/** Adds documents directly to the table. */
export const addBatch: PutBatch = async (client, name, { type }, batch, terms) => {
  terms.add(batch)
  try {
    await copyRows(client, `${tableOf(name)} (${COLUMNS})`, fieldsOf(batch, type))
  } catch (error) {
    throw duplicate(error) ?? error
  }
}

/** Adds documents; replaces documents with the same ids. */
export const replaceBatch: PutBatch = async (client, name, { type, dimensions }, batch, terms) => {
  await client.query(
    `CREATE TEMPORARY TABLE IF NOT EXISTS incoming (
       id text, embedding ${columnType(type, dimensions)}, title text, text text
     ) ON COMMIT DROP`,
  )
  await copyRows(client, `incoming (${COLUMNS})`, fieldsOf(batch, type))
  const { rows } = await client.query(
    `SELECT d.title, d.text FROM ${tableOf(name)} d JOIN incoming USING (id)`,
  )
  terms.remove(rows.map(textOf))
  terms.add(batch)
  await client.query(
    `INSERT INTO ${tableOf(name)} (${COLUMNS}) SELECT ${COLUMNS} FROM incoming
     ON CONFLICT (id) DO UPDATE
     SET embedding = excluded.embedding, title = excluded.title, text = excluded.text`,
  )
  await client.query('TRUNCATE incoming')
}

/** Removes documents; returns how many of them existed. */
export async function removeRows(
  client: PoolClient,
  name: string,
  ids: readonly string[],
  terms: TermChanges,
): Promise<number> {
  const { rows } = await client.query(
    `DELETE FROM ${tableOf(name)} WHERE id = ANY ($1) RETURNING title, text`,
    [ids],
  )
  terms.remove(rows.map(textOf))
  return rows.length
}

/** Converts a row's title and text to a document's: null becomes undefined. */
function textOf({ title, text }: { title: string | null; text: string | null }): TextOfDocument {
  return { title: title ?? undefined, text: text ?? undefined }
}

function* fieldsOf(
  batch: readonly StoreDocument[],
  type: 'f16' | 'f32',
): Generator<readonly CopyField[]> {
  for (const { id, vector, title = null, text = null } of batch) {
    yield [id, encodeVector(vector, type), title, text]
  }
}

/** Converts a primary key violation to the error that every store throws for a duplicate id. */
function duplicate(error: unknown): Error | undefined {
  const { code, detail } = error as { code?: string; detail?: string }
  if (code !== '23505') return undefined
  return twice(/^Key \(id\)=\((.*)\) already exists/.exec(detail ?? '')?.[1] ?? '')
}

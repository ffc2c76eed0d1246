import { createHash } from 'node:crypto'
import { KithError } from '@kith/core'
import { checkStorable } from '@kith/stores/postgres'
import type { Batch, BatchItem, BatchRow } from './batch.ts'

/** Maximum number of gaps between a batch's items that a message names. */
const NAMED_GAPS = 5

/** Queries the database for rows. */
type Ask = (sql: string, values: unknown[]) => Promise<Record<string, unknown>[]>

/**
 * Throws unless the places of a batch's items are exactly the whole numbers from 0 up to, but not
 * including, the batch's number of queries. Removed rows, or a changed number of queries, would
 * produce a file with too few or too many queries.
 */
export async function checkItems(ask: Ask, row: BatchRow): Promise<void> {
  const { id, queries } = row
  const [counts] = await ask(
    `SELECT count(*)::integer AS found,
       (count(*) FILTER (WHERE position >= 0 AND position < $2))::integer AS placed
     FROM kith.items WHERE batch = $1`,
    [id, queries],
  )
  const { found, placed } = counts as { found: number; placed: number }
  if (placed < queries) throw missingItems(row, await gapsOf(ask, row))
  if (found === queries) return
  throw changed(row, `expected ${queries} queries, got ${found}`)
}

/** Throws if rows are missing that existed when they were checked: they were removed in between. */
export function checkRead(
  row: BatchRow,
  rows: readonly Record<string, unknown>[],
  { from, to }: Gap,
): void {
  for (let place = from; place < to; place++) {
    const found = (rows[place - from]?.['position'] as number | undefined) ?? to
    if (found !== place) throw missingItems(row, [{ from: place, to: found }])
  }
}

function missingItems(row: BatchRow, gaps: readonly Gap[]): KithError {
  const named = gaps
    .slice(0, NAMED_GAPS)
    .map(({ from, to }) => (to - from === 1 ? `${to}` : `${from + 1} to ${to}`))
    .join(', ')
  const more = gaps.length > NAMED_GAPS ? ' and others' : ''
  return changed(row, `expected ${row.queries} queries, but these are missing: ${named}${more}`)
}

/** A range of places without an item: the first place, and the place after the last one. */
interface Gap {
  from: number
  to: number
}

/** Returns the first gaps between a batch's items. */
async function gapsOf(ask: Ask, { id, queries }: BatchRow): Promise<Gap[]> {
  // The end counts as an item, so that a gap before the end is found, too.
  const gaps = await ask(
    `SELECT before + 1 AS from, place AS to FROM (
       SELECT place, lag(place, 1, -1) OVER (ORDER BY place) AS before FROM (
         SELECT position AS place FROM kith.items
         WHERE batch = $1 AND position >= 0 AND position < $2
         UNION ALL SELECT $2::integer
       ) places
     ) neighbors WHERE place > before + 1 ORDER BY place LIMIT $3`,
    [id, queries, NAMED_GAPS + 1],
  )
  return gaps as unknown as Gap[]
}

function changed({ name }: BatchRow, how: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `batch ${name} was changed in the database: ${how}; remove the batch (kith jobs remove) and submit it again`,
  )
}

/** Iterates over items once, counts them, and hashes them with the batch's kind and settings. */
export class DigestedItems {
  count = 0
  readonly #hash = createHash('sha256')
  readonly #items: Iterable<BatchItem> | AsyncIterable<BatchItem>

  constructor({ kind, settings }: Batch, items: Iterable<BatchItem> | AsyncIterable<BatchItem>) {
    this.#items = items
    this.#hash.update(JSON.stringify([kind, settings]))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BatchItem> {
    for await (const item of this.#items) {
      checkStorable(`the query ${JSON.stringify(item.query)}`, item.query)
      this.count++
      this.#hash.update(`\n${JSON.stringify(item.query)} ${item.body.length}\n`)
      this.#hash.update(item.body)
      yield item
    }
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}

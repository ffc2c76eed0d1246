import { FileError } from '@kith/base'
import type { ListOptions } from '@kith/core'
import type { FileEmbeddings } from '@kith/ir'
import type { RunList } from './list-table.ts'

/** The groups and priors of documents by row, in shared memory. */
export interface RowFields {
  /** The number of each row's group; -1 for a row without a group. */
  groups: Int32Array | undefined
  priors: Float64Array | undefined
}

/** Finds the groups and priors of documents by row. */
export function rowFields(
  { group, prior }: RunList,
  corpus: string,
  fields: ReadonlyMap<number, Readonly<Record<string, unknown>>>,
  { rows, ids }: FileEmbeddings,
): RowFields {
  const groups =
    group === undefined ? undefined : new Int32Array(new SharedArrayBuffer(rows * 4)).fill(-1)
  const priors = prior === undefined ? undefined : new Float64Array(new SharedArrayBuffer(rows * 8))
  const numbers = new Map<string, number>()
  for (const [row, own] of fields) {
    if (groups && own[group!] !== undefined) {
      const key = String(own[group!])
      if (!numbers.has(key)) numbers.set(key, numbers.size)
      groups[row] = numbers.get(key)!
    }
    if (priors) priors[row] = priorOf(corpus, ids.idOf(row), prior!, own[prior!])
  }
  if (groups && numbers.size === 0) {
    const problem = `no document of the run has the field ${JSON.stringify(group)}, which group needs`
    throw new FileError(
      corpus,
      '',
      `${problem}; name a field of the documents or of their metadata`,
    )
  }
  return { groups, priors }
}

function priorOf(corpus: string, id: string, field: string, value: unknown): number {
  if (typeof value === 'number') return value
  const found = value === undefined ? 'lacks it' : `has ${JSON.stringify(value)}`
  throw new FileError(
    corpus,
    '',
    `prior needs a number in the field ${JSON.stringify(field)} of every candidate, but document ${JSON.stringify(id)} ${found}; add the number, or name another field`,
  )
}

/** Returns the groups and priors of a query's candidates. */
export function candidateFields(
  { groups, priors }: RowFields,
  rows: Uint32Array,
): Pick<ListOptions, 'groups' | 'priors'> {
  const groupOf = (row: number) => (groups![row]! < 0 ? undefined : groups![row]!)
  return {
    groups: groups && Array.from(rows, groupOf),
    priors: priors && Float64Array.from(rows, (row) => priors[row]!),
  }
}

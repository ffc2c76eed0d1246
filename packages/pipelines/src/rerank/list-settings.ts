import { KithError, type ListOptions } from '@kith/core'
import { refuseIdle, refuseUnknown, rulesOf } from '@kith/core/internal'
import { placeOf } from '../join/place.ts'
import { listTable, type RunList } from './list-table.ts'
import type { RerankInputs } from './rerank-run.ts'

const rules = rulesOf(listTable)

/** Throws if list settings are invalid, have no effect, or cannot be combined with other inputs. */
export function checkList(inputs: RerankInputs): void {
  const { list, queryText, thenCrossEncode, tuned, force } = inputs
  const [first] = namesOf(list)
  if (list === undefined || first === undefined) return
  const problem = (text: string) => new KithError('BAD_SETTING', text)
  refuseUnknown(list, { part: 'setting', known: Object.keys(listTable), code: 'BAD_SETTING' })
  for (const name of namesOf(list)) rules[name]!(name, list[name])
  refuseIdle(list, list, { texts: queryText !== undefined }, listTable)
  const field = namesOf(list).find((name) => name === 'group' || name === 'prior')
  if (field && !('docs' in placeOf(inputs))) {
    throw problem(
      `setting ${field} needs docs and corpus: a store has no fields of documents; leave it out`,
    )
  }
  if (thenCrossEncode) {
    throw problem(`setting ${first} and thenCrossEncode cannot be combined; leave out one of them`)
  }
  if (tuned?.verdict === 'keep-run' && !force) {
    throw problem(`kith tune advises against reranking; leave out ${first}, or pass force`)
  }
}

/** Returns the names of the given list settings. */
export function namesOf(list: RunList | undefined): (keyof RunList)[] {
  const names = Object.keys(list ?? {}) as (keyof RunList)[]
  return names.filter((name) => list![name] !== undefined)
}

/** Returns whether documents leave the list: then all candidates of a query are considered. */
export function leavesOut({ collapse, group }: RunList = {}): boolean {
  return collapse !== undefined || group !== undefined
}

/** Returns the list options that are equal for all queries. */
export function sameForAll(list: RunList): ListOptions {
  const { group: _, prior: __, ...same } = list
  return same
}

/** Returns the fields of the corpus that a list needs. */
export function fieldsOf({ group, prior }: RunList = {}): string[] {
  return [...new Set([group, prior].filter((field) => field !== undefined))]
}

import type { Context } from '../context.ts'
import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { show } from '../settings/show.ts'

/** The ground-truth documents of a query: L(q). */
export interface GroundTruth {
  /** Their rows in the context; row 0 is the query and cannot be one. */
  rows: readonly number[]
  /** g: their judged grades, above 0; 1 each without it. */
  grades?: readonly number[] | undefined
}

/** Ground truth whose grades are all there. */
export type CheckedGroundTruth = Required<{ [Name in keyof GroundTruth]: readonly number[] }>

/** Checks that ground truth fits a context. */
export function checkGroundTruth(groundTruth: GroundTruth, context: Context): CheckedGroundTruth {
  const { rows: named, grades: given } = (isObject(groundTruth) ? groundTruth : {}) as GroundTruth
  if (!Array.isArray(named) || named.length === 0) {
    throw new KithError('BAD_INPUT', 'the ground truth must name at least one row: { rows: [1] }')
  }
  // Copies, which no getter can change once they are checked.
  const rows: number[] = Array.from(named)
  const seen = new Set<number>()
  for (const row of rows) {
    if (!Number.isInteger(row) || row < 1 || row >= context.rows) {
      const last = context.rows - 1
      throw new KithError(
        'BAD_INPUT',
        `ground-truth row ${show(row)} is no candidate, rows 1 to ${last}`,
      )
    }
    if (seen.has(row)) throw new KithError('BAD_INPUT', `ground-truth row ${row} is named twice`)
    seen.add(row)
  }
  if (given === undefined || given === null) return { rows, grades: rows.map(() => 1) }
  if (!Array.isArray(given)) {
    throw new KithError('BAD_INPUT', `the grades must be an array of numbers, not ${show(given)}`)
  }
  const grades: number[] = Array.from(given)
  if (grades.length !== rows.length) {
    throw new KithError('BAD_SHAPE', `${grades.length} grades for ${rows.length} ground-truth rows`)
  }
  for (const grade of grades) {
    if (typeof grade === 'number' && grade > 0 && grade < Infinity) continue
    throw new KithError(
      'BAD_INPUT',
      `the grade ${show(grade)} of a ground-truth row is not above 0`,
    )
  }
  return { rows, grades }
}

/**
 * Section 6, step 1: the candidates of a label context: the ground truth first, whether
 * it was retrieved or not, then what was retrieved without it, cut to `contextSize`.
 */
export function injectGroundTruth<T>(
  groundTruth: readonly T[],
  retrieved: Iterable<T>,
  contextSize: number,
): T[] {
  if (!Array.isArray(groundTruth)) {
    throw new KithError('BAD_INPUT', `the ground truth must be an array, not ${show(groundTruth)}`)
  }
  if (typeof retrieved?.[Symbol.iterator] !== 'function') {
    throw new KithError('BAD_INPUT', `what was retrieved must be a list, not ${show(retrieved)}`)
  }
  if (typeof contextSize !== 'number' || !(contextSize >= 0)) {
    throw new KithError(
      'BAD_SETTING',
      `setting contextSize is ${show(contextSize)}, allowed: a number from 0`,
    )
  }
  if (groundTruth.length > contextSize) {
    throw new KithError(
      'BAD_INPUT',
      `${groundTruth.length} ground-truth documents do not fit a context of ${contextSize}: raise contextSize`,
    )
  }
  const known = new Set(groundTruth)
  const candidates = [...groundTruth]
  for (const candidate of retrieved) {
    if (candidates.length === contextSize) break
    if (!known.has(candidate)) candidates.push(candidate)
  }
  return candidates
}

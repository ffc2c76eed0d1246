import type { Context } from '../context.ts'
import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { type NamedParts, refuseUnknown } from '../settings/names.ts'
import { show } from '../settings/show.ts'

/** The ground-truth documents of a query: L(q). */
export interface GroundTruth {
  /** Indices of the ground-truth documents among the candidates. */
  candidates: readonly number[]
  /** g: their judged grades, above 0; 1 each without it. */
  grades?: readonly number[] | undefined
}

/** Ground truth whose grades are all there, as rows of the context. */
export interface CheckedGroundTruth {
  /** Candidate i is row i + 1. */
  rows: readonly number[]
  grades: readonly number[]
}

const parts: NamedParts = {
  part: 'property of the ground truth',
  known: ['candidates', 'grades'],
  synonyms: { candidates: ['rows', 'index', 'indices', 'documents', 'relevant', 'positives'] },
}

/** Checks that ground truth fits a context. */
export function checkGroundTruth(groundTruth: GroundTruth, context: Context): CheckedGroundTruth {
  if (isObject(groundTruth) && !Array.isArray(groundTruth)) refuseUnknown(groundTruth, parts)
  const given = (isObject(groundTruth) ? groundTruth : {}) as GroundTruth
  // Copies, which no getter can change once they are checked.
  const rows = rowsOf(given.candidates, context.rows - 1)
  return { rows, grades: gradesOf(given.grades, rows.length) }
}

function rowsOf(candidates: readonly number[], count: number): number[] {
  if (!Array.isArray(candidates) || candidates.length === 0) {
    throw new KithError(
      'BAD_INPUT',
      'the ground truth must name at least one candidate, such as { candidates: [0] }',
    )
  }
  const seen = new Set<number>()
  return Array.from(candidates, (candidate: number) => {
    if (!Number.isInteger(candidate) || candidate < 0 || candidate >= count) {
      const problem = `ground-truth candidate ${show(candidate)} does not exist; there are ${count}, counted from 0`
      throw new KithError('BAD_INPUT', problem)
    }
    if (seen.has(candidate)) {
      throw new KithError('BAD_INPUT', `ground-truth candidate ${candidate} is named twice`)
    }
    seen.add(candidate)
    return candidate + 1
  })
}

function gradesOf(given: readonly number[] | undefined | null, count: number): number[] {
  if (given === undefined || given === null) return Array<number>(count).fill(1)
  if (!Array.isArray(given)) {
    throw new KithError('BAD_INPUT', `grades must be an array of numbers, got ${show(given)}`)
  }
  const grades: number[] = Array.from(given)
  if (grades.length !== count) {
    throw new KithError(
      'BAD_SHAPE',
      `expected ${count} grades, one per ground-truth candidate, got ${grades.length}`,
    )
  }
  for (const grade of grades) {
    if (typeof grade === 'number' && grade > 0 && grade < Infinity) continue
    throw new KithError(
      'BAD_INPUT',
      `the grade of a ground-truth candidate must be above 0, got ${show(grade)}`,
    )
  }
  return grades
}

/**
 * Section 6, step 1: the candidates of a label context: the ground truth first, whether
 * it was retrieved or not, then what was retrieved without it, cut to `contextSize`. The
 * ground truth is then candidates 0 to its number − 1.
 */
export function injectGroundTruth<T>(
  groundTruth: readonly T[],
  retrieved: Iterable<T>,
  contextSize: number,
): T[] {
  if (!Array.isArray(groundTruth)) {
    throw new KithError('BAD_INPUT', `groundTruth must be an array, got ${show(groundTruth)}`)
  }
  if (typeof retrieved?.[Symbol.iterator] !== 'function') {
    throw new KithError(
      'BAD_INPUT',
      `retrieved must be an array or another iterable, got ${show(retrieved)}`,
    )
  }
  if (typeof contextSize !== 'number' || !(contextSize >= 0)) {
    throw new KithError(
      'BAD_SETTING',
      `setting contextSize must be a number from 0, got ${show(contextSize)}`,
    )
  }
  if (groundTruth.length > contextSize) {
    throw new KithError(
      'BAD_INPUT',
      `${groundTruth.length} ground-truth documents do not fit into a context of ${contextSize}; raise contextSize`,
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

import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { defaultsOf, rulesOf, type SettingTable } from '../settings/setting.ts'
import { resolve } from '../settings/setting-rules.ts'
import { show } from '../settings/show.ts'
import { softmax } from './labels.ts'
import { normalize } from './normalize.ts'

/** How the scores of a teacher become a target. */
export interface DistilSettings {
  /** How many of the teacher's first documents have a label above 0. */
  depth: number
  /** The factor of the standardized scores. */
  sharpness: number
}

/** Settings that differ from the default. */
export type PartialDistilSettings = { [Name in keyof DistilSettings]?: number | undefined }

/** The settings of distillation: everything that Kith knows about each of them. */
export const distilTable: SettingTable<DistilSettings> = {
  depth: {
    help: 'number of documents with a label above 0',
    default: 50,
    range: { from: 1, to: 16_384, integer: true },
  },
  sharpness: {
    help: 'factor of the teacher’s standardized scores',
    default: 1,
    range: { from: 0, to: 1000, above: true },
  },
}

/** The default settings. */
export const distilDefaults: Readonly<DistilSettings> = defaultsOf(distilTable)

const rules = rulesOf(distilTable)

/** Completes settings with the defaults, and checks each one's range. */
export function resolveDistilSettings(settings: PartialDistilSettings = {}): DistilSettings {
  return resolve(settings, distilDefaults, rules)
}

/**
 * The target that teaches a ranking (docs/method.md section 6): the softmax of its first scores,
 * standardized, so that teachers of any scale teach alike.
 *
 * @param scores The teacher's scores of a query's documents, best first.
 * @returns Probabilities of the first documents, at most `depth`; they sum to 1.
 */
export function distilTarget(
  scores: ArrayLike<number>,
  settings?: PartialDistilSettings,
): Float64Array {
  const { depth, sharpness } = resolveDistilSettings(settings)
  const first = firstScores(scores, depth)
  return softmax(normalize(first, first, 'std').map((value) => sharpness * value))
}

/** The first scores, checked to be numbers that never rise. */
function firstScores(scores: ArrayLike<number>, depth: number): Float64Array {
  const wrong = (problem: string) => new KithError('BAD_INPUT', problem)
  const length = isObject(scores) ? scores.length : undefined
  if (!Number.isSafeInteger(length) || length! < 0) {
    throw wrong(`scores must be an array of numbers, got ${show(scores)}`)
  }
  const first = new Float64Array(Math.min(depth, length!))
  for (let i = 0; i < first.length; i++) {
    const score: unknown = scores[i]
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      throw wrong(`score ${i} of the teacher must be a finite number, got ${show(score)}`)
    }
    if (i > 0 && score > first[i - 1]!) {
      throw wrong(`the teacher's scores must descend, but score ${i} is above score ${i - 1}`)
    }
    first[i] = score
  }
  return first
}

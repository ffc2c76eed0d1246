import { seededFraction } from '@kith/base/random'
import { KithError } from '@kith/core'
import type { Qrels } from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import { trainDefaults } from '@kith/train/internal'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import type { TrainingInputs } from './training-inputs.ts'

/** Fewer held-out queries than this are no test of anything. */
const FEWEST = 2

/** Queries that a training does not learn from, with all their judgments. */
export interface HeldOutQueries {
  queries: readonly TrainingQuery[]
  qrels: Qrels
}

/** The part of the judged training queries to hold out; throws where there is nothing to hold out. */
export function holdOutOf({
  holdOut,
  training,
  validation,
}: Pick<TrainingInputs, 'holdOut' | 'training' | 'validation'>): number {
  const fail = (problem: string) => new KithError('BAD_SETTING', problem)
  if (holdOut !== undefined && !(holdOut >= 0 && holdOut < 1)) {
    throw fail(`holdOut is ${holdOut}, allowed: from 0 to below 1`)
  }
  const why = validation
    ? 'the validation queries are held out already'
    : training.qrels === undefined && 'the training queries have no judgments to be tested by'
  if (!why) return holdOut ?? jobDefaults.holdOut
  if (holdOut) throw fail(`${why}: leave out holdOut`)
  return 0
}

/**
 * Holds a part of the judged queries out of a training. The seed and the ids alone decide which, so
 * that a training that is resumed has the same ones.
 */
export function holdOutQueries(
  queries: readonly TrainingQuery[],
  qrels: Qrels,
  { part, seed = trainDefaults.seed }: { part: number; seed?: number | undefined },
  { onRemark }: Hooks,
): { learned: readonly TrainingQuery[]; heldOut: HeldOutQueries | undefined } {
  const count = Math.floor(queries.length * part)
  if (count < FEWEST) {
    onRemark?.(
      `no queries are held out: ${queries.length} judged queries are too few, so judge the result on other queries`,
    )
    return { learned: queries, heldOut: undefined }
  }
  const drawn = queries
    .map((query) => ({ query, draw: seededFraction(seed, `held out ${query.id}`) }))
    .sort((a, b) => a.draw - b.draw)
    .slice(0, count)
  const out = new Set(drawn.map(({ query }) => query))
  onRemark?.(
    `${count} of ${queries.length} judged queries are held out (seed ${seed}) to compare the model before and after on; holdOut 0 trains on all`,
  )
  const heldOut = queries.filter((query) => out.has(query))
  return {
    learned: queries.filter((query) => !out.has(query)),
    heldOut: {
      queries: heldOut,
      qrels: new Map(heldOut.map(({ id }) => [id, qrels.get(id)!])),
    },
  }
}

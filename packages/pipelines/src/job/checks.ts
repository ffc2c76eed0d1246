/**
 * Checks of inputs: the command line runs them before it makes a dataset's files, and jobs run them
 * for programs.
 */
import { KithError, type Method } from '@kith/core'
import { methods as known, requireTexts } from '@kith/core/internal'
import { formatByName } from '@kith/ir/internal'
import type { RerankInputs } from '../rerank/rerank-run.ts'

/** Returns the methods among which a tuning chooses; fusion requires texts. */
export function methodsOf({
  methods = ['neighbors'],
  corpus,
}: {
  methods?: readonly string[] | 'all' | undefined
  corpus?: string | undefined
}): readonly Method[] {
  const texts = corpus !== undefined
  if (methods === 'all') return known.filter((name) => name !== 'fusion' || texts)
  for (const name of methods as readonly Method[]) {
    if (!known.includes(name)) {
      throw new KithError('BAD_SETTING', `unknown method ${name}; methods: ${known.join(', ')}`)
    }
    requireTexts(name, texts)
  }
  return methods as readonly Method[]
}

type RelevanceInputs = Pick<
  RerankInputs,
  'cutoff' | 'out' | 'queryText' | 'background' | 'calibration'
>

/**
 * Returns whether a run uses estimates of relevance, for its cutoff or for a column of its file.
 */
export function usesRelevance({ cutoff, out, queryText }: RelevanceInputs): boolean {
  const column = queryText !== undefined && formatByName(out) === 'parquet'
  return column || (cutoff !== undefined && typeof cutoff !== 'number')
}

/** Throws for a background or calibration if a run uses no estimates of relevance. */
export function refuseUnusedRelevance(inputs: RelevanceInputs): void {
  const { background, calibration } = inputs
  const [given] = Object.entries({ background, calibration }).find(([, file]) => file) ?? []
  if (given === undefined || usesRelevance(inputs)) return
  throw new KithError(
    'BAD_SETTING',
    `setting ${given} has no effect without cutoff: 'auto', a cutoff by relevance, or texts and a .parquet output; leave it out`,
  )
}

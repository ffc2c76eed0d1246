import type { MethodSettings } from '@kith/core'
import type { Evaluator } from '../evaluate/evaluator.ts'
import { checkSpace } from '../search/space.ts'
import { splitFolds } from '../study/folds.ts'
import { bestOf, runStudies } from '../study/studies.ts'
import { StudyFile } from '../study/study-file.ts'
import type { TuneOptions } from '../tune.ts'
import { parametersOf, settingSpace, settingsOf } from './setting-space.ts'

/** Options with nothing left open. */
type SearchOptions = TuneOptions & {
  base: MethodSettings
  trials: number
  folds: number
  seed: number
}

/** The result of a search. */
export interface FoundSettings {
  /** The best settings on all queries. */
  settings: MethodSettings
  /** Each query's value with the best settings of the study that did not learn from it. */
  heldOut: Float64Array
}

/** Searches once on all queries, and for each fold once without it. */
export async function searchSettings(
  evaluator: Evaluator,
  options: SearchOptions,
): Promise<FoundSettings> {
  const { base, trials, folds, seed, measure, level, strict, onProgress, signal } = options
  const space =
    options.space ?? settingSpace({ ...evaluator, methods: options.methods, mix: base.mix })
  checkSpace(space)
  const foldOf = splitFolds(evaluator.queries, folds, seed, evaluator.groups)
  const queries = [...foldOf.keys()]
  const learning = [
    queries,
    ...Array.from({ length: folds }, (_, fold) =>
      queries.filter((query) => foldOf[query] !== fold),
    ),
  ]
  const { fingerprint } = options
  const decisive = { measure, level, strict, seed, folds, queries: queries.length, base, space }
  const file = options.study
    ? await StudyFile.open(options.study, { ...decisive, fingerprint })
    : undefined
  const studies = await runStudies({
    evaluator,
    space,
    start: parametersOf(base, space),
    base,
    seed,
    trials,
    learning,
    file,
    onTrials: onProgress && ((done) => onProgress(done, trials * learning.length)),
    signal,
  })
  const [settings, ...chosen] = studies.map((study) => settingsOf(bestOf(study).parameters, base))
  options.onFolds?.(
    chosen.map((of, fold) => ({
      settings: of,
      queries: queries.filter((query) => foldOf[query] === fold),
    })),
  )
  const values = await evaluator.evaluate(chosen)
  const heldOut = Float64Array.from(queries, (query) => values[foldOf[query]!]![query]!)
  return { settings: settings!, heldOut }
}

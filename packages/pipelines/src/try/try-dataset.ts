import { KithError } from '@kith/core'
import { readTuned } from '@kith/tune'
import { type Dataset, type DatasetOptions, openDataset } from '../dataset/dataset.ts'
import type { RoleName } from '../dataset/roles.ts'
import { evaluateRuns } from '../eval/evaluate-runs.ts'
import { shownPath } from '../files/paths.ts'
import type { Hooks } from '../job/hooks.ts'
import { reportRuns } from '../report/report-runs.ts'
import type { TriedAdapter } from './adapted-run.ts'
import { type Changes, changesOf } from './changes.ts'
import { makeRuns, type TryFiles, tunedSettings } from './make-runs.ts'
import type { TriedRole } from './steps.ts'
import { judgeTried, type TriedSystem, type Verdict } from './verdict.ts'

/** A dataset for trying Kith, and options. */
export interface TryInputs extends Omit<DatasetOptions, 'purpose'> {
  /** The folder of the dataset. */
  dataset: string
  /** The report page to write; default: in the dataset's `.kith`. */
  out?: string | undefined
  /** Number of trials in each study of the tuning; default 60. */
  trials?: number | undefined
  /** The minimum grade of a relevant document; default 1. */
  level?: number | undefined
  /** Number of threads; the figures do not depend on it. */
  workers?: number | undefined
}

/** The result of a try. */
export interface TryResult {
  dataset: string
  split: string | undefined
  /** The compared systems, vector search first; with figures if there are judgments. */
  systems: readonly TriedSystem[]
  /** Number of judged queries; 0 without judgments. */
  judged: number
  /** The tried query adapter, if the dataset has 200 training queries or more. */
  adapter: TriedAdapter | undefined
  /** The advice, with its evidence; undefined without judgments. */
  verdict: Verdict | undefined
  /** The queries that changed most, from vector search to Kith. */
  changes: Changes
  /** The page that compares the systems; undefined without judgments. */
  report: string | undefined
}

/** The measures for comparing systems; the first measure decides. */
export const tryMeasures = ['nDCG@10', 'MRR@10', 'Recall@100'] as const

/**
 * Tries Kith on a dataset: encodes and searches if necessary, and compares vector search, BM25,
 * reciprocal rank fusion, score fusion and Kith. With more than 50 judged queries, it also tries
 * Kith with tuned settings; with 200 training queries or more, Kith with a query adapter. Finished
 * steps are saved in `.kith`: if it is interrupted, the same call resumes.
 *
 * ```ts
 * const { verdict } = await tryDataset({ dataset: 'cisi' })
 * console.log(verdict?.sentence)
 * ```
 */
export async function tryDataset(inputs: TryInputs, hooks: Hooks = {}): Promise<TryResult> {
  const dataset = openDataset(inputs.dataset, { ...inputs, purpose: 'measure' })
  dataset.remarkSplit(hooks)
  const files = await neededFiles(dataset, hooks)
  const { corpus, queryText, qrels } = files
  const { systems, judged, adapter } = await makeRuns(dataset, files, inputs, hooks)
  const fileOf = (role: TriedRole): string => systems.find((one) => one.role === role)!.file
  const base = { dataset: inputs.dataset, split: dataset.split, judged, adapter }
  if (qrels === undefined) {
    const changes = await changesOf(files, [fileOf('run'), fileOf('kith')], undefined)
    return { ...base, systems, verdict: undefined, changes, report: undefined }
  }
  const measuring = { qrels, measures: [...tryMeasures], level: inputs.level, complete: true }
  const found = await evaluateRuns({ ...measuring, runs: systems.map(({ file }) => file) }, hooks)
  const measured = systems.map((system, i): TriedSystem => {
    const { name, evaluation } = found.evaluations[i]!
    return { ...system, evaluation, comparison: found.comparisons.get(name) }
  })
  const isTuned = systems.some(({ role }) => role === 'tunedKith')
  const tuned = isTuned ? await readTuned(tunedSettings(dataset)) : undefined
  const verdict = judgeTried(measured, tuned, shownPath(tunedSettings(dataset)))
  const best = verdict.settings === 'tuned' ? 'tunedKith' : 'kith'
  const pair = [fileOf('run'), fileOf(best)] as const
  const evaluations = pair.map((file) => measured.find((one) => one.file === file)!.evaluation!)
  const changes = await changesOf(files, pair, evaluations)
  const report = inputs.out ?? dataset.place('tryReport')
  const others = systems.filter(({ role }) => role !== best).map(({ file }) => file)
  await reportRuns({
    ...{ ...measuring, runs: [...others, fileOf(best)], corpus, queryText, out: report },
    title: `Kith on ${shownPath(inputs.dataset)}`,
    about: `${verdict.sentence}.`,
    commands: [`kith try ${shownPath(inputs.dataset)}`],
  })
  return { ...base, systems: measured, verdict, changes, report }
}

/** Returns the files that every try needs; makes embeddings if they are missing. */
async function neededFiles(dataset: Dataset, hooks: Hooks): Promise<TryFiles> {
  const need = async (role: RoleName): Promise<string> => {
    const file = await dataset.need(role, hooks)
    if (file !== undefined) return file
    throw new KithError('BAD_INPUT', `${dataset.folder} has no ${dataset.lacking(role)}`)
  }
  return {
    corpus: await need('corpus'),
    queryText: await need('queries'),
    docs: await need('documentEmbeddings'),
    queries: await need('queryEmbeddings'),
    termStatistics: await need('termStatistics'),
    qrels: await dataset.find('qrels'),
  }
}

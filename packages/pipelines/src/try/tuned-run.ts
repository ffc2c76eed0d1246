import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import { type RankedQuery, readRun, writeRun } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { studyBeside } from '../job/job-defaults.ts'
import { rerankRun } from '../rerank/rerank-run.ts'
import { type TuneInputs, type TuneResult, tuneRun } from '../tune/tune-run.ts'

/** The files of judged queries with texts. */
export interface TunedInputs
  extends Pick<TuneInputs, 'run' | 'queries' | 'docs' | 'qrels' | 'trials' | 'workers' | 'level'> {
  corpus: string
  queryText: string
}

/** The result of reranking with tuned settings. */
export interface TunedRun {
  queries: number
  seconds: number
}

/**
 * Tunes on folds of the judged queries, and reranks each query with the settings chosen on the
 * other folds: no query is measured with settings that were chosen on it.
 *
 * @param settings The file for the settings that are chosen on all queries.
 */
export async function rerankTuned(
  inputs: TunedInputs,
  out: string,
  settings: string,
  hooks: Hooks,
): Promise<TunedRun> {
  const { level, trials, qrels, ...files } = inputs
  const { folds } = await tuneOrRestart({ ...inputs, out: settings }, hooks)
  const run = await readRun(inputs.run)
  const folder = await mkdtemp(`${out}.folds-`)
  const at = (name: string): string => join(folder, name)
  const rankings: RankedQuery[] = []
  let seconds = 0
  try {
    for (const [fold, chosen] of folds.entries()) {
      const part = at(`${fold}.trec`)
      await writeRun(
        part,
        chosen.queries.map((query) => run.get(query)!),
      )
      const made = await rerankRun(
        { ...files, run: part, out: at(`${fold}.reranked.trec`), settings: chosen.settings },
        { signal: hooks.signal },
      )
      seconds += made.seconds
      rankings.push(...(await readRun(made.out)))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await writeRun(out, rankings)
  const from = [files.run, files.queries, files.docs, files.corpus, files.queryText, qrels]
  await writeSidecar(out, 'try', { method: 'tuned', folds: folds.length, trials, level }, from)
  return { queries: rankings.length, seconds }
}

/** Tunes with the trials of an earlier call; restarts if these trials have other inputs. */
async function tuneOrRestart(inputs: TuneInputs, hooks: Hooks): Promise<TuneResult> {
  try {
    return await tuneRun(inputs, hooks)
  } catch (error) {
    const study = studyBeside(inputs.out)
    if (!(error instanceof FileError) || error.file !== study) throw error
    hooks.onRemark?.(`${study} is out of date; tuning again`)
    await rm(study)
    return tuneRun(inputs, hooks)
  }
}

import { dirname, join } from 'node:path'
import { type Qrels, readQrels, readRun } from '@kith/ir'
import { FEW_QUERIES } from '@kith/tune/internal'
import type { Dataset, DatasetOptions } from '../dataset/dataset.ts'
import { fuseRuns } from '../fuse/fuse-runs.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { rerankRun } from '../rerank/rerank-run.ts'
import { searchBm25 } from '../search/search-bm25.ts'
import { searchRun } from '../search/search-run.ts'
import { fitTried, rerankAdapted, type TriedAdapter } from './adapted-run.ts'
import { Steps } from './steps.ts'
import { rerankTuned } from './tuned-run.ts'
import type { TriedSystem } from './verdict.ts'

/** The files that every try needs. */
export interface TryFiles {
  corpus: string
  queryText: string
  docs: string
  queries: string
  /** The term statistics of the corpus. */
  termStatistics: string
  qrels: string | undefined
}

/** Options for making runs. */
interface Making extends Omit<DatasetOptions, 'purpose'> {
  trials?: number | undefined
  level?: number | undefined
  workers?: number | undefined
}

/** Makes the run of each system, or reuses the run of an earlier try. */
export async function makeRuns(
  dataset: Dataset,
  { termStatistics, qrels, ...files }: TryFiles,
  making: Making,
  hooks: Hooks,
): Promise<{ systems: TriedSystem[]; judged: number; adapter: TriedAdapter | undefined }> {
  const { trials = jobDefaults.tryTrials, level = jobDefaults.level, workers } = making
  const { corpus, queryText, docs, queries } = files
  const steps = new Steps(dataset, workers)
  const { top } = jobDefaults
  const run = (await steps.do('run', (out) =>
    searchRun({ queries, docs, out, top, workers }, hooks),
  ))!
  const { tokenizer } = await nameTokenizer({}, { statistics: { file: termStatistics } }, hooks)
  const bm25 = await steps.do(
    'bm25',
    (out) => searchBm25({ bm25: true, corpus, queryText, out, top, tokenizer }, hooks),
    { top, tokenizer },
  )
  if (bm25 === undefined) {
    hooks.onRemark?.('leaving out BM25: the corpus is too large for an index in memory')
  }
  const fuse = async (out: string): Promise<{ queries: number; seconds: number }> => {
    const start = performance.now()
    const fused = await fuseRuns({ runs: [run, bm25!], out, top }, hooks)
    return { queries: fused.queries, seconds: (performance.now() - start) / 1000 }
  }
  const rrf = bm25 === undefined ? undefined : await steps.do('rrf', fuse)
  const inputs = { ...files, run, statistics: { file: termStatistics }, workers }
  const fusion = await steps.do(
    'fusion',
    (out) => rerankRun({ ...inputs, out, settings: { method: 'fusion' } }, hooks),
    { tokenizer },
  )
  const rerank = (out: string) => rerankRun({ ...inputs, out }, hooks)
  const kith = await steps.do('kith', rerank, { tokenizer })
  const judged = qrels === undefined ? 0 : await judgedIn(await readQrels(qrels), run, level)
  const tune = (out: string): ReturnType<typeof rerankTuned> => {
    const judgedFiles = { ...files, run, qrels: qrels!, trials, workers, level }
    return rerankTuned(judgedFiles, out, tunedSettings(dataset), hooks)
  }
  const tunedKith =
    judged > FEW_QUERIES ? await steps.do('tunedKith', tune, { trials, level }) : undefined
  const measured = { ...files, termStatistics, qrels, run }
  const { model, encoder, files: named } = making
  const adapter = await fitTried(dataset, measured, { model, encoder, files: named, level }, hooks)
  const adapt = (out: string): ReturnType<typeof rerankAdapted> =>
    rerankAdapted(dataset, adapter!, measured, { out, workers }, hooks)
  const adaptedKith =
    adapter && !adapter.keepsOld
      ? await steps.do('adaptedKith', adapt, {}, [join(adapter.folder, 'adapter.safetensors')])
      : undefined
  const made = { run, bm25, rrf, fusion, kith, tunedKith, adaptedKith }
  return { systems: steps.systems(made), judged, adapter }
}

/** Returns the file for the settings that were tuned on all judged queries. */
export function tunedSettings(dataset: Dataset): string {
  return join(dirname(dataset.place('tunedKith')), `tuned${dataset.suffix}.json`)
}

/** Counts the queries of a run with a relevant document. */
async function judgedIn(qrels: Qrels, run: string, level: number): Promise<number> {
  const isJudged = (id: string): boolean =>
    [...(qrels.get(id)?.values() ?? [])].some((grade) => grade >= level)
  return (await readRun(run)).queries.filter(isJudged).length
}

import { dirname, join } from 'node:path'
import { findPath } from '@kith/base'
import { openEmbeddings, type Qrels, readQrels, readRun, writeRun } from '@kith/ir'
import type { RecipeName } from '@kith/train'
import { type Dataset, type DatasetOptions, openDataset } from '../dataset/dataset.ts'
import { stateOf } from '../dataset/staleness.ts'
import type { Hooks } from '../job/hooks.ts'
import { rerankRun } from '../rerank/rerank-run.ts'
import { searchRun } from '../search/search-run.ts'
import { adaptQueries } from '../train/adapt-queries.ts'
import { fitAdapterFiles } from '../train/fit-adapter-files.ts'
import type { HeldOutMeasures } from '../train/hold-out.ts'

/** Minimum number of training queries for trying an adapter. */
const ENOUGH = 200
/** Maximum numbers of training queries and documents: with more, a fit takes too long for a try. */
const [MOST_QUERIES, MOST_DOCUMENTS] = [10_000, 100_000]

/** The result of trying a query adapter. */
export interface TriedAdapter {
  /** The adapter's folder. */
  folder: string
  /** The number of training queries, and the recipe. */
  queries: number
  recipe: RecipeName
  /**
   * Whether the adapter gains nothing on held-out training queries, so that the table has no row
   * for it.
   */
  keepsOld: boolean
  /** The figures of vector search on held-out training queries, and the measure that decided. */
  heldOut: HeldOutMeasures & { measure: string; by: 'judgments' | 'teacher' }
}

/** The files of the measured queries. */
interface MeasuredFiles {
  corpus: string
  docs: string
  queries: string
  queryText: string
  termStatistics: string
  run: string
  /** The judgments of the queries; without judgments, no adapter is tried. */
  qrels: string | undefined
}

/** The files of training queries; no training query is measured. */
interface TrainingFiles {
  queries: string
  queryText: string
  run: string
  qrels: string | undefined
  /** The ids of the training queries. */
  ids: readonly string[]
}

/**
 * Fits an adapter to the training queries of a dataset: queries of its split `train`, or queries
 * without judgments. Returns undefined if there are too few of them, or too many for a try.
 */
export async function fitTried(
  dataset: Dataset,
  files: MeasuredFiles,
  { level, ...options }: DatasetOptions & { level?: number | undefined },
  hooks: Hooks,
): Promise<TriedAdapter | undefined> {
  const { corpus, docs } = files
  const { folder: out, run } = placesOf(dataset)
  const training = await trainingFiles(dataset, files, options, hooks)
  if (!training || training.ids.length < ENOUGH) return undefined
  const embeddings = await openEmbeddings(docs)
  const { rows } = embeddings
  await embeddings.close()
  if (training.ids.length > MOST_QUERIES || rows > MOST_DOCUMENTS) {
    const size = `${training.ids.length} training queries and ${rows} documents take long`
    hooks.onRemark?.(`leaving out a query adapter: ${size}; run kith train --adapter linear`)
    return undefined
  }
  const { queries, queryText, qrels } = training
  const made = [docs, queries, ...(qrels === undefined ? [] : [qrels])]
  const { stale, sidecar } = findPath(out)
    ? await stateOf(out, made, dataset.folder)
    : { stale: 'missing', sidecar: undefined }
  const known = sidecar as { settings: TriedAdapter; heldOut?: TriedAdapter['heldOut'] } | undefined
  if (stale === undefined && known?.heldOut) {
    const { queries: count, recipe, keepsOld } = known.settings
    return { folder: out, queries: count, recipe, keepsOld, heldOut: known.heldOut }
  }
  // A run of all queries would include the measured queries.
  const all = await readRun(training.run)
  await writeRun(
    run,
    training.ids.map((id) => all.get(id)!),
  )
  const { signal, onProgress } = hooks
  const result = await fitAdapterFiles(
    {
      ...{ docs, training: { queries, run, qrels }, teacher: { corpus, queryText }, level, out },
      // Training queries with missing data should not end a try.
      missing: 'skip',
    },
    { signal, onProgress },
  )
  const { heldOut, recipe, keepsOld } = result
  return { folder: out, queries: result.queries, recipe, keepsOld, heldOut: heldOut! }
}

/** Searches and reranks with adapted queries. */
export async function rerankAdapted(
  dataset: Dataset,
  { folder: adapter }: TriedAdapter,
  { queries: plain, termStatistics, qrels: _, run: __, ...files }: MeasuredFiles,
  { out, workers }: { out: string; workers?: number | undefined },
  hooks: Hooks,
): Promise<{ queries: number; seconds: number }> {
  const { queries, searched: run } = placesOf(dataset)
  await adaptQueries({ adapter, queries: plain, out: queries })
  await searchRun({ queries, docs: files.docs, out: run, workers }, hooks)
  const statistics = { file: termStatistics }
  return rerankRun({ ...files, queries, run, statistics, workers, out }, hooks)
}

/** Returns the paths of a tried adapter's files. */
function placesOf(dataset: Dataset) {
  const at = (name: string) => join(dirname(dataset.place('adaptedKith')), name)
  const { suffix } = dataset
  return {
    folder: at(`adapter${suffix}`),
    run: at(`training${suffix}.trec`),
    queries: at(`adapted${suffix}.npy`),
    searched: at(`adapted${suffix}.trec`),
  }
}

/**
 * Returns the training queries, or undefined if the dataset has none, or if the options name its
 * files.
 */
async function trainingFiles(
  dataset: Dataset,
  measured: MeasuredFiles,
  { files = {}, ...options }: DatasetOptions,
  hooks: Hooks,
): Promise<TrainingFiles | undefined> {
  if (measured.qrels === undefined) return undefined
  const judged = await readQrels(measured.qrels)
  const isTrained = dataset.split === 'train' || files.qrels !== undefined
  if (!dataset.splits.includes('train') || isTrained) {
    const ids = (await readRun(measured.run)).queries.filter((id) => !judged.has(id))
    const { queries, queryText, run } = measured
    return isTrained ? undefined : { queries, queryText, run, qrels: undefined, ids }
  }
  const { corpus, documentEmbeddings } = files
  const train = openDataset(dataset.folder, {
    ...options,
    ...{ purpose: 'train', split: 'train', files: { corpus, documentEmbeddings } },
  })
  const qrels = await train.find('qrels')
  const learned = qrels === undefined ? [] : relevantIn(await readQrels(qrels))
  if (learned.length < ENOUGH) return undefined
  // Queries of one file that are in both splits are measured, and not used for training.
  const shared = train.suffix === dataset.suffix ? judged : new Map()
  const [queries, queryText] = [
    await train.need('queryEmbeddings', hooks),
    await train.need('queries', hooks),
  ]
  const run = await train.need('run', hooks)
  if (queries === undefined || queryText === undefined || run === undefined) return undefined
  const found = await readRun(run)
  const ids = learned.filter((id) => found.has(id) && !shared.has(id))
  return { queries, queryText, run, qrels, ids }
}

/** Returns the queries with a relevant document. */
function relevantIn(qrels: Qrels): string[] {
  const isRelevant = (grades: ReadonlyMap<string, number>) =>
    [...grades.values()].some((g) => g > 0)
  return [...qrels].filter(([, grades]) => isRelevant(grades)).map(([id]) => id)
}

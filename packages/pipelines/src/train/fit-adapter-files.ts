import { join } from 'node:path'
import { lockFile } from '@kith/base'
import { throwIfAborted } from '@kith/core/internal'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import type { Metric } from '@kith/stores'
import type { AdapterModel, RecipeName } from '@kith/train'
import { fingerprint, writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { someMissing, type TrainingMissing } from '../join/missing.ts'
import { encoderOf } from './adapt-queries.ts'
import { chooseShrinkage, type TriedShrinkage } from './choose-shrinkage.ts'
import { FitStates } from './fit-states.ts'
import type { HeldOutMeasures } from './hold-out.ts'
import { type FitInputs, type OpenFit, openFit } from './open-fit.ts'
import { loadFit, loadTrain } from './training-inputs.ts'
import { learnedBy } from './training-report.ts'

/** The result of fitting an adapter. */
export interface FitResult {
  /** The folder of the adapter. */
  out: string
  recipe: RecipeName
  /** Number of training queries. */
  queries: number
  inverseTemperature: number
  shrinkage: number
  /** The shrinkages that were compared on held-out queries. */
  tried: readonly TriedShrinkage[]
  /** Whether the saved adapter is the identity, since no adapter gained on held-out queries. */
  keepsOld: boolean
  /**
   * The figures on held-out queries, if any, of an adapter that has not learned from them, and the
   * measure that decided.
   */
  heldOut: (HeldOutMeasures & { measure: string; by: OpenFit['by'] }) | undefined
  /** The queries and documents that were skipped because of missing data. */
  missing: TrainingMissing
  /** The metric for searching the documents: the metric of the training run. */
  metric: Metric
}

/**
 * Fits a linear adapter of query embeddings (docs/method.md section 7), and tests it on held-out
 * queries. If it does not gain on them, it saves the identity. If it is interrupted, the same call
 * resumes with the same result.
 *
 * ```ts
 * const { heldOut, keepsOld } = await fitAdapterFiles({
 *   docs: 'docs.npy',
 *   training: { queries: 'queries.npy', run: 'run.trec', qrels: 'train.tsv' },
 *   out: 'adapter',
 * })
 * ```
 */
export async function fitAdapterFiles(
  inputs: FitInputs & { out: string },
  hooks: Hooks = {},
): Promise<FitResult> {
  const { dimensions, memory, out, level, settings } = inputs
  const { adapterQueries, fitAdapter, FIT_ITERATIONS, shrinkageOf, unitDocuments } = await loadFit()
  const docs = await openEmbeddings(inputs.docs, { dimensions, memory })
  const lock = lockFile(join(out, 'training'))
  try {
    const opened = await openFit(inputs, docs, hooks)
    const { recipe, learned, all, heldOut: queries, inverseTemperature, metric, device } = opened
    const documents = metric === 'cosine' ? unitDocuments(docs) : docs
    const origin = await originOf(inputs, docs)
    const states = new FitStates(out, await identityOf(inputs, opened))
    let fits = 0
    const fit = async (taught: OpenFit['all'], shrinkage: number): Promise<AdapterModel> => {
      const number = fits++
      const stage = `fitting to ${taught.length} queries with shrinkage ${shrinkage}`
      const progress = (done: number) => hooks.onProgress?.({ stage, done, total: FIT_ITERATIONS })
      const saved = await states.read(number)
      progress(saved?.state.iteration ?? 0)
      const found = await fitAdapter({
        ...{ documents, inverseTemperature, shrinkage, seed: settings?.seed, ...device },
        queries: adapterQueries(taught, recipe),
        origin,
        state: saved?.state,
        // A finished fit needs no further iterations.
        ...(saved?.done ? { iterations: saved.state.iteration } : {}),
        async onIteration(state) {
          await states.save(number, { state, done: false }, hooks.signal?.aborted ?? false)
          throwIfAborted(hooks.signal)
          progress(state.iteration)
        },
      })
      await states.save(number, { state: found.state, done: true }, true)
      progress(FIT_ITERATIONS)
      return found.model
    }
    const { shrinkage, tried, measure, measures } = await chooseShrinkage(
      { usual: shrinkageOf(recipe, inverseTemperature), given: settings?.shrinkage },
      queries && { queries, docs, metric, level, device, fit: (one) => fit(learned, one) },
    )
    const keepsOld = measures !== undefined && !(measures[measure]!.difference > 0)
    const model = keepsOld ? await unchanged(docs, origin) : await fit(all, shrinkage)
    lock.check()
    await model.save(out)
    await states.remove()
    const result: FitResult = {
      ...{ out, recipe, queries: all.length, inverseTemperature, shrinkage, tried, keepsOld },
      heldOut: measures && { queries: queries!.queries.length, measures, measure, by: opened.by },
      ...{ missing: opened.missing, metric },
    }
    await describe(inputs, opened, result, docs)
    return result
  } finally {
    await lock.close()
    await docs.close()
  }
}

/** Returns the identity of the fits: if the data or settings change, the fits start again. */
function identityOf(
  { settings, level, holdOut }: FitInputs,
  { recipe, files }: OpenFit,
): Promise<string> {
  return fingerprint({ ...settings, level, holdOut, recipe }, files)
}

/** Number of documents that an adapter records for identifying its corpus. */
const KNOWN = 16

/** Describes the embeddings that the adapter belongs to. */
async function originOf(
  { training }: FitInputs,
  docs: Embeddings,
): Promise<AdapterModel['origin']> {
  const count = Math.min(KNOWN, docs.rows)
  const rows = Array.from({ length: count }, (_, i) => Math.floor((i * docs.rows) / count))
  const documents = { ids: rows.map((row) => docs.idOf(row)), vectors: docs.gather(rows) }
  return { model: await encoderOf(training.queries), documents }
}

/** Creates an adapter that changes nothing. */
async function unchanged(
  { dimensions }: Embeddings,
  origin: AdapterModel['origin'],
): Promise<AdapterModel> {
  const { AdapterModel } = await loadTrain()
  return new AdapterModel({ kind: 'linear', dimensions, normalize: true, origin })
}

/** Writes the sidecar of the adapter's folder. */
async function describe(
  inputs: FitInputs,
  { all, heldOut: tested, files }: OpenFit,
  result: FitResult,
  docs: Embeddings,
): Promise<void> {
  const { out, heldOut, missing, tried, ...found } = result
  const { teacher, settings } = inputs
  const made = { adapter: 'linear', ...settings, teacher, ...found }
  // `all` includes held-out training queries.
  const validation = inputs.validation && tested?.queries
  const learnedFrom = await learnedBy({ queries: all, validation, docs }, inputs, out)
  const more = { missing: someMissing(missing), tried, heldOut, learnedFrom }
  await writeSidecar(out, 'train', made, files, more)
}

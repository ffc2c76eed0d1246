import { lookedAt } from '@kith/core/internal'
import { type FileEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { outputFormat, type SharedRowIds, writeRunParts } from '@kith/ir/internal'
import { type Digest, Digester } from '../files/paths.ts'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type OpenVectors, openSliceVectors, sliceSources } from '../join/contexts.ts'
import { writeFrame } from '../join/frame.ts'
import { MissingReport, remarkMissing } from '../join/missing.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { checkTextPair } from '../join/open-texts.ts'
import { PreparedTexts, shareRowTexts, type WantedTexts } from '../join/prepared-texts.ts'
import { documentsIn, runMetric } from '../join/run-metric.ts'
import { readStatistics, shareStatistics, usesStatistics } from '../join/statistics.ts'
import { shareOf } from '../labels/shares.ts'
import { namesOf, type OpenRun, openRun, queriesOf, readSlice, tasksOf } from '../tasks/open-run.ts'
import { EarlyThreads, runTasks, workersFor } from '../tasks/task-pool.ts'
import { listOf } from './list-of-run.ts'
import { fieldsOf, leavesOut } from './list-settings.ts'
import type { Reranked, RerankPlan } from './rerank-run.ts'
import type { RerankedSlice, RerankRules, RerankSliceInputs } from './rerank-slice.ts'
import { rowFields } from './row-fields.ts'

/** Reranks with the documents' embeddings from a file. */
export async function rerankFiles(plan: RerankPlan, docs: string, hooks: Hooks): Promise<Reranked> {
  const threads = EarlyThreads.forRun('rerank', plan)
  // The run is indexed while embeddings are read. An error of the run is thrown below.
  const opening = openRun(plan.run)
  opening.catch(() => {})
  let vectors: OpenVectors | undefined
  try {
    vectors = await openSliceVectors({ ...plan, docs })
    return await rerankWith(vectors, await opening, { ...plan, docs, threads }, hooks)
  } finally {
    await threads.close()
    await vectors?.close()
  }
}

/** A plan with its threads, and with the documents' embeddings. */
interface FilePlan extends RerankPlan {
  docs: string
  threads: EarlyThreads
}

async function rerankWith(
  vectors: OpenVectors,
  all: OpenRun,
  plan: FilePlan,
  hooks: Hooks,
): Promise<Reranked> {
  const { queries, docs } = vectors
  const ranked = { run: plan.run, rankings: namesOf(all), queries, documents: documentsIn(docs) }
  // All shards use the metric of the whole run.
  const metric = await runMetric(plan.settings.metric, ranked, hooks)
  const { shard = { index: 1, count: 1 } } = plan
  const share = shareOf(shard, all.queries)
  const run = shard.count === 1 ? all : queriesOf(all, share.from, share.to)
  const { missing, statistics: source = 'corpus', workers } = plan
  const files = checkTextPair(plan)
  const asked = { ...plan.settings, metric }
  const { defaultTokenizer } = plan
  const about = { statistics: source, texts: files?.corpus, defaultTokenizer }
  const settings = await nameTokenizer(asked, about, hooks)
  const { tokenizer } = settings
  const known = files && usesStatistics(settings)
  const kept = known ? await readStatistics(source, settings) : undefined
  const count = known === true && source !== 'context' && !kept
  const looked = lookedAt(settings, files !== undefined, kept !== undefined || count)
  const rules = { missing, lookedAt: leavesOut(plan.list) ? Infinity : looked }
  const sources = sliceSources(plan, vectors)
  const wanted = files && (await textsOfSlices(run, vectors, sources.ids.docs, rules))
  const fields = fieldsOf(plan.list)
  const preparation = { tokenizer, count, workers, fields, threads: plan.threads }
  const texts = files && (await PreparedTexts.read(files, wanted!, preparation))
  const statistics = shareStatistics(kept ?? texts?.statistics)
  const start = performance.now()
  const inputs = {
    ...{ ...sources, ...rules },
    texts: texts && shareRowTexts(texts, vectors.queries),
    settings: { ...settings, statistics },
    list: await listOf(plan, {
      docs: plan.docs,
      rows: vectors.docs.rows,
      dimensions: vectors.docs.dimensions,
    }),
    fields:
      fields.length > 0
        ? rowFields(plan.list!, files!.corpus, texts!.documents.fields, vectors.docs)
        : undefined,
  }
  const whole = { ...plan, documents: docs }
  const { reranked, folded, report, digest } = await rerankSlices(run, inputs, whole, hooks)
  const seconds = (performance.now() - start) / 1000
  const counted = typeof source === 'object' && kept ? source.file : undefined
  const read = [plan.run, plan.queries, plan.docs, plan.corpus, plan.queryText, counted]
  const estimated = [plan.background, plan.calibration]
  await writeSidecar(
    plan.out,
    'rerank',
    {
      ...{ ...settings, missing, texts: texts !== undefined },
      ...(statistics ? { statistics: { documents: statistics.documents } } : {}),
      thenCrossEncode: plan.crossEncoding?.settings,
      cutoff: plan.cutoff,
      list: plan.list,
      ...(shard.count === 1 ? {} : { shard }),
    },
    [...read, ...estimated, plan.tunedFile].filter((file) => file !== undefined),
    {},
    digest,
  )
  const left = leavesOut(plan.list) ? { folded } : {}
  return { queries: reranked, seconds, report, whole: run.whole, ...left }
}

/**
 * Reranks a run slice by slice and writes the result. Workers read, rerank and format whole slices;
 * this thread only distributes the slices and writes the results.
 */
async function rerankSlices(
  run: OpenRun,
  inputs: Omit<RerankSliceInputs, 'form'>,
  plan: FilePlan & { documents: FileEmbeddings },
  hooks: Hooks,
): Promise<{
  reranked: number
  folded: number
  report: MissingReport
  /** The digest of the new run, if its bytes were written here. */
  digest: Digest | undefined
}> {
  const { out, missing, crossEncoding, kept, threads, workers = workersFor(run.queries) } = plan
  const format = outputFormat(out)
  // A row group of Parquet spans many slices.
  const form = crossEncoding || format === 'parquet' ? undefined : { file: out, format }
  const answers = runTasks('rerank', { ...inputs, form }, tasksOf(run), workers, {
    batch: 1,
    threads,
  })
  const onDone = stageOf(hooks, 'reranking', run.queries)
  const counts = { queries: 0, reranked: 0, folded: 0 }
  const report = new MissingReport()
  const digester = form && new Digester()
  if (form) await writeRunParts(out, form.format, lines(), digester!.add)
  else {
    const made = crossEncoding ? crossEncoding.reorder(rankings(), hooks) : rankings()
    if (kept) await writeFrame({ ...plan, kept }, plan.documents, made)
    else await writeRun(out, made)
  }
  remarkMissing(report, hooks)
  return { reranked: counts.reranked, folded: counts.folded, report, digest: digester?.end() }

  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const slice of slices()) yield slice.lines!
  }

  async function* rankings(): AsyncGenerator<RankedQuery> {
    for await (const slice of slices()) yield* slice.rankings
  }

  async function* slices(): AsyncGenerator<RerankedSlice> {
    for await (const [, slice] of answers) {
      yield slice
      report.addAll(slice.missing)
      counts.reranked += slice.reranked
      counts.folded += slice.folded
      counts.queries += slice.queries
      onDone(counts.queries)
    }
    report.check(missing)
  }
}

/**
 * Selects the texts for reranking a run: of queries and documents with an embedding. It keeps only
 * one byte per row.
 */
async function textsOfSlices(
  run: OpenRun,
  { queries, docs }: { queries: FileEmbeddings; docs: FileEmbeddings },
  ids: SharedRowIds,
  { missing, lookedAt }: RerankRules,
): Promise<WantedTexts> {
  const asked = new Uint8Array(queries.rows)
  const needed = new Uint8Array(new SharedArrayBuffer(docs.rows))
  for await (const task of tasksOf(run)) {
    const { list, documents } = readSlice(task)
    for (const { query, ids } of list) {
      const row = queries.rowOf(query)
      if (row === undefined) continue
      asked[row] = 1
      // If candidates are skipped, later candidates move up into the context.
      for (const number of missing === 'skip' ? ids : ids.subarray(0, lookedAt)) {
        const found = docs.ids.find(documents, number)
        if (found >= 0) needed[found] = 1
      }
    }
  }
  return {
    query: (id) => asked[queries.rowOf(id) ?? -1] === 1,
    documents: { ids, needed },
  }
}

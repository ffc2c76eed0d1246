import type { MethodSettings } from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import { remarkLearned } from '../evaluate/remark-learned.ts'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../hooks.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { type OpenVectors, openVectors } from '../join/open-vectors.ts'
import { PreparedTexts } from '../join/prepared-texts.ts'
import { documentsIn, runMetric } from '../join/run-metric.ts'
import {
  checkNamedTokenizer,
  readStatistics,
  shareStatistics,
  usesStatistics,
} from '../join/statistics.ts'
import { checkTextPair } from '../join/text-files.ts'
import { namesOf, type OpenRun, openRun } from '../tasks/open-run.ts'
import type { CrossEncoding } from './cross-encoding.ts'
import { measureReranking } from './rerank-figures.ts'
import type { RerankInputs, RerankResult } from './rerank-run.ts'
import { rerankSlices } from './rerank-slices.ts'
import { textsOfSlices } from './texts-of-slices.ts'

/** Inputs whose settings are complete and whose documents are in a file. */
export interface RerankFilesPlan extends RerankInputs {
  docs: string
  settings: MethodSettings
  missing: MissingPolicy
  crossEncoding: CrossEncoding | undefined
}

/** Reranks with embeddings from files. */
export async function rerankFiles(plan: RerankFilesPlan, hooks: Hooks): Promise<RerankResult> {
  // The run is looked through while the embeddings are read. An error of it is thrown below.
  const opening = openRun(plan.run)
  opening.catch(() => {})
  // A reranking finds by itself where a row is not finite.
  const vectors = await openVectors({ ...plan, checked: false })
  try {
    return await rerankWith(vectors, await opening, plan, hooks)
  } finally {
    await vectors.close()
  }
}

async function rerankWith(
  { queries, docs }: OpenVectors,
  run: OpenRun,
  asked: RerankFilesPlan,
  hooks: Hooks,
): Promise<RerankResult> {
  const sources = { run: asked.run, rankings: namesOf(run), queries, documents: documentsIn(docs) }
  const metric = await runMetric(asked.settings.metric, sources, hooks)
  const plan = { ...asked, settings: { ...asked.settings, metric } }
  const { out, settings, missing, qrels, corpus, queryText, crossEncoding } = plan
  const textFiles = checkTextPair(plan)
  const tokenizer = checkNamedTokenizer(settings)
  const { statistics: source = 'corpus' } = plan
  const known = textFiles && usesStatistics(settings)
  const kept = known ? await readStatistics(source, settings) : undefined
  const count = known === true && source === 'corpus'
  const looked = lookedAt(settings, textFiles !== undefined, kept !== undefined || count)
  const texts =
    textFiles &&
    (await PreparedTexts.read(
      textFiles,
      await textsOfSlices(run, { queries, docs, missing, lookedAt: looked }),
      { tokenizer: tokenizer, count, workers: plan.workers },
    ))
  const statistics = shareStatistics(kept ?? texts?.statistics)
  const start = performance.now()
  const opened = { ...{ run, queries, docs, texts, statistics }, lookedAt: looked }
  const { reranked, report } = await rerankSlices(opened, plan, hooks)
  const seconds = (performance.now() - start) / 1000
  const terms = typeof source === 'object' && kept ? source.file : undefined
  const files = [plan.run, plan.queries, plan.docs, corpus, queryText, terms, plan.tunedFile]
  await writeSidecar(
    out,
    'rerank',
    {
      ...{ ...settings, missing, texts: texts !== undefined },
      ...(statistics ? { statistics: { documents: statistics.documents } } : {}),
      thenCrossEncode: crossEncoding?.settings,
    },
    files.filter((file) => file !== undefined),
  )
  const figures =
    qrels === undefined
      ? undefined
      : await measureReranking(qrels, {
          before: { file: plan.run, run: run.whole },
          reranked: crossEncoding?.before,
          after: out,
          measuring: plan.measuring,
        })
  if (figures) await remarkLearned(figures.evaluations, hooks)
  return { out, queries: reranked, seconds, missing: report.list(), figures }
}

import {
  auditPreset,
  type LabelSettings,
  type PartialLabelSettings,
  resolveLabelSettings,
} from '@kith/core'
import type { OpenEmbeddingsOptions, Qrels, RankedQuery } from '@kith/ir'
import type { Hooks } from '../hooks.ts'
import { jobDefaults } from '../job-defaults.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { OpenTexts } from '../join/open-texts.ts'
import { type OpenVectors, openVectors } from '../join/open-vectors.ts'
import { documentsIn, rankingsIn, runMetric } from '../join/run-metric.ts'
import { checkTextPair, type TextFiles } from '../join/text-files.ts'
import { type VectorSource, vectorSource } from '../join/vector-rows.ts'
import type { LabelPlan } from '../label/label-tasks.ts'

/** The files and settings of an audit. */
export interface AuditFiles extends TextFiles, OpenEmbeddingsOptions {
  /** Candidates of the judged queries. */
  run: string
  /** Embeddings of the queries, and of the documents. */
  queries: string
  docs: string
  /** The judgments so far. */
  qrels: string
  /** The lowest grade of a relevant document; 1 without it. */
  level?: number | undefined
  /** Settings that differ from `auditPreset` of `@kith/core`. */
  settings?: PartialLabelSettings | undefined
  missing?: MissingPolicy | undefined
  /** Threads; the result does not depend on their number. */
  workers?: number | undefined
}

/** The files of an audit, open, and its settings, complete. */
export interface AuditSources extends OpenVectors {
  texts: OpenTexts | undefined
  settings: LabelSettings
  level: number
  missing: MissingPolicy
  /** The embeddings as workers take them. */
  vectors: { queries: VectorSource; docs: VectorSource }
}

/** Opens the files of an audit. */
export async function openAudit(files: AuditFiles, hooks: Hooks): Promise<AuditSources> {
  const asked = resolveLabelSettings(files.settings, auditPreset)
  const { level = jobDefaults.level, missing = jobDefaults.missing } = files
  const pair = checkTextPair(files)
  const opened = await openVectors({ ...files, checked: false })
  const { queries, docs } = opened
  try {
    const { run } = files
    const ranked = { run, rankings: rankingsIn(run), queries, documents: documentsIn(docs) }
    const settings = { ...asked, metric: await runMetric(asked.metric, ranked, hooks) }
    const texts = pair && (await OpenTexts.open(pair, settings.tokenizer))
    const close = async (): Promise<void> => {
      await opened.close()
      await texts?.close()
    }
    return {
      ...{ queries, docs, texts, settings, level, missing },
      vectors: {
        queries: vectorSource(files.queries, queries),
        docs: vectorSource(files.docs, docs),
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The contexts of all queries that some judgments know. */
export function planOf(
  { queries, docs, texts, settings, level, missing }: AuditSources,
  rankings: AsyncIterable<RankedQuery>,
  qrels: Qrels,
): LabelPlan {
  const { contextSize } = settings
  const all = { from: 0, to: Number.POSITIVE_INFINITY }
  return { rankings, qrels, level, queries, docs, texts, contextSize, missing, ...all }
}

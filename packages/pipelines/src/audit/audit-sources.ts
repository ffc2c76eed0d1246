import { type LabelSettings, type PartialLabelSettings, resolveLabelSettings } from '@kith/core'
import { auditPreset } from '@kith/core/internal'
import type { OpenEmbeddingsOptions } from '@kith/ir'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { openSliceVectors, sliceSources } from '../join/contexts.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { type DefaultTokenizer, nameTokenizer } from '../join/name-tokenizer.ts'
import { checkTextPair, OpenTexts, type TextFiles } from '../join/open-texts.ts'
import { documentsIn, rankingsIn, runMetric } from '../join/run-metric.ts'
import type { LabelSliceInputs } from '../labels/label-slice.ts'

/** The files and settings of an audit. */
export interface AuditFiles extends TextFiles, OpenEmbeddingsOptions, DefaultTokenizer {
  /** The candidates of the judged queries. */
  run: string
  /** The embeddings of the queries and of the documents. */
  queries: string
  docs: string
  /** The current judgments. */
  qrels: string
  /** The lowest grade of a relevant document. Default: 1. */
  level?: number | undefined
  /** Settings that differ from `auditPreset` of `@kith/core`. */
  settings?: PartialLabelSettings | undefined
  missing?: MissingPolicy | undefined
  /** Number of threads; the result does not depend on it. */
  workers?: number | undefined
}

/** The open files of an audit, and its complete settings. */
export interface AuditSources {
  texts: OpenTexts | undefined
  settings: LabelSettings
  level: number
  missing: MissingPolicy
  /** The inputs that workers need. */
  shared: Omit<LabelSliceInputs, 'qrels'>
  close(): Promise<void>
}

/** Opens the files of an audit. */
export async function openAudit(files: AuditFiles, hooks: Hooks): Promise<AuditSources> {
  const asked = resolveLabelSettings(files.settings, auditPreset)
  const { level = jobDefaults.level, missing = jobDefaults.missing } = files
  const pair = checkTextPair(files)
  const opened = await openSliceVectors(files)
  const { queries, docs } = opened
  try {
    const { run } = files
    const ranked = { run, rankings: rankingsIn(run), queries, documents: documentsIn(docs) }
    const metric = await runMetric(asked.metric, ranked, hooks)
    const about = { texts: pair?.corpus, defaultTokenizer: files.defaultTokenizer }
    const settings = await nameTokenizer({ ...asked, metric }, about, hooks)
    const texts = pair && (await OpenTexts.open(pair, settings.tokenizer))
    const rules = { settings, level, missing }
    const compared = { texts: texts?.share(), compares: true }
    return {
      ...{ ...rules, texts },
      shared: { ...sliceSources(files, opened), ...rules, ...compared },
      async close() {
        await opened.close()
        await texts?.close()
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

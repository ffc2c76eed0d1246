import type { LabelSettings } from '@kith/core'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import type { LabelInputs } from '@kith/pipelines/internal'
import { TextPair, vectorSource } from '@kith/pipelines/internal'
import type { Options, Values } from '../options/command.ts'
import { readLabelSettings, settingOptions } from '../options/setting-options.ts'
import { readEmbeddingOptions, textFiles } from '../options/shared-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText, optionalWhole } from '../options/values.ts'

/** An audit looks deeper than a reranking, and all known relevant documents must fit. */
const CONTEXT = 200

/** The method's settings as options of an audit. */
export const auditSettingOptions = {
  ...settingOptions,
  context: { value: 'N', help: 'how many documents a context has', default: String(CONTEXT) },
  target: {
    value: 'KIND',
    help: 'what counts as evidence: joint, mixed, geometric, rnn, query-centric',
    default: 'joint',
  },
} satisfies Options

/** The files and settings of an audit. */
export interface AuditSources {
  run: string
  qrels: string
  /** All files, for the sidecar. */
  files: string[]
  queries: Embeddings
  docs: Embeddings
  texts: TextPair | undefined
  settings: LabelSettings
  level: number
  inputs: Omit<LabelInputs, 'settings'>
  close(): void
}

/** Opens what the options name. */
export async function openAudit(values: Values): Promise<AuditSources> {
  const [run, queriesFile, docsFile, qrels] = ['run', 'queries', 'docs', 'qrels'].map((name) => {
    const file = optionalText(values, name)
    if (file === undefined) throw new UsageError(`--${name} FILE is missing`)
    return file
  }) as [string, string, string, string]
  const settings = readLabelSettings({ target: 'joint', context: String(CONTEXT), ...values })
  const [corpus, queryText] = textFiles(values)
  const options = readEmbeddingOptions(values)
  const queries = await openEmbeddings(queriesFile, options)
  const docs = await openEmbeddings(docsFile, options)
  const texts = corpus && queryText ? await TextPair.open(corpus, queryText) : undefined
  return {
    run,
    qrels,
    files: [run, queriesFile, docsFile, qrels, corpus, queryText].filter(
      (file) => file !== undefined,
    ),
    queries,
    docs,
    texts,
    settings,
    level: optionalWhole(values, 'level') ?? 1,
    inputs: {
      queries: vectorSource(queriesFile, queries),
      docs: vectorSource(docsFile, docs),
    },
    close() {
      queries.close()
      docs.close()
      texts?.close()
    },
  }
}

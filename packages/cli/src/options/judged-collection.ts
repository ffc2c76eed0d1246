import { type Embeddings, openEmbeddings, type Qrels, type Run, readQrels, readRun } from '@kith/ir'
import { missingPolicies, preparedTexts } from '@kith/pipelines/internal'
import { collect, createEvaluator, type Evaluator, type TrialCollection } from '@kith/tune'
import type { Output } from '../terminal/output.ts'
import type { Options, Values } from './command.ts'
import {
  embeddingOptions,
  readEmbeddingOptions,
  textFiles,
  textOptions,
  workerOption,
} from './shared-options.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from './values.ts'

/** Judged queries that settings are measured on, and how. */
export const judgedOptions = {
  run: { value: 'FILE', file: 'input', help: 'the run that would be reranked', required: true },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', required: true },
  qrels: { value: 'FILE', file: 'input', help: 'judgements', required: true },
  ...textOptions,
  measure: { value: 'NAME', help: 'what is measured', default: 'nDCG@10' },
  level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
  strict: { help: 'grades below the level give no gain in nDCG either (TREC DL)' },
  missing: {
    value: 'WHAT',
    help: 'queries or candidates without an embedding or text: error, or skip',
    default: 'error',
  },
  ...embeddingOptions,
  ...workerOption,
} satisfies Options

/** What the options name, opened. */
export interface Judged {
  run: Run
  qrels: Qrels
  queries: Embeddings
  docs: Embeddings
  collection: TrialCollection
  evaluator: Evaluator
  scoring: { measure: string; level: number | undefined; strict: boolean }
  missing: (typeof missingPolicies)[number]
  /** The files that were read. */
  files: string[]
  close(): Promise<void>
}

/** Opens judged queries for contexts of at most `largest` candidates. */
export async function openJudged(
  values: Values<typeof judgedOptions>,
  output: Output,
  largest: number,
): Promise<Judged> {
  const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
  const scoring = {
    measure: optionalText(values, 'measure') ?? 'nDCG@10',
    level: optionalWhole(values, 'level'),
    strict: isSet(values, 'strict'),
  }
  const [corpus, queryText] = textFiles(values)
  const [runFile, queriesFile] = [text(values, 'run'), text(values, 'queries')]
  const [docsFile, qrelsFile] = [text(values, 'docs'), text(values, 'qrels')]
  const options = readEmbeddingOptions(values)
  const queries = await openEmbeddings(queriesFile, options)
  const docs = await openEmbeddings(docsFile, options)
  try {
    const [run, qrels] = [await readRun(runFile), await readQrels(qrelsFile)]
    const texts =
      corpus && queryText
        ? await preparedTexts({ run, contextSize: largest, missing }, corpus, queryText)
        : undefined
    const found = collect({ run, qrels, queries, docs, texts, largest, missing })
    for (const remark of found.remarks) output.remark(remark)
    const { collection } = found
    const workers = optionalWhole(values, 'workers')
    const evaluator = createEvaluator(collection, { ...scoring, workers })
    const files = [runFile, queriesFile, docsFile, qrelsFile, corpus, queryText]
    return {
      ...{ run, qrels, queries, docs, collection, evaluator, scoring, missing },
      files: files.filter((file) => file !== undefined),
      async close() {
        await evaluator.close()
        queries.close()
        docs.close()
      },
    }
  } catch (error) {
    queries.close()
    docs.close()
    throw error
  }
}

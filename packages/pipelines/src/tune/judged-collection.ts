import type { Settings, TokenizerName } from '@kith/core'
import { tokenizerNames } from '@kith/core/internal'
import { type OpenEmbeddingsOptions, type Qrels, type Run, readQrels, readRun } from '@kith/ir'
import { createEvaluator, type Evaluator, type TrialCollection } from '@kith/tune'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type OpenVectors, openVectors } from '../join/contexts.ts'
import { type MissingPolicy, type MissingReport, namingFiles } from '../join/missing.ts'
import type { DefaultTokenizer } from '../join/name-tokenizer.ts'
import { checkTextPair } from '../join/open-texts.ts'
import { PreparedTexts, textsOfRun } from '../join/prepared-texts.ts'
import { documentsIn, runMetric } from '../join/run-metric.ts'
import { collect, type TextsById } from './collect.ts'

/** The judged queries for measuring settings, and options. */
export interface JudgedInputs extends OpenEmbeddingsOptions, DefaultTokenizer {
  /** The run to rerank. */
  run: string
  /** The embeddings of the run's queries. */
  queries: string
  /** The embeddings of the documents. */
  docs: string
  /** The judgments. */
  qrels: string
  /** The texts of the documents. With texts, BM25 scores are used, too. */
  corpus?: string | undefined
  /** The texts of the queries. */
  queryText?: string | undefined
  /**
   * Whether the BM25 score uses the term statistics of the corpus, or only of each query's
   * candidates; default `corpus`.
   */
  statistics?: 'corpus' | 'context' | undefined
  /** The measure; default nDCG@10. */
  measure?: string | undefined
  /** The minimum grade of a relevant document; default 1. */
  level?: number | undefined
  /** Whether grades below the level give no gain in nDCG either. */
  strict?: boolean | undefined
  /** The policy for queries and candidates without an embedding or text; default: error. */
  missing?: MissingPolicy | undefined
  /** Number of threads; the result does not depend on it. */
  workers?: number | undefined
}

/** The opened inputs. */
interface Judged extends OpenVectors {
  run: Run
  qrels: Qrels
  collection: TrialCollection
  evaluator: Evaluator
  scoring: { measure: string; level: number | undefined; strict: boolean }
  policy: MissingPolicy
  /** The queries and candidates that were skipped because of missing data. */
  report: MissingReport
  /** The files that were read. */
  files: readonly string[]
}

/** Judged queries, and the tokenizers for preparing their texts. */
type JudgedPlan = JudgedInputs & { tokenizers: readonly TokenizerName[] }

/** Opens judged queries for contexts of at most `largest` candidates. */
export async function openJudged(inputs: JudgedPlan, largest: number): Promise<Judged> {
  const textFiles = checkTextPair(inputs)
  const vectors = await openVectors(inputs)
  try {
    return await namingFiles(inputs, () => judgedWith(vectors, inputs, textFiles, largest))
  } catch (error) {
    await vectors.close()
    throw error
  }
}

async function judgedWith(
  vectors: OpenVectors,
  inputs: JudgedPlan,
  textFiles: ReturnType<typeof checkTextPair>,
  largest: number,
): Promise<Judged> {
  const {
    missing = jobDefaults.missing,
    measure = jobDefaults.measure,
    level,
    strict = false,
    workers,
  } = inputs
  const { queries, docs } = vectors
  const [run, qrels] = [await readRun(inputs.run), await readQrels(inputs.qrels)]
  const { statistics = 'corpus' } = inputs
  const texts: TextsById[] | undefined = textFiles && []
  for (const tokenizer of texts ? inputs.tokenizers : []) {
    const count = statistics === 'corpus'
    const wanted = textsOfRun(run, largest, missing)
    const prepared = await PreparedTexts.read(textFiles!, wanted, { tokenizer, count })
    texts!.push({
      query: (id: string) => prepared.queries.get(id),
      document: (id: string) => prepared.documents.get(id),
      statistics: prepared.statistics,
    })
  }
  const { collection, report } = collect({ run, qrels, queries, docs, texts, largest, missing })
  const scoring = { measure, level, strict }
  const evaluator = createEvaluator(collection, { ...scoring, workers })
  const files = [inputs.run, inputs.queries, inputs.docs, inputs.qrels]
  const close = async (): Promise<void> => {
    await evaluator.close()
    await vectors.close()
  }
  return {
    ...{ run, qrels, queries, docs, collection, evaluator, scoring },
    policy: missing,
    report,
    files: textFiles ? [...files, textFiles.corpus, textFiles.queryText] : files,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Returns the tokenizers to try, the tokenizer of the settings first. */
export function tokenizersToTry({
  mix,
  tokenizer,
}: Pick<Settings, 'mix'> & { tokenizer: TokenizerName }): TokenizerName[] {
  if (mix !== 'words') return [tokenizer]
  return [tokenizer, ...tokenizerNames.filter((name) => name !== tokenizer)]
}

/** Returns the metric for reranking judged queries. */
export function judgedMetric(
  metric: Settings['metric'],
  file: string,
  { run, queries, docs }: Judged,
  hooks: Hooks,
): Promise<Settings['metric']> {
  const documents = documentsIn(docs)
  return runMetric(metric, { run: file, rankings: run, queries, documents }, hooks)
}

import { presets } from '@kith/core'
import { type RerankInputs, rerankRun, submitRerank } from '@kith/pipelines/rerank'
import { defineCommand, rare } from '../options/command.ts'
import { crossEncoderOptions, readThenCrossEncode } from '../options/cross-encoder-options.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import {
  methodOptions,
  namesTexts,
  readRanking,
  readStatisticsSource,
  statisticsOptions,
} from '../options/setting-options.ts'
import {
  embeddingOptions,
  evaluationOptions,
  missingOption,
  readEmbeddingOptions,
  readEvaluationOptions,
  readMissing,
  readTexts,
  textOptions,
  workerOption,
} from '../options/shared-options.ts'
import { readSource, readSubmission, storeOption, submitOptions } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalText, optionalWhole, text } from '../options/values.ts'
import { tellReranked } from '../terminal/tell-reranked.ts'
import { tellSubmitted } from '../terminal/tell-submitted.ts'

/** `kith rerank`: a run in, a better run out. */
export const rerankCommand = defineCommand({
  name: 'rerank',
  description:
    'Takes a run and the embeddings it came from. With the texts of documents and queries\n' +
    '(--corpus, --query-text), the words they share count too, which helps most: the terms of the\n' +
    'whole corpus are counted on the way (--term-statistics has them counted before). With judgments\n' +
    '(--qrels), it prints figures before and after, and says plainly when reranking made them worse.\n' +
    'Other methods (--method) are there to compare with.\n' +
    'With --then-cross-encode 10 a cross-encoder (--cross-encoder) reads the texts of each query’s\n' +
    'first ten documents when they are reranked, and puts these ten in order by its scores; all\n' +
    'others stay behind them. Every place keeps its score, so that scores fall from place to place.\n' +
    'Documents may also be in a store (--store), their texts and counted terms with them; --submit\n' +
    'leaves the work to kith work on any number of machines.\n' +
    `Presets: ${Object.keys(presets).join(', ')}.`,
  example:
    'kith rerank --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --out better.trec --qrels qrels.trec',
  dataset: {
    purpose: 'measure',
    files: {
      ...{ run: 'run', queries: 'queryEmbeddings', docs: 'documentEmbeddings' },
      ...{ corpus: 'corpus', 'query-text': 'queries', qrels: 'qrels', out: 'reranked' },
    },
  },
  options: {
    run: { value: 'FILE', file: 'input', help: 'the run to reorder', required: true },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
    ...storeOption,
    out: { value: 'FILE', file: 'output', help: 'the run to write' },
    ...rare(submitOptions),
    ...textOptions,
    ...rare(statisticsOptions),
    qrels: { value: 'FILE', file: 'input', help: 'judgments: print figures before and after' },
    ...missingOption('queries or candidates', 'skip (they stay behind the reranked ones)'),
    force: { help: 'rerank even where kith tune says that the old ranking is better' },
    ...rare(crossEncoderOptions),
    ...methodOptions,
    ...rare(evaluationOptions, 'measures'),
    ...datasetOptions,
    ...rare(embeddingOptions),
    ...workerOption,
  },
  async run(values, output) {
    const { settings, tuned } = await readRanking(values, { texts: namesTexts(values) })
    const source = readSource(values)
    const submission = readSubmission(values)
    const inputs: RerankInputs = {
      ...source,
      ...readTexts(values, source),
      ...readEmbeddingOptions(values),
      run: text(values, 'run'),
      queries: text(values, 'queries'),
      out: text(values, 'out'),
      qrels: optionalText(values, 'qrels'),
      measuring: readEvaluationOptions(values),
      settings: tuned ? undefined : settings,
      statistics: readStatisticsSource(values),
      tuned,
      tunedFile: tuned && optionalText(values, 'settings'),
      force: isSet(values, 'force'),
      thenCrossEncode: readThenCrossEncode(values, source),
      missing: readMissing(values),
      workers: optionalWhole(values, 'workers'),
    }
    if (!submission) return tellReranked(output, await rerankRun(inputs, output.hooks()))
    if (tuned?.verdict === 'keep-run' && !inputs.force) {
      throw new UsageError('kith tune says that the old ranking is better: --force submits it')
    }
    tellSubmitted(output, await submitRerank(inputs, submission, output.hooks()))
  },
})

import { jobDefaults } from '@kith/pipelines/job'
import { tryDataset } from '@kith/pipelines/try'
import { defineCommand, rare } from '../options/command.ts'
import { datasetArgument, splitOption } from '../options/dataset-options.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { levelOption, textOptions, workerOption } from '../options/shared-options.ts'
import { optionalText, optionalWhole, UsageError } from '../options/values.ts'
import { tellTried } from '../terminal/tell-tried.ts'

/** `kith try`: measures whether Kith helps on a dataset. */
export const tryCommand = defineCommand({
  name: 'try',
  description:
    'Encodes and searches the dataset, and compares vector search, BM25, reciprocal rank fusion of both,\n' +
    'score fusion and Kith. With more than 50 judged queries, adds Kith with tuned settings\n' +
    '(cross-validated: no query is reranked with settings that it helped to choose). With 200 training\n' +
    'queries or more (split train, or queries without judgments), adds Kith with a query adapter.\n' +
    'Prints nDCG@10, MRR@10 and Recall@100 with significance against vector search, milliseconds per\n' +
    'query, a verdict, and the queries that gained and lost most; writes a report page. Without\n' +
    'judgments, shows the first five documents before and after. Results are kept in DATASET/.kith; run\n' +
    'the same command again to resume.',
  example: 'kith try cisi',
  rest: datasetArgument,
  options: {
    split: { ...splitOption.split, rare: false },
    qrels: {
      value: 'FILE',
      file: 'input',
      help: 'relevance judgments',
      default: 'judgments of DATASET',
    },
    queries: { value: 'FILE', file: 'input', help: 'query embeddings', rare: true },
    docs: { value: 'FILE', file: 'input', help: 'document embeddings', rare: true },
    corpus: { ...textOptions.corpus, rare: true },
    'query-text': { ...textOptions['query-text'], rare: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output report page',
      default: 'DATASET/.kith/MODEL/try/report.html',
    },
    trials: {
      value: 'N',
      help: 'number of settings that tuning tries per fold',
      default: String(jobDefaults.tryTrials),
    },
    ...levelOption,
    ...rare(encoderOptions, 'model'),
    ...workerOption,
  },
  async run(values, output, stop) {
    const [dataset, ...others] = values.rest!
    if (others.length > 0) throw new UsageError(`expected one DATASET, got ${others.length + 1}`)
    const { model: _, ...encoder } = readEncoderOptions(values)
    const inputs = {
      dataset: dataset!,
      ...{ model: optionalText(values, 'model'), split: optionalText(values, 'split'), encoder },
      files: {
        corpus: optionalText(values, 'corpus'),
        queries: optionalText(values, 'query-text'),
        qrels: optionalText(values, 'qrels'),
        documentEmbeddings: optionalText(values, 'docs'),
        queryEmbeddings: optionalText(values, 'queries'),
      },
      out: optionalText(values, 'out'),
      trials: optionalWhole(values, 'trials'),
      level: optionalWhole(values, 'level'),
      workers: optionalWhole(values, 'workers'),
    }
    const result = await stop.untilStopped((signal) => tryDataset(inputs, output.hooks(signal)), {
      onStop: () => output.remark('stopping'),
      next: `finished steps are kept in ${dataset}/.kith; run the same command again to resume`,
    })
    tellTried(output, result)
  },
})

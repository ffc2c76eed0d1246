import { jobDefaults } from '@kith/pipelines/job'
import { tryDataset } from '@kith/pipelines/try'
import { defineCommand, rare } from '../options/command.ts'
import { datasetArgument, splitOption } from '../options/dataset-options.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { levelOption, textOptions, workerOption } from '../options/shared-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText, optionalWhole } from '../options/values.ts'
import { tellTried } from '../terminal/tell-tried.ts'

/** `kith try`: does Kith help on this dataset? */
export const tryCommand = defineCommand({
  name: 'try',
  description:
    'Encodes the dataset, searches it, and compares vector search, BM25, reciprocal rank fusion of\n' +
    'both, score fusion, Kith and, with more than 50 judged queries, Kith with tuned settings\n' +
    '(each query reranked with settings that other queries chose). Prints nDCG@10, MRR@10 and\n' +
    'Recall@100 with significance against vector search, milliseconds per query, a verdict, and the\n' +
    'queries that gained and lost most; writes a report page. Without judgments it shows the first\n' +
    'five documents before and after. Stopped, the same command goes on: what was made is kept in\n' +
    'DATASET/.kith.',
  example: 'kith try cisi',
  rest: datasetArgument,
  options: {
    ...splitOption,
    qrels: { value: 'FILE', file: 'input', help: 'judgments', default: 'those of DATASET' },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', rare: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', rare: true },
    corpus: { ...textOptions.corpus, rare: true },
    'query-text': { ...textOptions['query-text'], rare: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'the report page',
      default: 'DATASET/.kith/MODEL/report.html',
    },
    trials: {
      value: 'N',
      help: 'settings that each study of the tuning tries',
      default: String(jobDefaults.tryTrials),
    },
    ...levelOption,
    ...rare(encoderOptions, 'model'),
    ...workerOption,
  },
  async run(values, output, stop) {
    const [dataset, ...others] = values.rest!
    if (others.length > 0) throw new UsageError(`name one DATASET, not ${others.length + 1}`)
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
    const result = await stop.heed((signal) => tryDataset(inputs, output.hooks(signal)), {
      onStop: () => output.remark('stopping'),
      next: `what is done is kept in ${dataset}/.kith: the same command goes on`,
    })
    tellTried(output, result)
  },
})

import { presets } from '@kith/core'
import { rerankRun, submitRerank } from '@kith/pipelines/rerank'
import { defineCommand } from '../options/command.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { readRerankInputs, rerankOptions } from '../options/rerank-options.ts'
import { readSubmission } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { tellReranked, tellSubmitted } from '../terminal/tell-reranked.ts'

/** `kith rerank`: a run in, a better run out. */
export const rerankCommand = defineCommand({
  name: 'rerank',
  description:
    'Reranks a run (.trec, .tsv, .json or .parquet) with the embeddings it came from. Add the texts of documents and queries (--corpus,\n' +
    '--query-text) to include BM25 scores, which helps most. The terms of the corpus are counted on each\n' +
    'run unless --term-statistics names a file. With judgments (--qrels), prints measures before and\n' +
    'after, and says when reranking made them worse; kith eval has other measures. Other methods\n' +
    '(--set method=…) are for comparison.\n' +
    '--then-cross-encode MODEL reranks each query’s first ten reranked documents by a cross-encoder; the\n' +
    'other documents stay below. Each rank keeps its score, so that scores still decrease.\n' +
    '--shard 3/16 reranks one shard of the queries; the shards together are the whole run.\n' +
    'Documents can also be in a store (--store) with their texts and term statistics; --submit queues\n' +
    'the work for kith work on any number of machines.\n' +
    `Presets: ${Object.keys(presets).join(', ')}.`,
  example:
    'kith rerank --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --out better.trec --qrels qrels.trec',
  dataset: {
    purpose: 'measure',
    files: { ...judgedFiles, out: 'reranked' },
    kept: { 'term-statistics': 'termStatistics', calibration: 'calibration' },
  },
  options: rerankOptions,
  async read(values) {
    const inputs = await readRerankInputs(values)
    const submission = readSubmission(values)
    if (submission && inputs.tuned?.verdict === 'keep-run' && !inputs.force) {
      throw new UsageError(
        'kith tune found the original ranking better; add --force to submit the batch anyway',
      )
    }
    return { inputs, submission }
  },
  async run({ inputs, submission }, output) {
    if (!submission) return tellReranked(output, await rerankRun(inputs, output.hooks()))
    tellSubmitted(output, await submitRerank(inputs, submission, output.hooks()))
  },
})

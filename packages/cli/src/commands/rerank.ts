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
    'Takes a run and the embeddings it came from. With the texts of documents and queries\n' +
    '(--corpus, --query-text), the words they share count too, which helps most: the terms of the\n' +
    'whole corpus are counted on the way (--term-statistics has them counted before). With judgments\n' +
    '(--qrels), it prints figures before and after, and says plainly when reranking made them worse;\n' +
    'kith eval has other measures. Other methods (--set method=…) are there to compare with.\n' +
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
    files: { ...judgedFiles, out: 'reranked' },
    kept: { 'term-statistics': 'termStatistics' },
  },
  options: rerankOptions,
  async run(values, output) {
    const inputs = await readRerankInputs(values)
    const submission = readSubmission(values)
    if (!submission) return tellReranked(output, await rerankRun(inputs, output.hooks()))
    if (inputs.tuned?.verdict === 'keep-run' && !inputs.force) {
      throw new UsageError('kith tune says that the old ranking is better: --force submits it')
    }
    tellSubmitted(output, await submitRerank(inputs, submission, output.hooks()))
  },
})

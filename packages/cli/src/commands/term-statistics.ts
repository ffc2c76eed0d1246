import { collectTermStatistics } from '@kith/pipelines/terms'
import { defineCommand } from '../options/command.ts'
import { readTokenizer, tokenizerOption } from '../options/shared-options.ts'
import { text } from '../options/values.ts'

/** `kith term-statistics`: counts the term statistics of a corpus, for the BM25 score. */
export const termStatisticsCommand = defineCommand({
  name: 'term-statistics',
  description:
    'Counts the terms of a corpus and writes them to a file for --term-statistics of kith rerank and\n' +
    'kith serve, which otherwise count the terms of --corpus themselves. The file stores a hash of each\n' +
    'term instead of the word: 12 bytes per distinct term.',
  example: 'kith term-statistics --corpus corpus.jsonl --out terms.bin',
  dataset: { purpose: 'measure', files: { corpus: 'corpus', out: 'termStatistics' } },
  options: {
    corpus: { value: 'FILE', file: 'input', help: 'texts of all documents', required: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output file for the term statistics (.json writes JSON)',
      required: true,
    },
    ...tokenizerOption('english'),
  },
  read: (values) => ({
    corpus: text(values, 'corpus'),
    out: text(values, 'out'),
    tokenizer: readTokenizer(values),
  }),
  async run(inputs, output, stop) {
    const { out } = inputs
    const { documents, length, hashes } = await stop.untilStopped(
      (signal) => collectTermStatistics(inputs, output.hooks(signal)),
      { next: 'nothing was written' },
    )
    const mean = documents === 0 ? 0 : length / documents
    output.result(
      { out, documents, terms: hashes.length, meanLength: mean },
      `${out}: ${hashes.length} terms of ${documents} documents, ${mean.toFixed(1)} in each`,
    )
  },
})

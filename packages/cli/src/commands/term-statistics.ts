import type { TokenizerName } from '@kith/core'
import { checkTokenizer, tokenizerNames } from '@kith/core/internal'
import { collectTermStatistics } from '@kith/pipelines/terms'
import { defineCommand } from '../options/command.ts'
import { optionalText, text } from '../options/values.ts'

/** `kith term-statistics`: a collection's term statistics, for the words score. */
export const termStatisticsCommand = defineCommand({
  name: 'term-statistics',
  description:
    'kith rerank counts the terms of --corpus by itself; kept in a file, they need not be counted\n' +
    'again (kith rerank --term-statistics, kith serve --term-statistics). A term is known by its hash: the file has no\n' +
    'words, and takes 12 bytes for each different term.',
  example: 'kith term-statistics --corpus corpus.jsonl --out terms.bin',
  dataset: { purpose: 'measure', files: { corpus: 'corpus', out: 'termStatistics' } },
  options: {
    corpus: { value: 'FILE', file: 'input', help: 'texts of all documents', required: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'the statistics; JSON where it ends in .json',
      required: true,
    },
    tokenizer: {
      value: 'KIND',
      help: `tokenizer: ${tokenizerNames.join(', ')}, code, a language, auto for what fits the texts`,
      default: 'english',
    },
  },
  async run(values, output, stop) {
    const out = text(values, 'out')
    const inputs = {
      corpus: text(values, 'corpus'),
      out,
      tokenizer: optionalTokenizer(optionalText(values, 'tokenizer')),
    }
    const { documents, length, hashes } = await stop.heed(
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

function optionalTokenizer(name: string | undefined): TokenizerName | 'auto' | undefined {
  if (name !== undefined) checkTokenizer('tokenizer', name)
  return name as TokenizerName | 'auto' | undefined
}

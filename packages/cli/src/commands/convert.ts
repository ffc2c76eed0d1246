import { type ConvertInputs, convertFile } from '@kith/pipelines/convert'
import { convertedKinds } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { embeddingOptions, readEmbeddingOptions } from '../options/shared-options.ts'
import { isSet, optionalChoice, optionalText, text } from '../options/values.ts'

const units = { run: 'queries', qrels: 'queries', texts: 'texts', embeddings: 'vectors' }

/** `kith convert`: one of the field's formats into another. */
export const convertCommand = defineCommand({
  name: 'convert',
  description:
    'The formats follow from the names and the contents; --to names one where the ending cannot.\n' +
    '  run         trec, msmarco, json\n' +
    '  qrels       trec, beir\n' +
    '  texts       jsonl (BEIR), tsv (MS MARCO), documents or topics (TREC SGML)\n' +
    '  embeddings  by the ending: .npy, .safetensors, .fvecs, .parquet, .jsonl, or a folder name\n' +
    'What the new format has no place for is an error, and nothing is written; --flatten makes\n' +
    'room for titles and line breaks. msmarco has ranks in the place of scores.',
  example: 'kith convert --kind embeddings --in docs.parquet --out docs.npy --f16',
  options: {
    kind: { value: 'KIND', help: convertedKinds.join(', '), required: true },
    in: {
      value: 'FILE',
      file: 'input',
      help: 'what to read (- is standard input)',
      required: true,
    },
    out: { value: 'FILE', file: 'output', help: 'what to write (.gz packs it)', required: true },
    to: { value: 'FORMAT', help: 'the format to write', default: 'by the ending' },
    flatten: { help: 'join titles to texts, make tabs and line breaks spaces (tsv, topics)' },
    f16: { help: 'write embeddings in half precision' },
    ...embeddingOptions,
  },
  async run(values, output) {
    const kind = optionalChoice(values, 'kind', convertedKinds)!
    const out = text(values, 'out')
    const count = await convertFile(
      {
        ...readEmbeddingOptions(values),
        kind,
        input: text(values, 'in'),
        out,
        to:
          kind === 'qrels'
            ? optionalChoice(values, 'to', ['trec', 'beir'])
            : (optionalText(values, 'to') as ConvertInputs['to']),
        flatten: isSet(values, 'flatten'),
        f16: isSet(values, 'f16'),
      },
      output.hooks(),
    )
    output.result({ out, kind, count }, `${out}: ${count} ${units[kind]}`)
  },
})

import { type ConvertInputs, convertFile } from '@kith/pipelines/convert'
import { convertedKinds } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { isSet, optionalChoice, optionalText, text } from '../options/values.ts'

const units = { run: 'queries', qrels: 'queries', texts: 'texts', embeddings: 'vectors' }

/** `kith convert`: converts between standard IR formats. */
export const convertCommand = defineCommand({
  name: 'convert',
  description:
    'Detects the input format from the file. The extension of --out sets the output format, or --to:\n' +
    '  run         trec, msmarco, json, parquet\n' +
    '  qrels       trec, beir\n' +
    '  texts       jsonl (BEIR), tsv (MS MARCO), parquet, documents or topics (TREC SGML)\n' +
    '  embeddings  by extension: .npy, .safetensors, .fvecs, .parquet, .jsonl, or a folder name\n' +
    'Content that the output format cannot hold is an error, and no file is written; --flatten fits\n' +
    'titles and line breaks into formats without them. msmarco keeps ranks instead of scores.',
  example: 'kith convert --kind embeddings --in docs.parquet --out docs.npy --f16',
  options: {
    kind: { value: 'KIND', help: convertedKinds.join(', '), required: true },
    in: {
      value: 'FILE',
      file: 'input',
      help: 'input file (- reads standard input)',
      required: true,
    },
    out: { value: 'FILE', file: 'output', help: 'output file (.gz compresses it)', required: true },
    to: { value: 'FORMAT', help: 'output format', default: 'from the file extension' },
    flatten: {
      help: 'put titles before texts, and replace tabs and line breaks by spaces (tsv, topics)',
    },
    f16: { help: 'write embeddings as float16' },
    passages: {
      help: 'texts: split long documents into passages; run: rank documents by their best passages',
    },
  },
  async run(values, output) {
    const kind = optionalChoice(values, 'kind', convertedKinds)!
    const out = text(values, 'out')
    const count = await convertFile(
      {
        kind,
        input: text(values, 'in'),
        out,
        to:
          kind === 'qrels'
            ? optionalChoice(values, 'to', ['trec', 'beir'])
            : (optionalText(values, 'to') as ConvertInputs['to']),
        flatten: isSet(values, 'flatten'),
        f16: isSet(values, 'f16'),
        passages: isSet(values, 'passages'),
      },
      output.hooks(),
    )
    output.result({ out, kind, count }, `${out}: ${count} ${units[kind]}`)
  },
})

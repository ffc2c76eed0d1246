import { openDataset } from '@kith/pipelines/dataset'
import { type EncodeInputs, encodeTexts } from '@kith/pipelines/encode'
import { defineCommand } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, neededFile, optionalChoice, optionalText } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** `kith encode`: texts in, embeddings out. */
export const encodeCommand = defineCommand({
  name: 'encode',
  description:
    'Reads BEIR JSONL, MS MARCO TSV or TREC texts; writes embeddings in the format that the ending\n' +
    'of --out says (.npy, .safetensors, .parquet, .jsonl, .fvecs), ids beside them. Long texts are\n' +
    'cut at the model’s limit, and counted. Can be stopped at any moment: the same command goes on\n' +
    'where it was, and the file is the same in the end.',
  example: 'kith encode cisi --model minilm',
  dataset: {
    purpose: 'measure',
    // Without --out, the dataset keeps the embeddings of both, documents and queries.
    files: ({ role, out }) =>
      out === undefined ? {} : { input: role === 'query' ? 'queries' : 'corpus' },
  },
  options: {
    input: { value: 'FILE', file: 'input', help: 'the texts' },
    out: { value: 'FILE', file: 'output', help: 'the embeddings to write' },
    role: { value: 'ROLE', help: 'query or document: which prefix is used', default: 'document' },
    ...splitOption,
    f16: { help: 'half precision: half the space' },
    quantize: {
      value: 'KIND',
      help: 'int8: compute with 8 bits; 1.5 times as fast, and a little less exact (docs/encode.md)',
      default: 'float32',
    },
    ...encoderOptions,
  },
  async run(values, output) {
    const role = optionalChoice(values, 'role', ['query', 'document'])
    const encoder = {
      ...readEncoderOptions(values),
      quantize: optionalChoice(values, 'quantize', ['int8']),
      type: isSet(values, 'f16') ? ('f16' as const) : undefined,
    }
    const [folder] = values.rest ?? []
    if (folder !== undefined && values.input === undefined) {
      return encodeDataset(folder, optionalText(values, 'split'), role, encoder, output)
    }
    const [input, out] = [neededFile(values, 'input'), neededFile(values, 'out')]
    const result = await encodeTexts({ ...encoder, input, out, role }, output.hooks())
    const { dimensions, maxTokens, texts, resumed, seconds, out: _, ...rest } = result
    const rate = (texts - resumed) / Math.max(seconds, 1e-9)
    output.result(
      { out, dimensions, maxTokens, rate, texts, ...rest, resumed, seconds },
      `${out}: ${texts} texts × ${dimensions} in ${seconds.toFixed(1)} s (${Math.round(rate)} texts/s)`,
    )
  },
})

/** Encodes the documents and the queries of a dataset, or those of one role. */
async function encodeDataset(
  folder: string,
  split: string | undefined,
  role: 'query' | 'document' | undefined,
  { model, ...encoder }: Omit<EncodeInputs, 'input' | 'out' | 'role'>,
  output: Output,
): Promise<void> {
  const dataset = openDataset(folder, { split, model, encoder })
  const files: string[] = []
  for (const [name, of] of [
    ['document', 'documentEmbeddings'],
    ['query', 'queryEmbeddings'],
  ] as const) {
    if (role !== undefined && role !== name) continue
    const file = await dataset.need(of, output.hooks())
    if (file === undefined) throw new UsageError(`${folder} has no ${dataset.lacking(of)}`)
    files.push(file)
  }
  output.result({ out: files }, files.map((file) => `${file}: up to date`).join('\n'))
}

import { encodeDataset } from '@kith/pipelines/dataset'
import { encodeTexts } from '@kith/pipelines/encode'
import { defineCommand } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { isSet, neededFile, optionalChoice, optionalText } from '../options/values.ts'

/** `kith encode`: embeds texts. */
export const encodeCommand = defineCommand({
  name: 'encode',
  description:
    'Reads BEIR JSONL, MS MARCO TSV or TREC texts. Writes embeddings and ids in the format of the\n' +
    'extension of --out (.npy, .safetensors, .parquet, .jsonl, .fvecs). Truncates long texts to the\n' +
    'model’s limit and counts them. You can stop the command at any time: run it again to resume; the\n' +
    'output is the same.',
  example: 'kith encode cisi --model minilm',
  dataset: {
    purpose: 'measure',
    // Without --out, the dataset keeps the embeddings of both its documents and its queries.
    files: ({ role, out }) =>
      out === undefined ? {} : { input: role === 'query' ? 'queries' : 'corpus' },
  },
  options: {
    input: { value: 'FILE', file: 'input', help: 'texts to encode' },
    out: { value: 'FILE', file: 'output', help: 'output file for the embeddings' },
    role: {
      value: 'ROLE',
      help: 'text type, which selects the prefix: query or document',
      default: 'document',
    },
    ...splitOption,
    f16: { help: 'write float16 instead of float32 (half the size)' },
    quantize: {
      value: 'KIND',
      help: 'int8 computes with 8-bit weights: 1.5 times as fast, slightly less exact (docs/encode.md)',
      default: 'float32',
    },
    ...encoderOptions,
  },
  read(values) {
    const role = optionalChoice(values, 'role', ['query', 'document'])
    const encoder = {
      ...readEncoderOptions(values),
      quantize: optionalChoice(values, 'quantize', ['int8']),
      type: isSet(values, 'f16') ? ('f16' as const) : undefined,
    }
    const [folder] = values.rest ?? []
    if (folder !== undefined && values.input === undefined) {
      return {
        dataset: { ...encoder, dataset: folder, split: optionalText(values, 'split'), role },
      }
    }
    const [input, out] = [neededFile(values, 'input'), neededFile(values, 'out')]
    return { texts: { ...encoder, input, out, role } }
  },
  async run({ dataset, texts: one }, output) {
    if (dataset) {
      const { files, written } = await encodeDataset(dataset, output.hooks())
      const state = (file: string) => (written.includes(file) ? 'written' : 'up to date')
      const text = files.map((file) => `${file}: ${state(file)}`).join('\n')
      return output.result({ out: files, written }, text)
    }
    const result = await encodeTexts(one, output.hooks())
    const { out, dimensions, maxTokens, texts, resumed, seconds, ...rest } = result
    const rate = (texts - resumed) / Math.max(seconds, 1e-9)
    output.result(
      { out, dimensions, maxTokens, rate, texts, ...rest, resumed, seconds },
      `${out}: ${texts} texts × ${dimensions} in ${seconds.toFixed(1)} s (${Math.round(rate)} texts/s)`,
    )
  },
})

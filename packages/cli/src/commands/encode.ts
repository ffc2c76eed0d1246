import { encodeDataset } from '@kith/pipelines/dataset'
import { encodeTexts } from '@kith/pipelines/encode'
import { defineCommand } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { isSet, neededFile, optionalChoice, optionalText } from '../options/values.ts'

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
      const split = optionalText(values, 'split')
      const files = await encodeDataset(
        { ...encoder, dataset: folder, split, role },
        output.hooks(),
      )
      const text = files.map((file) => `${file}: up to date`).join('\n')
      return output.result({ out: files }, text)
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

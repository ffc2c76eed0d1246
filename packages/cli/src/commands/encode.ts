import { encodeTexts } from '@kith/pipelines/encode'
import { defineCommand } from '../options/command.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { isSet, optionalChoice, text } from '../options/values.ts'

/** `kith encode`: texts in, embeddings out. */
export const encodeCommand = defineCommand({
  name: 'encode',
  description:
    'Reads BEIR JSONL, MS MARCO TSV or TREC texts; writes embeddings in the format that the ending\n' +
    'of --out says (.npy, .safetensors, .parquet, .jsonl, .fvecs), ids beside them. Long texts are\n' +
    'cut at the model’s limit, and counted. Can be stopped at any moment: the same command goes on\n' +
    'where it was, and the file is the same in the end.',
  example: 'kith encode --model minilm --input corpus.jsonl --out docs.npy',
  options: {
    input: { value: 'FILE', file: 'input', help: 'the texts', required: true },
    out: { value: 'FILE', file: 'output', help: 'the embeddings to write', required: true },
    role: { value: 'ROLE', help: 'query or document: which prefix is used', default: 'document' },
    f16: { help: 'half precision: half the space' },
    quantize: {
      value: 'KIND',
      help: 'int8: compute with 8 bits; 1.5 times as fast, and a little less exact (docs/encode.md)',
      default: 'float32',
    },
    ...encoderOptions,
  },
  async run(values, output) {
    const result = await encodeTexts(
      {
        ...readEncoderOptions(values),
        input: text(values, 'input'),
        out: text(values, 'out'),
        role: optionalChoice(values, 'role', ['query', 'document']),
        quantize: optionalChoice(values, 'quantize', ['int8']),
        type: isSet(values, 'f16') ? 'f16' : 'f32',
      },
      output.hooks(),
    )
    const { out, dimensions, maxTokens, texts, resumed, seconds, ...rest } = result
    const rate = (texts - resumed) / Math.max(seconds, 1e-9)
    output.result(
      { out, dimensions, maxTokens, rate, texts, ...rest, resumed, seconds },
      `${out}: ${texts} texts × ${dimensions} in ${seconds.toFixed(1)} s (${Math.round(rate)} texts/s)`,
    )
  },
})

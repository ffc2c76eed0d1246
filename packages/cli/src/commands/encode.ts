import { encodeFile } from '../old/encode-file.ts'
import { defineCommand } from '../options/command.ts'
import { encoderOptions, openEncoder } from '../options/encoder-options.ts'
import { isSet, optionalChoice, text } from '../options/values.ts'

/** `kith encode`: texts in, embeddings out. */
export const encodeCommand = defineCommand({
  name: 'encode',
  summary: 'turn the texts of a corpus or of queries into embeddings',
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
    ...encoderOptions,
  },
  async run(values, output) {
    const role = optionalChoice(values, 'role', ['query', 'document']) ?? 'document'
    const [input, out] = [text(values, 'input'), text(values, 'out')]
    const { encoder, model } = await openEncoder(values, output)
    try {
      const type = isSet(values, 'f16') ? 'f16' : 'f32'
      const result = await encodeFile(encoder, { input, out, role, type, model }, output)
      const { texts, resumed, seconds } = result
      const rate = (texts - resumed) / Math.max(seconds, 1e-9)
      const { dimensions, maxTokens } = encoder
      output.result(
        { out, dimensions, maxTokens, rate, ...result },
        `${out}: ${texts} texts × ${dimensions} in ${seconds.toFixed(1)} s (${Math.round(rate)} texts/s)`,
      )
    } finally {
      encoder.close()
    }
  },
})

import {
  openEmbeddings,
  type RunFormat,
  readQrels,
  readRun,
  readTexts,
  type TextLayout,
  writeEmbeddings,
  writeQrels,
  writeRun,
  writeTexts,
} from '@kith/ir'
import { writeSidecar } from '@kith/pipelines/internal'
import { defineCommand, type Values } from '../options/command.ts'
import { embeddingOptions, readEmbeddingOptions } from '../options/shared-options.ts'
import { isSet, optionalChoice, optionalText, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

const kinds = ['run', 'qrels', 'texts', 'embeddings'] as const

/** `kith convert`: one of the field's formats into another. */
export const convertCommand = defineCommand({
  name: 'convert',
  summary: 'turn runs, judgements, texts or embeddings into another format',
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
    kind: { value: 'KIND', help: kinds.join(', '), required: true },
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
    const kind = optionalChoice(values, 'kind', kinds)!
    const [from, out] = [text(values, 'in'), text(values, 'out')]
    const count = await converters[kind](from, out, values, output)
    await writeSidecar(out, 'convert', { kind, to: optionalText(values, 'to') ?? null }, [from])
    output.result(
      { out, kind, count },
      `${out}: ${count} ${kind === 'embeddings' ? 'vectors' : units[kind]}`,
    )
  },
})

const units = { run: 'queries', qrels: 'queries', texts: 'texts' }

const converters: Record<
  (typeof kinds)[number],
  (from: string, out: string, values: Values, output: Output) => Promise<number>
> = {
  async run(from, out, values, output) {
    const run = await readRun(from)
    const format = optionalText(values, 'to') as RunFormat | undefined
    await writeRun(out, run, { format })
    if (format === 'msmarco') output.remark('msmarco has no scores: the ranks are what is left')
    return run.queries.length
  },

  async qrels(from, out, values) {
    const qrels = await readQrels(from)
    await writeQrels(out, qrels, { format: optionalChoice(values, 'to', ['trec', 'beir']) })
    return qrels.size
  },

  async texts(from, out, values) {
    let count = 0
    const counted = async function* () {
      for await (const entry of readTexts(from)) {
        count++
        yield entry
      }
    }
    await writeTexts(out, counted(), {
      format: optionalText(values, 'to') as TextLayout | undefined,
      flatten: isSet(values, 'flatten'),
    })
    return count
  },

  async embeddings(from, out, values, output) {
    const source = await openEmbeddings(from, readEmbeddingOptions(values))
    const progress = output.progress('converting', source.rows)
    const type = isSet(values, 'f16') ? 'f16' : source.type
    const ids = Array.from({ length: source.rows }, (_, row) => source.idOf(row))
    const blocks = function* () {
      for (let row = 0; row < source.rows; row += BLOCK) {
        const to = Math.min(source.rows, row + BLOCK)
        yield source.read(row, to)
        progress.update(to)
      }
    }
    await writeEmbeddings(out, { ids, dimensions: source.dimensions, type }, blocks())
    progress.end()
    source.close()
    return source.rows
  },
}

/** Rows that are converted at a time. */
const BLOCK = 1024

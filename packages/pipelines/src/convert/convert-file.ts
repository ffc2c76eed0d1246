import { KithError } from '@kith/core'
import {
  type OpenEmbeddingsOptions,
  openEmbeddings,
  type QrelsFormat,
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
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import type { ConvertedKind } from '../job/job-defaults.ts'
import { byDocument, passagesOf } from './passages.ts'

/** A file, and the format to convert it to. */
export interface ConvertInputs extends OpenEmbeddingsOptions {
  kind: ConvertedKind
  input: string
  out: string
  /** The format to write; default: from the ending of `out`. */
  to?: RunFormat | QrelsFormat | TextLayout | undefined
  /**
   * Joins titles to texts and replaces tabs and line breaks by spaces, if the format requires it.
   */
  flatten?: boolean | undefined
  /** Writes embeddings in half precision. */
  f16?: boolean | undefined
  /** Splits long texts into passages; for a run, ranks the documents by their best passages. */
  passages?: boolean | undefined
}

/** Number of rows to convert at a time. */
const BLOCK = 1024

/**
 * Converts a file to another format and returns the number of entries. Throws if the format cannot
 * hold the data.
 *
 * ```ts
 * await convertFile({ kind: 'embeddings', input: 'docs.parquet', out: 'docs.npy', f16: true })
 * ```
 */
export async function convertFile(inputs: ConvertInputs, hooks: Hooks = {}): Promise<number> {
  const { kind, input, out, to, passages } = inputs
  refuseUnused(inputs)
  const count = await converters[kind](inputs, hooks)
  const settings = { kind, to: to ?? null, ...(passages && { passages }) }
  await writeSidecar(out, 'convert', settings, [input])
  return count
}

/** Throws for settings that the conversion of this kind of file does not use. */
function refuseUnused({ kind, to, flatten, f16, passages }: ConvertInputs): void {
  const unused = Object.entries({
    to: to !== undefined && kind === 'embeddings',
    flatten: flatten && kind !== 'texts',
    f16: f16 && kind !== 'embeddings',
    passages: passages && kind !== 'texts' && kind !== 'run',
  }).find(([, refused]) => refused)
  if (!unused) return
  const hint = unused[0] === 'to' ? 'choose the format by the extension of out' : 'leave it out'
  throw new KithError('BAD_SETTING', `${unused[0]} has no effect with kind ${kind}; ${hint}`)
}

const converters: Record<
  ConvertInputs['kind'],
  (inputs: ConvertInputs, hooks: Hooks) => Promise<number>
> = {
  async run({ input, out, to, passages }, { onRemark }) {
    const run = await readRun(input)
    await writeRun(out, passages ? byDocument(run) : run, { format: to as RunFormat | undefined })
    if (to === 'msmarco') onRemark?.('the format msmarco keeps ranks only; scores are dropped')
    return run.queries.length
  },

  async qrels({ input, out, to }) {
    const qrels = await readQrels(input)
    await writeQrels(out, qrels, { format: to as QrelsFormat | undefined })
    return qrels.size
  },

  async texts({ input, out, to, flatten = false, passages }, hooks) {
    let count = 0
    const texts = readTexts(input)
    const counted = async function* () {
      for await (const entry of passages ? passagesOf(texts, input, hooks) : texts) {
        count++
        yield entry
      }
    }
    await writeTexts(out, counted(), { format: to as TextLayout | undefined, flatten })
    return count
  },

  async embeddings({ input, out, f16, dimensions, memory }, hooks) {
    const source = await openEmbeddings(input, { dimensions, memory })
    try {
      const onDone = stageOf(hooks, 'converting', source.rows)
      const ids = Array.from({ length: source.rows }, (_, row) => source.idOf(row))
      const blocks = function* () {
        for (let row = 0; row < source.rows; row += BLOCK) {
          const to = Math.min(source.rows, row + BLOCK)
          yield source.read(row, to)
          onDone(to)
        }
      }
      const type = f16 ? 'f16' : source.type
      await writeEmbeddings(out, { ids, dimensions: source.dimensions, type }, blocks())
      return source.rows
    } finally {
      await source.close()
    }
  },
}

import { KithError } from '@kith/core'
import { planBatches } from './batches.ts'
import type { SessionPool } from './session-pool.ts'

/** The tokens of a text, with their kinds of segments where a model looks at them. */
export interface TextTokens {
  ids: readonly number[]
  types?: readonly number[]
}

/** How texts run. */
export interface RunTexts {
  /** Numbers that the model gives for a text. */
  width: number
  /** The model's name, for error messages. */
  name: string
  /** The number of the first text, for error messages. */
  first?: number
  /** Texts of a batch, at most. */
  most?: number | undefined
  signal?: AbortSignal | undefined
  /** Called with the number of texts of a batch that is done. */
  onTexts?: ((count: number) => void) | undefined
}

/** Runs texts in batches of one length; returns the numbers of each, in the order of the texts. */
export async function runTexts(
  pool: SessionPool,
  texts: readonly TextTokens[],
  { width, name, first = 0, most, signal, onTexts }: RunTexts,
): Promise<Float32Array> {
  const data = new Float32Array(texts.length * width)
  const lengths = texts.map(({ ids }) => ids.length)
  const runBatch = async (members: readonly number[], length: number) => {
    const joined = (part: (text: TextTokens) => readonly number[]) => {
      const all = new Int32Array(members.length * length)
      members.forEach((text, i) => {
        all.set(part(texts[text]!), i * length)
      })
      return all
    }
    const make = () => {
      const ids = joined((text) => text.ids)
      if (!texts[members[0]!]!.types) return { ids, length }
      return { ids, length, types: joined((text) => text.types!) }
    }
    const rows = await pool.run(make, signal)
    if (rows.length !== members.length * width) {
      const problem = `${name} gives ${rows.length} numbers for ${members.length} texts of ${width}`
      throw new KithError('BAD_SHAPE', problem)
    }
    members.forEach((text, i) => {
      const row = rows.subarray(i * width, (i + 1) * width)
      checkRow(row, first + text, name)
      data.set(row, text * width)
    })
    onTexts?.(members.length)
  }
  const batches = planBatches(lengths, most)
  await Promise.all(batches.map(({ texts: members, length }) => runBatch(members, length)))
  return data
}

function checkRow(row: Float32Array, text: number, model: string): void {
  const bad = row.findIndex((value) => !Number.isFinite(value))
  if (bad < 0) return
  const problem = `${model} gives text ${text} the number ${row[bad]} in dimension ${bad}`
  throw new KithError('BAD_VECTOR', problem)
}

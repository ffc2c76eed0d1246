import { KithError } from '@kith/core'
import type { SessionPool } from './session-pool.ts'

/** The tokens of a text, with their kinds of segments if a model looks at them. */
interface TextTokens {
  ids: readonly number[]
  types?: readonly number[]
}

/** How texts run. */
interface RunTexts {
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
      const problem = `${name}: expected ${members.length} embeddings of ${width} dimensions, got ${rows.length} numbers`
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
  const problem = `${model}: the embedding of text ${text} has ${row[bad]} in dimension ${bad}`
  throw new KithError('BAD_VECTOR', problem)
}

/**
 * Tokens of a batch. Matrix products are as fast from 64 tokens on, and slower again
 * when a batch no longer fits the cache: see ARCHITECTURE.md.
 */
const BATCH_TOKENS = 512

/** Texts that run together, all of them equally long. */
export interface Batch {
  /** The indexes of the texts in the list. */
  texts: number[]
  length: number
}

/**
 * Puts texts of the same length together. So there is no padding, and no text's
 * embedding depends on its company. The longest come first: what is left at the end,
 * when some threads have nothing more to do, is short.
 *
 * @param most Texts of a batch, at most.
 */
export function planBatches(lengths: ArrayLike<number>, most = BATCH_TOKENS): Batch[] {
  const byLength = new Map<number, number[]>()
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i]!
    const texts = byLength.get(length)
    if (texts) texts.push(i)
    else byLength.set(length, [i])
  }
  const batches: Batch[] = []
  for (const [length, texts] of [...byLength].sort(([a], [b]) => b - a)) {
    const size = Math.max(1, Math.min(most, Math.floor(BATCH_TOKENS / length)))
    for (let from = 0; from < texts.length; from += size) {
      batches.push({ texts: texts.slice(from, from + size), length })
    }
  }
  return batches
}

/** Texts of a window, at most: enough to find some of the same length. */
const TEXTS = 256
/**
 * Characters of a window, at most: about 16 batches. Resumable work keeps whole windows, so a window
 * of long texts must not take minutes.
 */
const CHARACTERS = 32_768

/** Groups texts into windows of up to 256 texts or about 32,000 characters, in order. */
export async function* windowsOf(
  texts: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string[]> {
  let window: string[] = []
  let characters = 0
  for await (const text of texts) {
    window.push(text)
    // A value that is not a string is refused when its window is encoded.
    characters += text?.length ?? 0
    if (window.length < TEXTS && characters < CHARACTERS) continue
    yield window
    window = []
    characters = 0
  }
  if (window.length > 0) yield window
}

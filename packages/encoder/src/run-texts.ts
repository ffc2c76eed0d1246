import { KithError } from '@kith/core'
import type { SessionPool } from './session-pool.ts'

/** The tokens of a text, with their segment types if the model uses them. */
interface TextTokens {
  ids: readonly number[]
  types?: readonly number[]
}

/** Options for running texts. */
interface RunTexts {
  /** The number of outputs per text. */
  width: number
  /** The model's name, for error messages. */
  name: string
  /** The number of the first text, for error messages. */
  first?: number
  /** Maximum number of texts per batch. */
  most?: number | undefined
  signal?: AbortSignal | undefined
  /** Called with the number of texts in a finished batch. */
  onTexts?: ((count: number) => void) | undefined
}

/**
 * Runs texts in batches of equal length; returns the output of each text, in the order of the
 * texts.
 */
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
 * Maximum number of tokens per batch. Matrix products reach full speed at 64 tokens, and slow down
 * when a batch no longer fits the cache: see ARCHITECTURE.md.
 */
const BATCH_TOKENS = 512

/** Texts that run together, all of equal length. */
export interface Batch {
  /** The indexes of the texts in the list. */
  texts: number[]
  length: number
}

/**
 * Groups texts of equal length. So there is no padding, and no embedding depends on the other texts
 * of a batch. The longest texts come first: only short texts remain at the end, when some threads
 * are already idle.
 *
 * @param most Maximum number of texts per batch.
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

/** Maximum number of texts per window: enough to find some of equal length. */
const TEXTS = 256
/**
 * Maximum number of characters per window: about 16 batches. Resumable work keeps whole windows, so
 * a window of long texts must not take minutes.
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

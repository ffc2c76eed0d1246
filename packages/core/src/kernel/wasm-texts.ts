import { POSTING, type Postings } from '../text/postings.ts'
import { frequencyWeight, inverseFrequency } from '../text/text-similarity.ts'
import { meanLength, queryTerms, termWeights, type WordsSettings } from '../text/words-score.ts'
import type { Texts } from './engine.ts'
import type { WasmSquare } from './wasm-engine.ts'
import type { WasmExports } from './wasm-exports.ts'
import type { WasmMemory } from './wasm-memory.ts'

/** Columns of the dense matrix of frequent terms; COLUMNS in assembly/text.ts. */
const COLUMNS = 256

/** 1 + ln tf by tf, as many as FREQUENCIES in assembly/text.ts; a text never has a term 0 times. */
const frequencies = Float32Array.from({ length: 64 }, (_, tf) => frequencyWeight(tf || 1))

/** The texts of a context in the memory of a compiled kernel. */
export class WasmTexts implements Texts {
  readonly #memory: WasmMemory
  readonly #wasm: WasmExports
  readonly #postings: Postings
  readonly #newSquare: (rows: number) => WasmSquare
  /** Where the postings are, and where those of each text start. */
  readonly #from: number
  readonly #starts: number

  constructor(
    memory: WasmMemory,
    wasm: WasmExports,
    postings: Postings,
    newSquare: (rows: number) => WasmSquare,
  ) {
    this.#memory = memory
    this.#wasm = wasm
    this.#postings = postings
    this.#newSquare = newSquare
    this.#from = memory.takeWords(postings.count * POSTING)
    this.#starts = memory.takeWords(postings.starts.length)
    memory.integers.set(postings.used(), this.#from / 4)
    memory.integers.set(postings.starts, this.#starts / 4)
  }

  similarity(): WasmSquare {
    const { texts: count, count: postings } = this.#postings
    const memory = this.#memory
    const s = this.#newSquare(count)
    const { end } = memory
    const idf = memory.takeWords(count)
    const weights = memory.takeWords(frequencies.length)
    const slots = slotsFor(postings)
    const table = memory.takeWords(slots)
    const terms = memory.takeWords(postings * 4 + 8)
    const lists = memory.takeWords(postings * 2 + 8)
    const x = memory.takeWords(s.stride * COLUMNS)
    const { floats } = memory
    for (let df = 1; df < count; df++) floats[idf / 4 + df] = inverseFrequency(count - 1, df)
    floats.set(frequencies, weights / 4)
    this.#wasm.text(
      this.#from,
      this.#starts,
      count,
      s.stride,
      idf,
      weights,
      table,
      slots,
      terms,
      lists,
      x,
      s.at,
    )
    memory.release(end)
    return s
  }

  scores(settings: WordsSettings): Float64Array {
    const { texts: count, count: postings } = this.#postings
    const memory = this.#memory
    const [from, starts] = [this.#from, this.#starts]
    const query = queryTerms(this.#postings)
    const terms = query.hashes.length
    const { end } = memory
    // A small table for the few terms of a query stays in the fastest cache.
    const slots = Math.min(slotsFor(postings), 2 ** Math.ceil(Math.log2(terms * 4 + 2)))
    const table = memory.takeWords(slots)
    const candidates = memory.takeWords(terms)
    const found = memory.takeWords(terms)
    const weights = memory.take(terms * 8)
    const matches = memory.takeWords(postings * 2 + 8)
    const lengths = memory.take(count * 8)
    const scores = memory.take(count * 8)
    this.#wasm.matchTerms(from, starts, count, table, slots, matches, candidates, lengths)
    const counts = memory.integers.subarray(candidates / 4, candidates / 4 + terms)
    const mean = meanLength(memory.doubles(lengths, count), settings)
    new Float64Array(memory.memory.buffer, weights, terms).set(
      termWeights(query, counts, count - 1, settings),
    )
    const { k1, b } = settings
    this.#wasm.scoreWords(
      from,
      starts,
      count,
      matches,
      lengths,
      weights,
      found,
      k1,
      b,
      mean,
      scores,
    )
    memory.release(end)
    return memory.doubles(scores, count)
  }
}

/** Slots of a table of all terms, a power of 2. */
function slotsFor(postings: number): number {
  return 2 ** Math.ceil(Math.log2(postings * 1.1 + 2))
}

import { POSTING, type Postings } from '../text/postings.ts'
import {
  type MatchSettings,
  matchesOf,
  matchWeights,
  type QueryMatches,
} from '../text/query-matches.ts'
import { frequencyWeight, inverseFrequency } from '../text/text-similarity.ts'
import {
  meanLength,
  type QueryTerms,
  queryTerms,
  termWeights,
  type WordsSettings,
} from '../text/words-score.ts'
import type { Texts } from './engine.ts'
import type { WasmSquare } from './wasm-engine.ts'
import type { WasmExports } from './wasm-exports.ts'
import type { WasmMemory } from './wasm-memory.ts'

/** Columns of the dense matrix of frequent terms; COLUMNS in assembly/text.ts. */
const COLUMNS = 256

/** 1 + ln tf by tf, as many as FREQUENCIES in assembly/text.ts; a text never has a term 0 times. */
const frequencies = Float32Array.from({ length: 64 }, (_, tf) => frequencyWeight(tf || 1))

/** The query's terms, and where they were found. */
interface Matched {
  query: QueryTerms
  /** How many candidates have each of them. */
  candidates: Uint32Array
  /** The addresses of the matches, of the start of each text's, and of the length of each text. */
  matches: number
  matchStarts: number
  lengths: number
}

/** The texts of a context in the memory of a compiled kernel. */
export class WasmTexts implements Texts {
  readonly #memory: WasmMemory
  readonly #wasm: WasmExports
  readonly #postings: Postings
  readonly #newSquare: (rows: number) => WasmSquare
  /** The addresses of the postings, and of the start of each text's. */
  readonly #from: number
  readonly #starts: number
  #matched: Matched | undefined

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
    const slots = slotsFor(postings * 1.1)
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
    const { texts: count } = this.#postings
    const { query, candidates, matches, matchStarts, lengths } = this.#match()
    const memory = this.#memory
    const terms = query.hashes.length
    const { end } = memory
    const found = memory.takeWords(terms)
    const weights = memory.take(terms * 8)
    const scores = memory.take(count * 8)
    const mean = meanLength(memory.doubles(lengths, count), settings)
    memory.putDoubles(weights, termWeights(query, candidates, count - 1, settings))
    const { k1, b } = settings
    this.#wasm.scoreWords(
      terms,
      count,
      matches,
      matchStarts,
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

  matches(settings: MatchSettings): QueryMatches {
    const { texts: count, longest } = this.#postings
    const { query, candidates, matches, matchStarts } = this.#match()
    const memory = this.#memory
    const { weights, whole, total } = matchWeights(query, candidates, count - 1, settings)
    const { end } = memory
    const at = memory.take(weights.length * 8)
    const marks = memory.takeZeros((longest >> 2) + 17)
    const changes = memory.takeZeros((longest + 1) * 2)
    const out = memory.take(count * 24)
    const places = this.#placePositions(matchStarts / 4)
    memory.putDoubles(at, weights)
    this.#wasm.findMatches(
      count,
      matches,
      matchStarts,
      places,
      at,
      whole,
      settings.windowTerms,
      marks,
      changes,
      out,
    )
    memory.release(end)
    return matchesOf(memory.doubles(out, count * 3), total)
  }

  /** The query's terms in the other texts, found once: all memory behind this is a caller's. */
  #match(): Matched {
    if (this.#matched) return this.#matched
    const { texts: count, count: postings } = this.#postings
    const memory = this.#memory
    const query = queryTerms(this.#postings)
    const terms = query.hashes.length
    const matches = memory.takeWords(postings * 4)
    const matchStarts = memory.takeWords(count + 1)
    const lengths = memory.take(count * 8)
    const { end } = memory
    // A small table for the few terms of a query stays in the fastest cache.
    const slots = slotsFor(Math.min(postings * 1.1, terms * 4))
    const table = memory.takeWords(slots)
    const counts = memory.takeWords(terms)
    this.#wasm.matchTerms(
      this.#from,
      this.#starts,
      count,
      table,
      slots,
      matches,
      matchStarts,
      counts,
      lengths,
    )
    memory.release(end)
    const candidates = memory.integers.slice(counts / 4, counts / 4 + terms)
    this.#matched = { query, candidates, matches, matchStarts, lengths }
    return this.#matched
  }

  /** Writes the lengths of the title and of the whole of each text with matches, and the positions in texts with several. */
  #placePositions(matchStarts: number): number {
    const memory = this.#memory
    const postings = this.#postings
    const places = memory.takeWords(postings.positions + 2 * postings.texts)
    const { integers } = memory
    let to = places / 4
    for (let row = 1; row < postings.texts; row++) {
      const count = integers[matchStarts + row + 1]! - integers[matchStarts + row]!
      if (count === 0) continue
      const own = postings.positionsOf(row)
      integers[to++] = postings.titles[row]!
      integers[to++] = own.length
      if (count === 1) continue
      integers.set(own, to)
      to += own.length
    }
    return places
  }
}

/** Slots of a table with room for so many, a power of 2. */
function slotsFor(size: number): number {
  return 1 << (32 - Math.clz32(size + 1))
}

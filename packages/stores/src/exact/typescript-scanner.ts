import { badScore, toFloats } from './finite.ts'
import type { Batch, Best, Block, Scanner } from './scanner.ts'

/** A vector with a smaller squared length counts as zero, as in the cosine of @kith/core. */
const SMALLEST_SQUARE = 1e-30

interface Candidate {
  row: number
  score: number
}

/** Searches in plain TypeScript: for platforms without WebAssembly, and as the tests' reference. */
export class TypeScriptScanner implements Scanner {
  #batch!: Batch
  #queries: Float32Array[] = []
  #inverses: number[] = []
  #best: Candidate[][] = []

  begin(batch: Batch): void {
    const { data, rows, dimensions } = batch.queries
    this.#batch = batch
    this.#queries = Array.from({ length: rows }, (_, q) =>
      data.subarray(q * dimensions, (q + 1) * dimensions),
    )
    this.#inverses = this.#queries.map(inverseLength)
    this.#best = this.#queries.map(() => [])
  }

  scan(block: Block): void {
    const { queries, firstQuery, top, cosine } = this.#batch
    const { dimensions } = queries
    for (let from = 0, j = 0; from < block.data.length; from += dimensions, j++) {
      const document = toFloats(block.data.subarray(from, from + dimensions))
      const inverse = cosine ? inverseLength(document) : 1
      this.#queries.forEach((query, q) => {
        let score = dot(query, document)
        if (cosine) score = Math.fround(Math.fround(score * inverse) * this.#inverses[q]!)
        if (!Number.isFinite(score)) throw badScore(block, j, dimensions, firstQuery + q)
        const candidates = this.#best[q]!
        candidates.push({ row: block.firstRow + j, score })
        if (candidates.length > 2 * top + 1000) candidates.sort(byScore).splice(top)
      })
    }
  }

  finish(): Best {
    const { top } = this.#batch
    const counts = new Uint32Array(this.#best.length)
    const rows = new Uint32Array(counts.length * top)
    const scores = new Float32Array(counts.length * top)
    this.#best.forEach((candidates, q) => {
      const best = candidates.sort(byScore).slice(0, top)
      counts[q] = best.length
      rows.set(
        best.map(({ row }) => row),
        q * top,
      )
      scores.set(
        best.map(({ score }) => score),
        q * top,
      )
    })
    return { counts, rows, scores }
  }
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.row - b.row
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return Math.fround(sum)
}

function inverseLength(vector: Float32Array): number {
  let square = 0
  for (const value of vector) square += value * value
  return square >= SMALLEST_SQUARE ? Math.fround(1 / Math.sqrt(square)) : 0
}

import type { Matrix } from '../matrix.ts'
import {
  expandWeights,
  extendedSets,
  jaccardTo,
  neighborWeights,
  rankRows,
} from '../method/neighbor-steps.ts'
import { cosine, fillMissing, gram, products, scaleRows } from '../method/similarity-steps.ts'
import type { RowScaling } from '../settings/settings.ts'
import type { Postings } from '../text/postings.ts'
import { queryMatches } from '../text/query-matches.ts'
import { textSimilarity } from '../text/text-similarity.ts'
import { wordsScores } from '../text/words-score.ts'
import { copyBlock, copyChosen } from './copy-block.ts'
import type {
  Engine,
  Lists,
  Neighborhoods,
  NeighborSettings,
  Products,
  Square,
  Texts,
  VectorRows,
} from './engine.ts'

/** The method in plain TypeScript: the fallback if WebAssembly SIMD is missing, and the tests' oracle. */
export class TypeScriptEngine implements Engine {
  readonly kernel = 'typescript'
  readonly bytes = 0

  scoped<T>(steps: () => T): T {
    return steps()
  }

  release(): void {}

  products(vectors: VectorRows): Products {
    return products(matrixOf(vectors))
  }

  gram(vectors: VectorRows): PlainSquare {
    return new PlainSquare(vectors.count, gram(matrixOf(vectors)))
  }

  square(rows: number, { data, stride }: Lists<Float32Array>, chosen?: ArrayLike<number>): Square {
    const square = new PlainSquare(rows, new Float32Array(rows * rows))
    const to = { data: square.data, at: 0, stride: rows }
    if (chosen) copyChosen({ data, at: 0, stride }, to, chosen)
    else copyBlock({ data, at: 0, stride }, to, rows, rows)
    return square
  }

  texts(postings: Postings): Texts {
    return {
      similarity: () => new PlainSquare(postings.texts, textSimilarity(postings)),
      scores: (settings) => wordsScores(postings, settings),
      matches: (settings) => queryMatches(postings, settings),
    }
  }

  blend(graph: PlainSquare | undefined, s: PlainSquare, weight: number): PlainSquare {
    const sum = graph ?? new PlainSquare(s.rows, new Float32Array(s.data.length))
    // Rounded after each step, as the compiled kernels do it: ties of the graph are theirs too.
    const factor = Math.fround(weight)
    for (let i = 0; i < s.data.length; i++) sum.data[i]! += Math.fround(factor * s.data[i]!)
    return sum
  }

  neighbors(
    { data, rows }: PlainSquare,
    settings: NeighborSettings,
    known?: Lists<Uint32Array>,
  ): Neighborhoods {
    const { trust, overlap, weight, weightParameter, kExp } = settings
    const k = Math.min(settings.k, rows - 1)
    const ranks = known ? listsOf(known, rows, k + 1) : rankRows(data, rows, k)
    const sets = extendedSets(ranks, k, trust, overlap)
    const v = expandWeights(neighborWeights(data, sets, weight, weightParameter), ranks, kExp)
    return {
      jaccard: (probe) => Float64Array.from(jaccardTo(v, rows, probe)),
      ranks: () => ranks,
      reciprocals: () => sets.map((set) => Uint32Array.from(set).sort()),
      vector(i) {
        const row = v.slice(i * rows, (i + 1) * rows)
        const columns = Uint32Array.from(row.keys()).filter((j) => row[j]! > 0)
        return { columns, weights: Float32Array.from(columns, (j) => row[j]!) }
      },
    }
  }
}

/** A square in a separate array. */
class PlainSquare implements Square {
  constructor(
    readonly rows: number,
    readonly data: Float32Array,
  ) {}

  row(i: number): Float64Array {
    return Float64Array.from(this.data.subarray(i * this.rows, (i + 1) * this.rows))
  }

  diagonal(): Float64Array {
    return Float64Array.from({ length: this.rows }, (_, i) => this.data[i * this.rows + i]!)
  }

  view(): Lists<Float32Array> {
    return { data: this.data, stride: this.rows }
  }

  toCosines(): void {
    cosine(this.data, this.rows)
  }

  fill(missing: readonly number[]): void {
    fillMissing(this.data, this.rows, this.rows, missing)
  }

  scale(rowScaling: RowScaling): void {
    scaleRows(this.data, this.rows, rowScaling)
  }
}

function matrixOf(vectors: VectorRows): Matrix {
  const { count: rows, dimensions } = vectors
  const data = new Float32Array(rows * dimensions)
  vectors.copyTo(data, 0, dimensions)
  return { data, rows, dimensions }
}

/** The first `keep` numbers of each list. */
function listsOf({ data, stride }: Lists<Uint32Array>, rows: number, keep: number): Uint32Array[] {
  return Array.from({ length: rows }, (_, i) => data.slice(i * stride, i * stride + keep))
}

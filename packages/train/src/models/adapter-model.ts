import {
  type AdapterKind,
  type AdapterOrigin,
  adapterShapes,
  QueryAdapter,
  readAdapterFile,
  writeAdapterFile,
} from '@kith/base/query-adapter'
import { sfcWords } from '@kith/base/random'
import { KithError } from '@kith/core'
import { Graph, operations as op } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'
import type { Query, QueryBatch, QueryGraph, QueryModel } from './query-model.ts'

export type { AdapterKind, AdapterOrigin }

/** Options of a new adapter. */
export interface AdapterOptions {
  kind: AdapterKind
  dimensions: number
  /** Size of the hidden layer of `mlp`; default: the number of dimensions. */
  inner?: number | undefined
  /** Whether to scale adapted embeddings to length 1; default: false. */
  normalize?: boolean | undefined
  /** The seed for the initial weights of `mlp`. */
  seed?: number | undefined
  /** The embeddings that the adapter was fitted to, if known. */
  origin?: AdapterOrigin | undefined
}

/**
 * A query adapter: maps query embeddings to better ones, for example for embeddings from an API.
 *
 * ```ts
 * const model = new AdapterModel({ kind: 'linear', dimensions: 384 })
 * ```
 */
export class AdapterModel implements QueryModel {
  readonly dimensions: number
  readonly weights: ReadonlyMap<string, Float32Array>
  readonly shapes: ReadonlyMap<string, readonly number[]>
  readonly trained: ReadonlySet<string>
  readonly kind: AdapterKind
  readonly normalize: boolean
  readonly origin: AdapterOrigin

  constructor({
    kind,
    dimensions,
    inner = dimensions,
    normalize = false,
    seed = 0,
    origin = {},
  }: AdapterOptions) {
    this.dimensions = dimensions
    this.kind = kind
    this.normalize = normalize
    this.origin = origin
    this.shapes = new Map(adapterShapes(kind, dimensions, inner))
    this.weights = new Map(
      [...this.shapes].map(([name, shape]) => {
        return [name, new Float32Array(shape.reduce((product, dim) => product * dim, 1))]
      }),
    )
    this.trained = new Set(this.weights.keys())
    if (kind === 'mlp') {
      // The second layer starts at 0. If the first layer were 0 as well, neither would learn.
      const words = sfcWords(seed)
      const range = 1 / Math.sqrt(dimensions)
      const first = this.weights.get('up.weight')!
      first.forEach((_, i) => {
        first[i] = ((2 * words()) / 2 ** 32 - 1) * range
      })
    }
  }

  get identity(): Readonly<Record<string, unknown>> {
    return { 'kind of the adapter model': this.kind, 'unit length of the model': this.normalize }
  }

  /** Returns 0: embeddings are never truncated. */
  countCut(): number {
    return 0
  }

  build(): QueryGraph {
    const graph = new Graph()
    const x = graph.input('queries', 'float32', ['batch', this.dimensions])
    const dense = (input: typeof x, name: string) => {
      const weight = graph.parameter(`${name}.weight`, this.shapes.get(`${name}.weight`)!)
      const size = weight.shape[0] as number
      const bias = this.shapes.has(`${name}.bias`)
        ? graph.parameter(`${name}.bias`, [size])
        : graph.constant(new Float32Array(size), [size])
      return op.linear(input, weight, bias)
    }
    const up = dense(x, 'up')
    const change = this.kind === 'mlp' ? dense(op.gelu(up), 'down') : up
    const adapted = op.add(x, change)
    return { graph, embeddings: this.normalize ? op.unitLength(adapted) : adapted }
  }

  prepare(queries: readonly Query[]): QueryBatch {
    const { dimensions } = this
    const data = new Float32Array(queries.length * dimensions)
    queries.forEach(({ id, vector }, i) => {
      if (vector?.length !== dimensions) {
        const problem = `query ${id} has ${vector?.length ?? 0} dimensions, but the adapter needs ${dimensions}`
        throw new KithError('BAD_SHAPE', problem)
      }
      data.set(vector, i * dimensions)
    })
    const feeds = { queries: new Tensor('float32', data, [queries.length, dimensions]) }
    return { size: queries.length, length: 1, feeds }
  }

  /** Adapts the embedding of one query, for a search. */
  apply(vector: ArrayLike<number>): Float32Array {
    return new QueryAdapter(this, this.kind).apply(vector)
  }

  save(folder: string): Promise<void> {
    return writeAdapterFile(folder, this)
  }
}

/**
 * Opens a trained adapter: `adapter.safetensors` in a folder.
 *
 * ```ts
 * const adapter = await openAdapter('adapter')
 * const vector = adapter.apply(embeddings[0]!) // search with it
 * ```
 */
export async function openAdapter(folder: string): Promise<AdapterModel> {
  const { kind, dimensions, normalize, weights, origin } = await readAdapterFile(folder)
  const inner = weights.get('up.weight')!.length / dimensions
  const model = new AdapterModel({ kind, dimensions, inner, normalize, origin })
  for (const [name, data] of weights) model.weights.get(name)!.set(data)
  return model
}

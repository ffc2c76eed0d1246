import { Graph, operations as op, type Value } from '@kith/encoder/internal'
import { type InferenceSession, Tensor } from '@kith/encoder/runtime'
import { type DeviceOptions, openGraph } from '../graph/session.ts'

/** Softmaxes of several queries: ln Σ eˢ of each, and the mean document under each, a row per query. */
export interface Softmaxes {
  logSums: Float32Array
  means: Float32Array
}

/** Below any score: a document with it has no part in a softmax. */
export const NEVER = -1e9

/**
 * Runs softmaxes over documents. Scores are inner products with queries that are multiplied by the
 * inverse temperature before.
 */
export class SoftmaxSession {
  readonly #shared: InferenceSession
  readonly #own: InferenceSession

  private constructor(shared: InferenceSession, own: InferenceSession) {
    this.#shared = shared
    this.#own = own
  }

  static async open(dimensions: number, device: DeviceOptions): Promise<SoftmaxSession> {
    const shared = await openGraph(sharedGraph(dimensions), device)
    return new SoftmaxSession(shared, await openGraph(ownGraph(dimensions), device))
  }

  /**
   * Softmaxes over the same documents for all queries.
   *
   * @param offsets Added to the scores, queries × documents.
   */
  overShared(
    queries: Float32Array,
    documents: Float32Array,
    dimensions: number,
    offsets?: Float32Array,
  ): Promise<Softmaxes> {
    const [rows, count] = [queries.length / dimensions, documents.length / dimensions]
    return run(this.#shared, {
      queries: new Tensor('float32', queries, [rows, dimensions]),
      documents: new Tensor('float32', documents, [count, dimensions]),
      offsets: offsets
        ? new Tensor('float32', offsets, [rows, count])
        : new Tensor('float32', new Float32Array(1), [1, 1]),
    })
  }

  /**
   * Softmaxes over documents of each query's own, as many for each.
   *
   * @param offsets Added to the scores, queries × documents.
   */
  overOwn(
    queries: Float32Array,
    documents: Float32Array,
    dimensions: number,
    offsets: Float32Array,
  ): Promise<Softmaxes> {
    const rows = queries.length / dimensions
    const count = offsets.length / rows
    return run(this.#own, {
      queries: new Tensor('float32', queries, [rows, dimensions, 1]),
      documents: new Tensor('float32', documents, [rows, count, dimensions]),
      offsets: new Tensor('float32', offsets, [rows, 1, count]),
    })
  }

  async close(): Promise<void> {
    await this.#shared.release()
    await this.#own.release()
  }
}

async function run(session: InferenceSession, feeds: Record<string, Tensor>): Promise<Softmaxes> {
  const results = await session.run(feeds)
  return {
    logSums: results['logSums']!.data as Float32Array,
    means: results['means']!.data as Float32Array,
  }
}

function sharedGraph(dimensions: number): Graph {
  const graph = new Graph()
  const queries = graph.input('queries', 'float32', ['queries', dimensions])
  const documents = graph.input('documents', 'float32', ['documents', dimensions])
  const offsets = graph.input('offsets', 'float32', ['rows', 'columns'])
  const products = op.linear(queries, documents)
  // Offsets have the shape of the products, or one number that is repeated.
  const [scores] = graph.node('Add', [products, offsets], [products.shape])
  finish(graph, scores!, (shares) => op.matmul(shares, documents))
  return graph
}

function ownGraph(dimensions: number): Graph {
  const graph = new Graph()
  const queries = graph.input('queries', 'float32', ['queries', dimensions, 1])
  const documents = graph.input('documents', 'float32', ['queries', 'documents', dimensions])
  const offsets = graph.input('offsets', 'float32', ['queries', 1, 'documents'])
  const products = op.matmul(documents, queries)
  const scores = op.add(op.reshape(products, ['queries', 1, 'documents']), offsets)
  finish(graph, scores, (shares) => op.matmul(shares, documents))
  return graph
}

/**
 * ln Σ eˢ is the highest score less the logarithm of the highest share: the runtime's own
 * ReduceLogSumExp takes a tenth of a fit more.
 */
function finish(graph: Graph, scores: Value, mean: (shares: Value) => Value): void {
  const shares = op.softmax(scores)
  const share = highest(shares)
  const [logarithm] = graph.node('Log', [share], [share.shape])
  graph.output('logSums', op.subtract(highest(scores), logarithm!))
  graph.output('means', mean(shares))
}

/** The highest value along the last axis, which stays, of size 1. */
function highest(x: Value): Value {
  const { graph, shape } = x
  const axes = graph.constant(BigInt64Array.of(BigInt(shape.length - 1)), [1])
  return graph.node('ReduceMax', [x, axes], [shape.with(-1, 1)], {
    attributes: { keepdims: 1 },
  })[0]!
}

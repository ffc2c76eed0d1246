import { Graph, operations as op, type Value } from '@kith/encoder/internal'
import { type InferenceSession, Tensor } from '@kith/encoder/runtime'
import { type DeviceOptions, openGraph } from '../graph/session.ts'

/**
 * Softmaxes of several queries: ln Σ eˢ of each, and the mean document under each, one row per
 * query.
 */
export interface Softmaxes {
  logSums: Float32Array
  means: Float32Array
}

/**
 * One list of documents per query, out of the documents of all queries; all lists have the same
 * length.
 */
export interface Lists {
  /** Indexes of documents, queries × length. */
  places: Int32Array
  /** Offsets to add to the scores of these documents. */
  offsets: Float32Array
  /** The weight of each query's mean document over all documents, and over its list. */
  weights: { all: Float32Array; lists: Float32Array }
}

/** Lower than any score: excludes a document from a softmax. */
export const NEVER = -1e9

/**
 * Computes softmaxes over documents. Scores are inner products with queries that the caller has
 * multiplied by the inverse temperature.
 */
export class SoftmaxSession {
  readonly #shared: InferenceSession
  readonly #own: InferenceSession
  readonly #both: InferenceSession

  private constructor([shared, own, both]: readonly InferenceSession[]) {
    this.#shared = shared!
    this.#own = own!
    this.#both = both!
  }

  static async open(dimensions: number, device: DeviceOptions): Promise<SoftmaxSession> {
    const graphs = [sharedGraph, ownGraph, bothGraph].map((graph) => graph(dimensions))
    return new SoftmaxSession(await Promise.all(graphs.map((graph) => openGraph(graph, device))))
  }

  /**
   * Computes softmaxes over the same documents for all queries.
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
   * Computes softmaxes over separate documents for each query, the same number for each.
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

  /**
   * Computes softmaxes over the same documents for all queries, and over a list of these documents
   * for each query.
   *
   * @returns `means` is the weighted sum of both mean documents.
   */
  async overBoth(
    queries: Float32Array,
    documents: Float32Array,
    dimensions: number,
    { places, offsets, weights }: Lists,
  ): Promise<Softmaxes & { listLogSums: Float32Array }> {
    const [rows, count] = [queries.length / dimensions, documents.length / dimensions]
    const length = places.length / rows
    const results = await this.#both.run({
      queries: new Tensor('float32', queries, [rows, dimensions]),
      documents: new Tensor('float32', documents, [count, dimensions]),
      places: new Tensor('int32', places, [rows, length]),
      offsets: new Tensor('float32', offsets, [rows, length]),
      allWeights: new Tensor('float32', weights.all, [rows, 1]),
      listWeights: new Tensor('float32', weights.lists, [rows, 1]),
    })
    const listLogSums = results['listLogSums']!.data as Float32Array
    return { ...softmaxesOf(results), listLogSums }
  }

  async close(): Promise<void> {
    await this.#shared.release()
    await this.#own.release()
    await this.#both.release()
  }
}

async function run(session: InferenceSession, feeds: Record<string, Tensor>): Promise<Softmaxes> {
  return softmaxesOf(await session.run(feeds))
}

function softmaxesOf(results: Awaited<ReturnType<InferenceSession['run']>>): Softmaxes {
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
  // Offsets have the shape of the products, or are one number that is broadcast.
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

function bothGraph(dimensions: number): Graph {
  const graph = new Graph()
  const queries = graph.input('queries', 'float32', ['queries', dimensions])
  const documents = graph.input('documents', 'float32', ['documents', dimensions])
  const places = graph.input('places', 'int32', ['queries', 'length'])
  const offsets = graph.input('offsets', 'float32', ['queries', 'length'])
  const allWeights = graph.input('allWeights', 'float32', ['queries', 1])
  const listWeights = graph.input('listWeights', 'float32', ['queries', 1])
  const attributes = { axis: 1 }
  const scores = op.linear(queries, documents)
  const [own] = graph.node('GatherElements', [scores, places], [places.shape], { attributes })
  const listed = op.add(own!, offsets)
  const [all, lists] = [op.softmax(scores), op.softmax(listed)]
  graph.output('logSums', logSum(scores, all))
  graph.output('listLogSums', logSum(listed, lists))
  const weighted = [op.multiply(all, allWeights), places, op.multiply(lists, listWeights)]
  const [shares] = graph.node('ScatterElements', weighted, [scores.shape], {
    attributes: { ...attributes, reduction: 'add' },
  })
  graph.output('means', op.matmul(shares!, documents))
  return graph
}

function finish(graph: Graph, scores: Value, mean: (shares: Value) => Value): void {
  const shares = op.softmax(scores)
  graph.output('logSums', logSum(scores, shares))
  graph.output('means', mean(shares))
}

/**
 * Computes ln Σ eˢ as the highest score minus the logarithm of the highest probability: with the
 * runtime's ReduceLogSumExp, a fit takes a tenth longer.
 */
function logSum(scores: Value, shares: Value): Value {
  const share = highest(shares)
  const [logarithm] = scores.graph.node('Log', [share], [share.shape])
  return op.subtract(highest(scores), logarithm!)
}

/** Returns the maximum along the last axis, keeping the axis with size 1. */
function highest(x: Value): Value {
  const { graph, shape } = x
  const axes = graph.constant(BigInt64Array.of(BigInt(shape.length - 1)), [1])
  return graph.node('ReduceMax', [x, axes], [shape.with(-1, 1)], {
    attributes: { keepdims: 1 },
  })[0]!
}

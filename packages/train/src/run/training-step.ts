import { KithError } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import { type Drop, type Graph, operations as op, type Value } from '@kith/encoder/internal'
import { type InferenceSession, type Results, Tensor } from '@kith/encoder/runtime'
import type { TargetList } from '../data/targets.ts'
import type { DocumentVectors } from '../data/training-query.ts'
import { backward } from '../graph/backward.ts'
import { Dropout } from '../graph/dropout.ts'
import { Gradients } from '../graph/gradients.ts'
import { type DeviceOptions, openGraph, weightFeeds } from '../graph/session.ts'
import { type Loss, type LossFunction, type LossSettings, lossNamed } from '../losses.ts'
import type { QueryBatch, QueryModel } from '../models/query-model.ts'

/**
 * The names of the weights of a candidate's score: inverse temperature · ⟨query, candidate⟩ + bias.
 */
export const INVERSE_TEMPERATURE = 'score.inverse-temperature'
export const BIAS = 'score.bias'

/** The name of the output with the loss of each query. */
export const LOSSES = 'losses'
/** The name of the output with the gradient of the table's rows. */
export const ROWS_GRADIENT = 'gradient of rows'
/** Returns the name of the output with the gradient of a weight. */
export const gradientName = (name: string): string => `gradient ${name}`

/** Options for building the graph of a training step. */
export interface StepGraphOptions extends LossSettings {
  loss: Loss
  /** Whether the inverse temperature and the bias of the scores are trained, too. */
  learnTemperature: boolean
  drop?: Drop | undefined
}

/** Forward pass, loss and gradients as one graph. */
export interface StepGraph {
  graph: Graph
  /** The minimized loss, a single number. */
  total: Value
  /** The names of the weights whose gradients the graph returns. */
  learning: readonly string[]
  /** Whether the graph returns the gradients of the table's rows. */
  learnsTable: boolean
}

/** Builds the graph of a training step. */
export function buildStep(model: QueryModel, options: StepGraphOptions): StepGraph {
  const { graph, embeddings, rows } = model.build(options.drop)
  const candidates = graph.input('candidates', 'float32', ['batch', 'candidates', model.dimensions])
  const inverseTemperature = graph.parameter(INVERSE_TEMPERATURE, [1])
  const bias = graph.parameter(BIAS, [1])
  const scores = op.add(op.multiply(products(embeddings, candidates), inverseTemperature), bias)
  const losses = lossesOf(scores, options)
  // A query's share: 1 / the number of queries in a step, which may be several batches.
  const shares = graph.input('shares', 'float32', ['batch', 1])
  const total = op.sum(op.multiply(losses, shares), 0)
  const learning = graph.parameters.filter(
    ({ name }) =>
      model.trained.has(name) ||
      (options.learnTemperature && [INVERSE_TEMPERATURE, BIAS].includes(name)),
  )
  const learnsTable = rows !== undefined && model.trained.has(model.table!.name)
  const gradients = backward(total, learnsTable ? [...learning, rows] : learning)
  graph.output(LOSSES, losses)
  learning.forEach(({ name }, i) => {
    graph.output(gradientName(name), gradients[i]!)
  })
  if (learnsTable) graph.output(ROWS_GRADIENT, gradients.at(-1)!)
  return { graph, total, learning: learning.map(({ name }) => name), learnsTable }
}

/**
 * Appends the loss of each query, batch × 1, computed from its candidates' scores, batch ×
 * candidates.
 */
export function lossesOf(scores: Value, options: LossSettings & { loss: Loss }): Value {
  const { inputs, build } = lossNamed(options.loss)
  const values = Object.entries(inputs).map(([name, { axes }]) => {
    return [name, scores.graph.input(name, 'float32', axes)]
  })
  return build(op, scores, Object.fromEntries(values), options)
}

/** Computes the inner product of each query with each of its candidates, batch × candidates. */
function products(queries: Value, candidates: Value): Value {
  const { graph } = queries
  const [batch, count, dimensions] = candidates.shape as [string, string, number]
  const column = op.reshape(queries, [batch, dimensions, 1])
  const scores = graph.node('MatMul', [candidates, column], [[batch, count, 1]], {
    gradients: [
      undefined,
      // The general rule for products would transpose the candidates, the largest part of a batch.
      (g) =>
        op.reshape(op.matmul(op.reshape(g, [batch, 1, count]), candidates), [batch, dimensions, 1]),
    ],
  })[0]!
  return op.reshape(scores, [batch, count])
}

/** Settings for computing the gradients of a step. */
export interface TrainingStepSettings extends DeviceOptions, LossSettings {
  loss: Loss
  /** T: the factor of inner products. `learnTemperature`: whether T and a bias are trained. */
  inverseTemperature: number
  learnTemperature: boolean
  dropout: number
  seed: number
}

/** Computes the loss of batches and the gradients of all trained weights. */
export class TrainingStep {
  /** All trained weights by name; an optimizer changes them in place. */
  readonly weights: ReadonlyMap<string, Float32Array>
  readonly gradients: Gradients
  readonly #step: StepGraph
  readonly #session: InferenceSession
  readonly #state = new OpenState('the training step')
  readonly #feeds: Record<string, Tensor>
  readonly #dropout: Dropout
  readonly #loss: LossFunction

  private constructor(
    model: QueryModel,
    step: StepGraph,
    session: InferenceSession,
    dropout: Dropout,
    { loss, inverseTemperature }: TrainingStepSettings,
  ) {
    const all = new Map([
      ...model.weights,
      [INVERSE_TEMPERATURE, Float32Array.of(inverseTemperature)],
      [BIAS, Float32Array.of(0)],
    ])
    const learning = [...step.learning, ...(step.learnsTable ? [model.table!.name] : [])]
    this.weights = new Map(learning.map((name) => [name, all.get(name)!]))
    const sizes = new Map(learning.map((name) => [name, all.get(name)!.length]))
    this.gradients = new Gradients(sizes, step.learnsTable ? model.table : undefined)
    this.#step = step
    this.#session = session
    this.#feeds = weightFeeds(step.graph.parameters, all)
    this.#dropout = dropout
    this.#loss = lossNamed(loss)
  }

  static async open(model: QueryModel, settings: TrainingStepSettings): Promise<TrainingStep> {
    const dropout = new Dropout(settings.dropout, settings.seed)
    const step = buildStep(model, { ...settings, drop: dropout.drop })
    return new TrainingStep(model, step, await openGraph(step.graph, settings), dropout, settings)
  }

  /** The current factor of inner products. */
  get inverseTemperature(): number {
    return (this.#feeds[INVERSE_TEMPERATURE]!.data as Float32Array)[0]!
  }

  /**
   * Runs one batch, and replaces the previous gradients or adds to them.
   *
   * @param number The batch's number, which determines dropout.
   * @param queriesOfStep The number of queries over which the loss of a step is averaged.
   * @returns The sum of the queries' losses.
   */
  async run(
    queries: QueryBatch,
    lists: readonly TargetList[],
    documents: DocumentVectors,
    at: { number: number; queriesOfStep: number; first: boolean },
  ): Promise<number> {
    this.#state.check()
    const { rows } = queries
    const { first } = at
    const results = await this.#results(queries, lists, documents, at).catch((error) => {
      throw memoryError(error)
    })
    const { learning, learnsTable } = this.#step
    if (first) this.gradients.clearRows()
    else for (const name of learning) this.gradients.add(name, floats(results, gradientName(name)))
    if (learnsTable) this.gradients.addRows(rows!, floats(results, ROWS_GRADIENT))
    const losses = floats(results, LOSSES)
    return lists.reduce((sum, { target }, i) => sum + losses[i]! + this.#loss.constant(target), 0)
  }

  async #results(
    { feeds, size, length }: QueryBatch,
    lists: readonly TargetList[],
    documents: DocumentVectors,
    { number, queriesOfStep, first }: Parameters<TrainingStep['run']>[3],
  ): Promise<Results> {
    const shares = new Float32Array(size).fill(1 / queriesOfStep)
    const all = {
      ...this.#feeds,
      ...feeds,
      ...listFeeds(lists, documents, this.#loss),
      ...this.#dropout.feeds(number, { batch: size, length, tokens: size * length }),
      shares: new Tensor('float32', shares, [size, 1]),
    }
    return this.#session.run(all, this.#fetches(first))
  }

  /** Releases the session; a second call has no effect. */
  async close(): Promise<void> {
    if (this.#state.end()) await this.#session.release()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Returns the output buffers: the first batch of a step writes its gradients directly to them.
   */
  #fetches(first: boolean): Record<string, Tensor | null> {
    const fetches: Record<string, Tensor | null> = { [LOSSES]: null }
    for (const name of this.#step.learning) {
      const { dims } = this.#feeds[name]!
      const place = () => new Tensor('float32', this.gradients.of(name), dims)
      fetches[gradientName(name)] = first ? place() : null
    }
    if (this.#step.learnsTable) fetches[ROWS_GRADIENT] = null
    return fetches
  }
}

function floats(results: Results, name: string): Float32Array {
  return results[name]!.data as Float32Array
}

/** Converts the candidate lists of a batch to inputs of the graph, padded to the longest list. */
export function listFeeds(
  lists: readonly TargetList[],
  documents: DocumentVectors,
  { inputs }: LossFunction,
): Record<string, Tensor> {
  const { dimensions } = documents
  const lengths = lists.map(({ rows }) => rows.length)
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0)
  const vectors = new Float32Array(lists.length * longest * dimensions)
  const target = new Float32Array(lists.length * longest)
  lists.forEach((list, query) => {
    const at = query * longest
    const end = at + list.rows.length
    documents.gather(list.rows, vectors.subarray(at * dimensions, end * dimensions))
    target.set(list.target, at)
  })
  const feeds: Record<string, Tensor> = {
    candidates: new Tensor('float32', vectors, [lists.length, longest, dimensions]),
  }
  for (const [name, { numbers }] of Object.entries(inputs)) {
    const { data, dims } = numbers({ lengths, longest, target })
    feeds[name] = new Tensor('float32', data, dims)
  }
  return feeds
}

/** Messages of onnxruntime and JavaScript about insufficient memory. */
const SAID =
  /failed to allocate[^\n]*|bad allocation|bad_alloc|(array buffer |)allocation failed|invalid typed array length[^\n]*/i

/**
 * Converts an error about memory to an error that says what to do; returns other errors unchanged.
 */
export function memoryError(error: unknown): unknown {
  const said = error instanceof Error ? SAID.exec(error.message)?.[0] : undefined
  if (said === undefined || error instanceof KithError) return error
  const problem = `a batch does not fit into memory (${said.trim()}); lower the list size, or lower the batch size and use gradient accumulation`
  return new KithError('OUT_OF_MEMORY', problem)
}

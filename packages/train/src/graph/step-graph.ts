import { type Drop, type Graph, operations as op, type Value } from '@kith/encoder/internal'
import { type Loss, type LossSettings, lossNamed } from '../losses.ts'
import type { QueryModel } from '../models/query-model.ts'
import { backward } from './backward.ts'

/** The weights of candidates' scores: inverse temperature · ⟨query, candidate⟩ + bias. */
export const INVERSE_TEMPERATURE = 'score.inverse-temperature'
export const BIAS = 'score.bias'

/** The output of a step besides gradients: the loss of each query. */
export const LOSSES = 'losses'
/** The gradient of the rows of a model's table. */
export const ROWS_GRADIENT = 'gradient of rows'
/** The output of a step for a weight. */
export const gradientName = (name: string): string => `gradient ${name}`

/** How the graph of a training step is built. */
export interface StepGraphOptions extends LossSettings {
  loss: Loss
  /** Whether inverse temperature and bias of the scores learn, too. */
  learnTemperature: boolean
  drop?: Drop | undefined
}

/** Forward pass, loss and gradients as one graph. */
export interface StepGraph {
  graph: Graph
  /** The loss that is minimized, one number. */
  total: Value
  /** The names of the weights whose gradients it returns. */
  learning: readonly string[]
  /** Whether it returns the gradients of the rows of the model's table. */
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
  // A query's share: 1 over the queries of a step, which may be several batches.
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

/** The loss of each query, batch × 1, from its candidates' scores, batch × candidates. */
export function lossesOf(scores: Value, options: LossSettings & { loss: Loss }): Value {
  const { inputs, build } = lossNamed(options.loss)
  const values = Object.entries(inputs).map(([name, { axes }]) => {
    return [name, scores.graph.input(name, 'float32', axes)]
  })
  return build(op, scores, Object.fromEntries(values), options)
}

/** The inner product of each query with each of its candidates, batch × candidates. */
function products(queries: Value, candidates: Value): Value {
  const { graph } = queries
  const [batch, count, dimensions] = candidates.shape as [string, string, number]
  const column = op.reshape(queries, [batch, dimensions, 1])
  const scores = graph.node('MatMul', [candidates, column], [[batch, count, 1]], {
    gradients: [
      undefined,
      // By the general rule for products the candidates, most of a batch, would be transposed.
      (g) =>
        op.reshape(op.matmul(op.reshape(g, [batch, 1, count]), candidates), [batch, dimensions, 1]),
    ],
  })[0]!
  return op.reshape(scores, [batch, count])
}

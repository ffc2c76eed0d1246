import { Graph, type GraphNode, type Value } from '../graph/graph.ts'
import { type Message, toOnnx } from '../graph/onnx.ts'
import { readWeights } from '../model/checkpoint.ts'
import type { EncoderConfig } from '../model/config.ts'
import type { Checkpoint } from '../model/model.ts'
import {
  type DropPlaces,
  encoderLayers,
  lowerLayers,
  score,
  upperLayers,
  wordRows,
} from './layers.ts'
import { embeddings, type Head } from './pooling.ts'

/** The names of the outputs of the models that are built here. */
export const EMBEDDINGS = 'embeddings'
export const HIDDEN = 'last_hidden_state'
export const SCORES = 'scores'

/** The inputs for building a model. */
export interface ModelSource extends Pick<Checkpoint, 'config' | 'weights' | 'head'> {
  /** Whether linear layers compute with 8-bit numbers. */
  quantized?: boolean
  /** Whether the model scores pairs of texts. */
  scores?: boolean
}

/**
 * Builds an ONNX model of a checkpoint with its weights: from token ids to embeddings, hidden
 * states or scores.
 */
export async function buildModel(
  { config, weights: file, head, quantized = false }: ModelSource,
  output: typeof EMBEDDINGS | typeof HIDDEN | typeof SCORES,
): Promise<Message> {
  const { graph, mask, hidden } = buildEncoder(config, output === SCORES)
  if (output === HIDDEN) graph.output(output, hidden)
  else if (output === SCORES) graph.output(output, score(config, hidden))
  else graph.output(output, embeddings(hidden, mask, head))
  const weights = await readWeights(file, graph.parameters)
  if (quantized) quantizeLinear(graph, weights)
  return toOnnx(graph, ({ name }) => weights.get(name)!)
}

/** Counts the parameters of an encoder. */
export function countParameters(config: EncoderConfig): number {
  return buildEncoder(config).graph.parameters.reduce(
    (sum, { shape }) => sum + shape.reduce<number>((size, dim) => size * Number(dim), 1),
    0,
  )
}

/** A graph from tokens to hidden states, to which a head or a loss can be added. */
export interface EncoderGraph {
  graph: Graph
  mask: Value
  hidden: Value
}

/**
 * Builds a graph that starts with token ids.
 *
 * @param pairs Whether the graph also gets segment types, if the encoder has more than one.
 */
export function buildEncoder(config: EncoderConfig, pairs = false): EncoderGraph {
  const graph = new Graph()
  const ids = graph.input('input_ids', 'int64', ['batch', 'length'])
  const mask = graph.input('attention_mask', 'int64', ['batch', 'length'])
  const types =
    pairs && config.tokenTypes > 1
      ? graph.input('token_type_ids', 'int64', ['batch', 'length'])
      : undefined
  const words = wordRows(config, ids)
  return { graph, mask, hidden: encoderLayers(config, words, mask, undefined, types) }
}

/**
 * Builds a graph for training that starts with the embeddings of tokens: the table of all tokens is
 * half of a small model, and a batch uses few of its rows.
 */
export function buildTrainable(
  config: EncoderConfig,
  places?: DropPlaces,
): EncoderGraph & { words: Value } {
  const { graph, words, mask } = trainableInputs(config)
  return { graph, words, mask, hidden: encoderLayers(config, words, mask, places) }
}

/**
 * Builds the lower part of the training graph: from token embeddings to the hidden states after
 * `count` layers.
 */
export function buildLower(config: EncoderConfig, count: number): EncoderGraph {
  const { graph, words, mask } = trainableInputs(config)
  return { graph, mask, hidden: lowerLayers(config, words, mask, count) }
}

/**
 * Builds the upper part of the training graph, whose input is the hidden states of the lower part.
 */
export function buildUpper(config: EncoderConfig, places: DropPlaces): EncoderGraph {
  const graph = new Graph()
  const states = graph.input('hidden_states', 'float32', ['batch', 'length', config.hidden])
  const mask = graph.input('attention_mask', 'int64', ['batch', 'length'])
  return { graph, mask, hidden: upperLayers(config, states, mask, places) }
}

function trainableInputs({ hidden }: EncoderConfig): { graph: Graph; words: Value; mask: Value } {
  const graph = new Graph()
  const words = graph.input('word_rows', 'float32', ['batch', 'length', hidden])
  const mask = graph.input('attention_mask', 'int64', ['batch', 'length'])
  return { graph, words, mask }
}

/** Builds an ONNX model for the steps after hidden states: pooling and normalization. */
export function buildHead(head: Head): Message {
  const graph = new Graph()
  const hidden = graph.input(HIDDEN, 'float32', ['batch', 'length', 'hidden'])
  const mask = graph.input('attention_mask', 'int64', ['batch', 'length'])
  graph.output(EMBEDDINGS, embeddings(hidden, mask, head))
  return toOnnx(graph)
}

/**
 * The largest absolute value of a quantized weight. Processors without VNNI add two products at a
 * time in 16 bits: 2 · 255 · 64 fits, but larger weights would overflow and give different sums.
 */
const LARGEST = 64

/**
 * Replaces the linear layers of a graph by products of 8-bit numbers. Weights are rounded once,
 * with a scale per output; a layer's input is rounded at each run, with a single scale.
 *
 * @param weights The numbers of parameters by name. Rounded parameters become constants.
 */
function quantizeLinear(graph: Graph, weights: ReadonlyMap<string, Float32Array>): void {
  const rounded = new Map<Value, readonly Value[]>()
  const taken = new Set<Value>()
  const nodes = [...graph.nodes].flatMap((node) => {
    const [x, w] = node.inputs
    if (node.type !== 'Gemm' || !graph.parameters.includes(w!)) return [node]
    taken.add(w!)
    const from = graph.nodes.length
    if (!rounded.has(x!)) rounded.set(x!, dynamicallyRounded(x!))
    product(node, rounded.get(x!)!, weights.get(w!.name)!)
    return graph.nodes.slice(from)
  })
  graph.nodes.splice(0, graph.nodes.length, ...nodes)
  const others = graph.parameters.filter((parameter) => !taken.has(parameter))
  graph.parameters.splice(0, graph.parameters.length, ...others)
}

/**
 * Appends an operation that rounds to numbers from 0 to 255; returns them, their scale, and the
 * number that represents 0.
 */
function dynamicallyRounded(x: Value): Value[] {
  const dtypes = ['uint8', 'float32', 'uint8'] as const
  return x.graph.node('DynamicQuantizeLinear', [x], [x.shape, [], []], { dtype: dtypes })
}

/** Appends the operations that compute the output of a quantized linear layer. */
function product(
  { inputs, outputs }: GraphNode,
  [numbers, scale, zero]: readonly Value[],
  weights: Float32Array,
): void {
  const [x, w, bias] = inputs as [Value, Value, Value?]
  const { graph } = x
  const [out, width] = w.shape as [number, number]
  const { whole, scales } = roundRows(weights, out, width)
  const shape = outputs[0]!.shape
  const matrix = graph.constant(whole, [width, out])
  const [sums] = graph.node('MatMulInteger', [numbers!, matrix, zero!], [shape], { dtype: 'int32' })
  // onnxruntime fuses these operations into one if they have this form.
  const [float] = graph.node('Cast', [sums!], [shape], { attributes: { to: 1 } })
  const [factors] = graph.node('Mul', [scale!, graph.constant(scales, [out])], [[out]])
  const last = { outputs, attributes: {}, gradients: [] }
  if (!bias) {
    graph.nodes.push({ type: 'Mul', inputs: [float!, factors!], ...last })
    return
  }
  const [scaled] = graph.node('Mul', [float!, factors!], [shape])
  graph.nodes.push({ type: 'Add', inputs: [scaled!, bias], ...last })
}

/** Rounds the rows of a matrix to whole numbers, as columns, with a scale for each. */
function roundRows(
  weights: Float32Array,
  rows: number,
  width: number,
): { whole: Int8Array; scales: Float32Array } {
  const whole = new Int8Array(rows * width)
  const scales = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    const numbers = weights.subarray(row * width, (row + 1) * width)
    const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
    // A row of zeros stays a row of zeros with any scale.
    const scale = largest / LARGEST || 1
    scales[row] = scale
    numbers.forEach((number, i) => {
      whole[i * rows + row] = Math.round(number / scale)
    })
  }
  return { whole, scales }
}

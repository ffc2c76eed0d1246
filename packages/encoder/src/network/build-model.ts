import { Graph, type Value } from '../graph/graph.ts'
import { toOnnx } from '../graph/onnx.ts'
import type { Message } from '../graph/protobuf.ts'
import { quantizeLinear } from '../graph/quantize.ts'
import { readWeights } from '../model/checkpoint.ts'
import type { EncoderConfig } from '../model/config.ts'
import type { Checkpoint } from '../model/model.ts'
import { type DropPlaces, encoderLayers, lowerLayers, upperLayers, wordRows } from './layers.ts'
import { embeddings, type Head } from './pooling.ts'
import { score } from './score.ts'

/** The outputs of the models that are built here. */
export const EMBEDDINGS = 'embeddings'
export const HIDDEN = 'last_hidden_state'
export const SCORES = 'scores'

/** The inputs from which a model is built. */
export interface ModelSource extends Pick<Checkpoint, 'config' | 'weights' | 'head'> {
  /** Whether linear layers compute with numbers of 8 bits. */
  quantized?: boolean
  /** Whether it scores pairs of texts. */
  scores?: boolean
}

/** A checkpoint in ONNX, weights inside: from token ids to embeddings, to hidden states, or to scores. */
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

/** Numbers that an encoder has learned. */
export function countParameters(config: EncoderConfig): number {
  return buildEncoder(config).graph.parameters.reduce(
    (sum, { shape }) => sum + shape.reduce<number>((size, dim) => size * Number(dim), 1),
    0,
  )
}

/** A graph from tokens to hidden states, to which a head, or a loss, can be added. */
export interface EncoderGraph {
  graph: Graph
  mask: Value
  hidden: Value
}

/**
 * A graph that starts with token ids.
 *
 * @param pairs Whether it is fed the kinds of segments, too, if the encoder has more than one.
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
 * A graph for training that starts with the embeddings of tokens: the table of all
 * tokens is half of a small model, and few of its rows are in a batch.
 */
export function buildTrainable(
  config: EncoderConfig,
  places?: DropPlaces,
): EncoderGraph & { words: Value } {
  const { graph, words, mask } = trainableInputs(config)
  return { graph, words, mask, hidden: encoderLayers(config, words, mask, places) }
}

/** The lower part of that graph: from the embeddings of tokens to the hidden states after `count` layers. */
export function buildLower(config: EncoderConfig, count: number): EncoderGraph {
  const { graph, words, mask } = trainableInputs(config)
  return { graph, mask, hidden: lowerLayers(config, words, mask, count) }
}

/** The upper part of that graph, which is fed the hidden states of the lower one. */
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

/** A model in ONNX for the steps after hidden states: pooling and normalization. */
export function buildHead(head: Head): Message {
  const graph = new Graph()
  const hidden = graph.input(HIDDEN, 'float32', ['batch', 'length', 'hidden'])
  const mask = graph.input('attention_mask', 'int64', ['batch', 'length'])
  graph.output(EMBEDDINGS, embeddings(hidden, mask, head))
  return toOnnx(graph)
}

import { join } from 'node:path'
import { readTensorBytes, type WrittenTensor, writeTensors } from '@kith/base/safetensors'
import { KithError } from '@kith/core'
import { range } from '@kith/core/internal'
import { type Checkpoint, type EncoderConfig, type ModelOptions, openModel } from '@kith/encoder'
import {
  asCheckpoint,
  buildEncoder,
  buildTrainable,
  type Drop,
  embeddings,
  families,
  findTensors,
  keep,
  readTokenizerFiles,
  readWeights,
  type Value,
  writeModelFiles,
} from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'
import type { DeviceOptions } from '../graph/session.ts'
import { UpperModel } from '../layers/upper-model.ts'
import { Digest } from '../run/digest.ts'
import {
  type Query,
  type QueryBatch,
  type QueryGraph,
  type QueryModel,
  type SplitHooks,
  tokenMask,
} from './query-model.ts'

/** Options for training a query encoder. */
export interface EncoderModelOptions extends ModelOptions {
  /** Prefix of each query, such as `query: ` for E5; default: the prefix in the model's files. */
  queryPrefix?: string | undefined
  /**
   * Number of uppermost layers to train; default: all layers and the embeddings. Frozen layers have
   * no dropout.
   */
  topLayers?: number | undefined
}

/** How query texts are tokenized. */
export interface QueryTexts {
  tokenizer: Checkpoint['tokenizer']
  /** Maximum number of tokens per query; longer queries are truncated. */
  maxTokens: number
  /** Prefix of each query. */
  prefix: string
  /** A digest of the tokenizer's files. */
  digest: string
}

/**
 * Opens a query encoder for fine-tuning.
 *
 * ```ts
 * const model = await openEncoderModel('minilm', { maxTokens: 32 })
 * ```
 *
 * @param name `minilm`, a folder with a checkpoint, or a name on the hub.
 */
export async function openEncoderModel(
  name: string,
  options: EncoderModelOptions = {},
): Promise<EncoderModel> {
  const { maxTokens, queryPrefix, topLayers, ...others } = options
  // The saved model keeps its own limit; `maxTokens` truncates only the training queries.
  const whole = asCheckpoint(await openModel(name, others))
  const cutting = maxTokens === undefined ? whole : await openModel(name, { ...others, maxTokens })
  const { parameters } = buildEncoder(whole.config).graph
  const weights = await readWeights(whole.weights, parameters)
  const shapes = new Map(parameters.map(({ name, shape }) => [name, shape as number[]]))
  const trained = trainedWeights(whole.config, [...shapes.keys()], topLayers)
  const { description, config } = await readTokenizerFiles(whole.files.folder)
  return new EncoderModel(whole, weights, shapes, trained, {
    tokenizer: cutting.tokenizer,
    maxTokens: cutting.maxTokens,
    prefix: queryPrefix ?? whole.prefixes.query,
    digest: new Digest().text(JSON.stringify(description)).text(JSON.stringify(config)).end(),
  })
}

/** An encoder with trainable weights. Create it with `openEncoderModel`. */
export class EncoderModel implements QueryModel {
  readonly dimensions: number
  readonly table: { name: string; width: number }
  /** The lowest trained layer; −1 if the embeddings are trained, too. */
  readonly lowest: number

  constructor(
    readonly checkpoint: Checkpoint,
    readonly weights: ReadonlyMap<string, Float32Array>,
    readonly shapes: ReadonlyMap<string, readonly number[]>,
    readonly trained: ReadonlySet<string>,
    readonly texts: QueryTexts,
  ) {
    this.dimensions = checkpoint.config.hidden
    this.table = { name: families[checkpoint.config.family].words, width: this.dimensions }
    this.lowest = lowestTrained(checkpoint.config, trained)
  }

  get maxTokens(): number {
    return this.texts.maxTokens
  }

  get identity(): Readonly<Record<string, unknown>> {
    const { config, head } = this.checkpoint
    const { maxTokens, prefix, digest } = this.texts
    return {
      'configuration of the model': new Digest().text(JSON.stringify(config)).end(),
      'pooling of the model': head.pooling,
      'unit length of the model': head.normalize,
      'tokenizer of the model': digest,
      'tokens per query': maxTokens,
      'query prefix': prefix,
      // Earlier versions had dropout in frozen layers, too.
      ...(this.lowest >= 0 ? { 'dropout of frozen layers': 'none' } : {}),
    }
  }

  countCut(queries: readonly Query[]): number {
    return queries.filter((query) => this.tokensOf(query).cut).length
  }

  build(drop: Drop = keep): QueryGraph {
    const { config, head } = this.checkpoint
    const places = { drop, from: this.lowest }
    const { graph, words, mask, hidden } = buildTrainable(config, places)
    return { graph, rows: words, embeddings: embeddings(hidden, mask, head) }
  }

  prepare(queries: readonly Query[]): QueryBatch {
    return this.prepareTokens(queries.map((query) => this.tokensOf(query).ids))
  }

  /** Prepares a batch from token ids. */
  prepareTokens(tokens: readonly (readonly number[])[]): QueryBatch {
    const size = tokens.length
    const { mask, length } = tokenMask(tokens.map((ids) => ids.length))
    const { name, width } = this.table
    const table = this.weights.get(name)!
    const rows = new Int32Array(size * length)
    tokens.forEach((ids, query) => {
      rows.set(ids, query * length)
    })
    const words = new Float32Array(rows.length * width)
    rows.forEach((row, i) => {
      words.set(table.subarray(row * width, (row + 1) * width), i * width)
    })
    return {
      size,
      length,
      rows,
      feeds: {
        word_rows: new Tensor('float32', words, [size, length, width]),
        attention_mask: mask,
      },
    }
  }

  /** Returns the token ids of a query, and whether it was truncated. */
  tokensOf({ id, text }: Query): { ids: number[]; cut: boolean } {
    const { tokenizer, prefix } = this.texts
    if (typeof text === 'string') return tokenizer.encode(prefix + text)
    throw new KithError(
      'BAD_INPUT',
      `query ${id} has no text; an encoder needs the text of each query`,
    )
  }

  split(
    file: string,
    queries: readonly Query[],
    options: DeviceOptions & SplitHooks,
  ): UpperModel | undefined {
    return this.lowest > 0 ? new UpperModel(this, file, queries, options) : undefined
  }

  /**
   * Saves a trained encoder in the layout of its base model: `model.safetensors` with the same
   * names, config, tokenizer and pooling. Tensors that the encoder does not use (poolers, heads)
   * are copied unchanged.
   */
  async save(folder: string): Promise<void> {
    const { checkpoint, weights, shapes } = this
    const parameters = [...shapes].map(([name, shape]) => ({ name, shape }) as unknown as Value)
    const { wanted, all } = await findTensors(checkpoint.weights, parameters)
    const ours = new Map(wanted.map(({ name, tensor }) => [tensor.name, name]))
    const tensors: WrittenTensor[] = []
    for (const tensor of all) {
      const name = ours.get(tensor.name)
      const { shape, dtype } = tensor
      if (name) tensors.push({ name: tensor.name, shape, data: weights.get(name)! })
      else tensors.push({ name: tensor.name, shape, dtype, data: await readTensorBytes(tensor) })
    }
    await writeModelFiles(checkpoint, folder)
    await writeTensors(join(folder, 'model.safetensors'), tensors)
  }
}

/**
 * Returns the names of the weights to train: the weights of the uppermost layers, or all without a
 * number.
 */
function trainedWeights(
  { layers }: EncoderConfig,
  names: readonly string[],
  topLayers: number | undefined,
): Set<string> {
  if (topLayers === undefined) return new Set(names)
  range({ from: 1, to: layers, integer: true })('topLayers', topLayers)
  return new Set(names.filter((name) => layerOf(name) >= layers - topLayers))
}

/**
 * Returns the lowest layer with a trained weight: −1 if the embeddings are trained, the number of
 * layers if nothing below the last normalization is trained.
 */
function lowestTrained({ layers }: EncoderConfig, trained: ReadonlySet<string>): number {
  return Math.min(layers, ...Array.from(trained, layerOf))
}

/** Returns the layer of a weight: −1 for the embeddings, Infinity for the last normalization. */
function layerOf(name: string): number {
  if (name.startsWith('final_norm.')) return Infinity
  return Number(/(?:^|\.)layers?\.(\d+)\./.exec(name)?.[1] ?? -1)
}

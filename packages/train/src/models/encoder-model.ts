import { KithError } from '@kith/core'
import { type Checkpoint, type ModelOptions, openModel } from '@kith/encoder'
import {
  asCheckpoint,
  buildEncoder,
  buildTrainable,
  type Drop,
  embeddings,
  readTokenizerFiles,
  readWeights,
  WORDS,
} from '@kith/encoder/internal'
import { Tensor } from 'onnxruntime-node'
import { Digest } from '../run/digest.ts'
import { trainedWeights } from './freeze.ts'
import type { Query, QueryBatch, QueryGraph, QueryModel } from './query-model.ts'
import { saveEncoder } from './save-encoder.ts'

/** How a query encoder is trained. */
export interface EncoderModelOptions extends ModelOptions {
  /** Put before each query, such as `query: ` for E5. */
  queryPrefix?: string | undefined
  /** How many of the uppermost layers learn; default: all of them, and the embeddings. */
  topLayers?: number | undefined
}

/** How the texts of queries become tokens. */
export interface QueryTexts {
  tokenizer: Checkpoint['tokenizer']
  /** Tokens after which queries are cut. */
  maxTokens: number
  /** Put before each query. */
  prefix: string
  /** A digest of the tokenizer's files. */
  digest: string
}

/**
 * A query encoder that is to be fine-tuned.
 *
 * @param name `minilm`, a folder with a checkpoint, or a name on the hub.
 */
export async function openEncoderModel(
  name: string,
  options: EncoderModelOptions = {},
): Promise<EncoderModel> {
  const { maxTokens, queryPrefix = '', topLayers, ...others } = options
  // The saved model keeps its own limit; only the queries of the training are cut at another.
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
    prefix: queryPrefix,
    digest: new Digest().text(JSON.stringify(description)).text(JSON.stringify(config)).end(),
  })
}

/** A BERT or DistilBERT whose weights learn. Make one with `openEncoderModel`. */
export class EncoderModel implements QueryModel {
  readonly dimensions: number
  readonly table: { name: string; width: number }

  constructor(
    readonly checkpoint: Checkpoint,
    readonly weights: ReadonlyMap<string, Float32Array>,
    readonly shapes: ReadonlyMap<string, readonly number[]>,
    readonly trained: ReadonlySet<string>,
    readonly texts: QueryTexts,
  ) {
    this.dimensions = checkpoint.config.hidden
    this.table = { name: WORDS, width: this.dimensions }
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
      'unit length of the model': head.normalise,
      'tokenizer of the model': digest,
      'tokens per query': maxTokens,
      'query prefix': prefix,
    }
  }

  countCut(queries: readonly Query[]): number {
    return queries.filter((query) => this.#tokensOf(query).cut).length
  }

  build(drop?: Drop): QueryGraph {
    const { config, head } = this.checkpoint
    const { graph, words, mask, hidden } = buildTrainable(config, drop)
    return { graph, rows: words, embeddings: embeddings(hidden, mask, head) }
  }

  prepare(queries: readonly Query[]): QueryBatch {
    return this.prepareTokens(queries.map((query) => this.#tokensOf(query).ids))
  }

  /** The same from token ids. */
  prepareTokens(tokens: readonly (readonly number[])[]): QueryBatch {
    const size = tokens.length
    const length = tokens.reduce((most, ids) => Math.max(most, ids.length), 0)
    const { width } = this.table
    const table = this.weights.get(WORDS)!
    const rows = new Int32Array(size * length)
    const mask = new BigInt64Array(size * length)
    tokens.forEach((ids, query) => {
      rows.set(ids, query * length)
      mask.fill(1n, query * length, query * length + ids.length)
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
        attention_mask: new Tensor('int64', mask, [size, length]),
      },
    }
  }

  #tokensOf({ id, text }: Query): { ids: number[]; cut: boolean } {
    const { tokenizer, prefix } = this.texts
    if (typeof text === 'string') return tokenizer.encode(prefix + text)
    throw new KithError('BAD_INPUT', `query ${id} has no text, which an encoder needs`)
  }

  save(folder: string): Promise<void> {
    return saveEncoder(this, folder)
  }
}

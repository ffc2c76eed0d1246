import { KithError } from '@kith/core'
import type { Model } from './model/model.ts'
import {
  buildHead,
  buildModel,
  EMBEDDINGS,
  HIDDEN,
  type ModelSource,
  SCORES,
} from './network/build-model.ts'
import type { Pooling } from './network/pooling.ts'
import { InferenceSession, type SessionOptions, Tensor } from './runtime.ts'

/** The model of a session: a checkpoint, or an ONNX file that is used unchanged. */
export type SessionSource = ModelSource | { file: string; head: Model['head'] }

/** The tokens of texts of equal length, one text after the other. */
export interface TokenBatch {
  ids: Int32Array
  length: number
  /** Segment types; without them, a text is one segment. */
  types?: Int32Array
}

/** Tensors by name. */
type Feeds = Record<string, Tensor>

/** Computes embeddings or scores from tokens. */
export type EncoderSession = (batch: TokenBatch) => Promise<Float32Array>

const MASK = 'attention_mask'
/** The inputs that an ONNX model may have. */
const INPUTS = ['input_ids', MASK, 'token_type_ids']
/** The names of hidden states and of embeddings in ONNX models. */
const HIDDEN_NAMES = [HIDDEN, 'token_embeddings']
const POOLED_NAMES = ['sentence_embedding', EMBEDDINGS]

/** Loads a model. */
export async function openSession(source: SessionSource, threads: number): Promise<EncoderSession> {
  if ('file' in source) return openForeign(source.file, source.head, threads)
  const output = source.scores ? SCORES : EMBEDDINGS
  const session = await create((await buildModel(source, output)).toBytes(), threads)
  return async (batch) => floats((await session.run(feedsOf(batch, session.inputNames)))[output]!)
}

async function openForeign(
  file: string,
  head: Model['head'],
  threads: number,
): Promise<EncoderSession> {
  const session = await create(file, threads).catch((error) => {
    throw new KithError('BAD_INPUT', `${file}: onnxruntime cannot load the model: ${error.message}`)
  })
  const { inputNames, outputNames } = session
  if (!inputNames.every((name) => INPUTS.includes(name))) {
    const problem = `the inputs of the model must be ${INPUTS.join(', ')}, got ${inputNames.join(', ')}`
    throw new KithError('BAD_INPUT', `${file}: ${problem}`)
  }
  const { output, pooling } = chooseOutput(file, outputNames, head.pooling)
  const pool = await create(buildHead({ ...head, pooling }).toBytes(), threads)
  return async (batch) => {
    const states = (await session.run(feedsOf(batch, inputNames), [output]))[output]!
    // An output that already is an embedding is pooled as a text of one token.
    const shape = states.dims.length === 2 ? states.dims.toSpliced(1, 0, 1) : states.dims
    const [texts = 0, length = 0] = shape
    const mask = feedsOf({ ids: new Int32Array(texts * length), length }, [MASK])
    const hidden = new Tensor('float32', floats(states), shape)
    return floats((await pool.run({ ...mask, [HIDDEN]: hidden }))[EMBEDDINGS]!)
  }
}

/** Returns the hidden states if their pooling is known, else the embeddings. */
function chooseOutput(
  file: string,
  names: readonly string[],
  pooling: Pooling | undefined,
): { output: string; pooling: Pooling } {
  const hidden = HIDDEN_NAMES.find((name) => names.includes(name))
  if (hidden && pooling) return { output: hidden, pooling }
  const pooled = POOLED_NAMES.find((name) => names.includes(name))
  if (pooled) return { output: pooled, pooling: 'first' }
  const problem = hidden
    ? 'the files of the model do not name the pooling; set pooling to "mean" or "first"'
    : `the model must have the output ${[...HIDDEN_NAMES, ...POOLED_NAMES].join(' or ')}, got ${names.join(', ')}`
  throw new KithError('BAD_INPUT', `${file}: ${problem}`)
}

function create(model: Uint8Array | string, threads: number): Promise<InferenceSession> {
  const options: SessionOptions = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Threads that wait by spinning would take cores from the other sessions.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  }
  // `create` has an overload for each type, but none for both.
  return typeof model === 'string'
    ? InferenceSession.create(model, options)
    : InferenceSession.create(model, options)
}

/** Builds the inputs of a model. There is no padding. */
function feedsOf({ ids, length, types }: TokenBatch, names: readonly string[]): Feeds {
  const contents: Record<string, () => BigInt64Array> = {
    input_ids: () => BigInt64Array.from(ids, BigInt),
    [MASK]: () => new BigInt64Array(ids.length).fill(1n),
    token_type_ids: () =>
      types ? BigInt64Array.from(types, BigInt) : new BigInt64Array(ids.length),
  }
  const shape = [ids.length / length, length]
  return Object.fromEntries(
    names.map((name) => [name, new Tensor('int64', contents[name]!(), shape)]),
  )
}

function floats({ type, data }: Tensor): Float32Array {
  if (data instanceof Float32Array) return data
  throw new KithError('BAD_INPUT', `the model must return float32, got ${type}`)
}

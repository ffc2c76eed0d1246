/**
 * Internal: the file of a query adapter, and its use at search time, for Kith's own packages. It may
 * change with any version; programs open an adapter by `openAdapter` of `@kith/train`.
 */
import { basename, join } from 'node:path'
import { KithError } from '@kith/core'
import { FileError } from './files/file-error.ts'
import {
  readMetadata,
  readTensorList,
  readTensors,
  type StoredTensor,
  type WrittenTensor,
  writeTensors,
} from './safetensors.ts'

/** `linear`: x + Wx. `mlp`: x + V · gelu(Wx + b) + c. */
export type AdapterKind = 'linear' | 'mlp'

/** The embeddings that an adapter belongs to, as far as they are known. */
export interface AdapterOrigin {
  /** The name of the encoder that made the queries' embeddings. */
  model?: string | undefined
  /** Some of the documents, by which the corpus is known again after it has grown. */
  documents?: SampledDocuments | undefined
}

/** Some documents with their vectors, a row each. */
export interface SampledDocuments {
  ids: readonly string[]
  vectors: Float32Array
}

/** An adapter as its file has it. */
export interface AdapterFile {
  kind: AdapterKind
  dimensions: number
  /** Whether adapted embeddings get length 1. */
  normalize: boolean
  /** `up.weight`; of an MLP also `up.bias`, `down.weight` and `down.bias`. */
  weights: ReadonlyMap<string, Float32Array>
  origin: AdapterOrigin
}

/** The part of the sampled documents that a corpus must have, and how similar their vectors must be. */
const [SHARE, SIMILARITY] = [0.5, 0.99]
const FILE = 'adapter.safetensors'
const SAMPLE = 'documents.vectors'

/** The shapes of an adapter's weights. */
export function adapterShapes(
  kind: AdapterKind,
  dimensions: number,
  inner = dimensions,
): [string, number[]][] {
  if (kind === 'linear') return [['up.weight', [dimensions, dimensions]]]
  return [
    ['up.weight', [inner, dimensions]],
    ['up.bias', [inner]],
    ['down.weight', [dimensions, inner]],
    ['down.bias', [dimensions]],
  ]
}

/** Writes `adapter.safetensors` into a folder. */
export async function writeAdapterFile(folder: string, adapter: AdapterFile): Promise<void> {
  const { kind, dimensions, normalize, weights, origin } = adapter
  const { model, documents } = origin
  const inner = weights.get('up.weight')!.length / dimensions
  const tensors: WrittenTensor[] = adapterShapes(kind, dimensions, inner).map(([name, shape]) => {
    return { name, shape, data: weights.get(name)! }
  })
  if (documents) {
    const shape = [documents.ids.length, dimensions]
    tensors.push({ name: SAMPLE, shape, data: documents.vectors })
  }
  await writeTensors(join(folder, FILE), tensors, {
    ...{ format: 'pt', kind, normalize: String(normalize) },
    ...(model === undefined ? {} : { model }),
    ...(documents ? { documentIds: JSON.stringify(documents.ids) } : {}),
  })
}

/** Reads `adapter.safetensors` of a folder. */
export async function readAdapterFile(folder: string): Promise<AdapterFile> {
  const file = join(folder, FILE)
  const { kind, normalize, model, documentIds } = readMetadata(file)
  if (kind !== 'linear' && kind !== 'mlp') throw new FileError(file, '', 'is not a query adapter')
  const stored = readTensorList(file)
  const up = stored.find(({ name }) => name === 'up.weight')
  const [inner = 0, dimensions = 0] = up?.shape ?? []
  // Checked before the memory is allocated.
  if (!up || inner * dimensions * 4 !== up.bytes || up.bytes === 0) {
    throw new FileError(file, 'tensor up.weight', 'is missing, or is not a float32 matrix')
  }
  const shapes = adapterShapes(kind, dimensions, inner)
  const list = shapes.map(([name, shape]) => tensorOf(file, stored, name, shape))
  const read = await readTensors(file, list)
  const origin: AdapterOrigin = { model: typeof model === 'string' ? model : undefined }
  if (typeof documentIds === 'string') {
    const ids = idsIn(file, documentIds)
    const tensor = tensorOf(file, stored, SAMPLE, [ids.length, dimensions])
    origin.documents = { ids, vectors: (await readTensors(file, [tensor]))[0]! }
  }
  const weights = new Map(shapes.map(([name], i) => [name, read[i]!]))
  return { kind, dimensions, normalize: normalize === 'true', weights, origin }
}

/** An adapter at search time: it changes one embedding of a query at a time. */
export class QueryAdapter {
  readonly dimensions: number
  readonly #file: AdapterFile
  readonly #name: string

  /** @param name The adapter's name in messages. */
  constructor(file: AdapterFile, name: string) {
    this.dimensions = file.dimensions
    this.#file = file
    this.#name = name
  }

  /** Opens the adapter of a folder. */
  static async open(folder: string): Promise<QueryAdapter> {
    return new QueryAdapter(await readAdapterFile(folder), folder)
  }

  /** The adapted embedding of a query. */
  apply(vector: ArrayLike<number>): Float32Array {
    const { kind, dimensions, normalize, weights } = this.#file
    if (vector.length !== dimensions) {
      const problem = `the query has ${vector.length} dimensions, but the adapter ${this.#name} has ${dimensions}`
      throw new KithError('BAD_SHAPE', `${problem}; embed queries with the model it was fitted to`)
    }
    const up = product(weights.get('up.weight')!, vector, weights.get('up.bias'))
    const change =
      kind === 'linear'
        ? up
        : product(weights.get('down.weight')!, up.map(gelu), weights.get('down.bias'))
    const adapted = Float32Array.from(change, (value, i) => vector[i]! + value)
    const length = normalize ? Math.sqrt(adapted.reduce((sum, value) => sum + value * value, 0)) : 0
    return length > 0 ? adapted.map((value) => value / length) : adapted
  }

  /** Refuses queries of another encoder than the one that the adapter was fitted to. */
  checkModel({ name, dimensions }: { name: string | undefined; dimensions: number }): void {
    const { model } = this.#file.origin
    // A model in a folder has the name of the folder, wherever that is.
    const isOther = model !== undefined && name !== undefined && basename(name) !== model
    if (!isOther && dimensions === this.dimensions) return
    const fitted = `${model ?? 'a model'} (${this.dimensions} dimensions)`
    const problem = `the adapter ${this.#name} was fitted to embeddings of ${fitted}, but the model is ${name ?? 'another'} (${dimensions} dimensions)`
    throw new KithError('BAD_INPUT', `${problem}; pass the model of the adapter, or fit another`)
  }

  /**
   * Refuses another corpus than the one that the adapter was fitted to: it must have half of the
   * documents that the adapter knows, with vectors as they were.
   */
  async checkDocuments(
    vectorsOf: (ids: readonly string[]) => Promise<readonly (ArrayLike<number> | undefined)[]>,
  ): Promise<void> {
    const { documents } = this.#file.origin
    if (!documents || documents.ids.length === 0) return
    const { ids, vectors } = documents
    const found = await vectorsOf(ids)
    const known = found.filter((vector, i) => {
      const old = vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions)
      return vector?.length === old.length && cosine(vector, old) >= SIMILARITY
    }).length
    if (known >= SHARE * ids.length) return
    const problem = `the adapter ${this.#name} was fitted to another corpus or model: ${known} of ${ids.length} of its documents are here with the same vectors`
    throw new KithError('BAD_INPUT', `${problem}; fit an adapter to this corpus with kith train`)
  }
}

/** Matrix times vector, plus a bias. */
function product(
  matrix: Float32Array,
  vector: ArrayLike<number>,
  bias: Float32Array | undefined,
): Float64Array {
  const result = new Float64Array(matrix.length / vector.length)
  for (let row = 0, at = 0; row < result.length; row++) {
    let sum = bias?.[row] ?? 0
    for (let i = 0; i < vector.length; i++) sum += matrix[at++]! * vector[i]!
    result[row] = sum
  }
  return result
}

function gelu(x: number): number {
  return (x / 2) * (1 + erf(x / Math.SQRT2))
}

/** Abramowitz and Stegun 7.1.26; the error is below 2e-7. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x))
  const series = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
  const tail = series.reduce((sum, factor) => (sum + factor) * t, 0) * Math.exp(-x * x)
  return Math.sign(x) * (1 - tail)
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [both, ofA, ofB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    both += a[i]! * b[i]!
    ofA += a[i]! ** 2
    ofB += b[i]! ** 2
  }
  return both === 0 ? 0 : both / Math.sqrt(ofA * ofB)
}

function tensorOf(
  file: string,
  stored: readonly StoredTensor[],
  name: string,
  shape: readonly number[],
): StoredTensor {
  const tensor = stored.find((candidate) => candidate.name === name)
  if (tensor?.shape.join() === shape.join()) return tensor
  throw new FileError(
    file,
    `tensor ${name}`,
    `is missing, or does not have the shape ${shape.join(' × ')}`,
  )
}

function idsIn(file: string, text: string): string[] {
  try {
    const ids = JSON.parse(text) as unknown
    if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids
  } catch {
    // The error below says it.
  }
  throw new FileError(file, 'metadata documentIds', 'is not a JSON array of strings')
}

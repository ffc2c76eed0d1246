import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import {
  readMetadata,
  readTensorBytes,
  readTensorList,
  readTensors,
  type StoredTensor,
  type WrittenTensor,
  writeTensors,
} from '@kith/base/safetensors'
import type { Moments } from '../optimizer/optimizer.ts'
import type { ScheduleState } from '../optimizer/schedule.ts'
import { Digest } from './digest.ts'
import { differenceOf, type Identity } from './identity.ts'

/** The state of a training besides weights and moments. */
export interface Progress {
  /** Number of finished steps. */
  step: number
  schedule: ScheduleState
  /** The best validation so far by the criterion, and the number of validations since. */
  best: { step: number; value: number } | null
  sinceBest: number
  /** Settings and data: a training resumes only if they are unchanged. */
  identity: Identity
}

/**
 * The complete state of a training. Reading a checkpoint copies the numbers into existing arrays.
 */
export interface TrainingState {
  progress: Progress
  weights: ReadonlyMap<string, Float32Array>
  moments: ReadonlyMap<string, Moments>
  /** The candidates of each query, if they were searched again. */
  candidates?: readonly Uint32Array[] | undefined
}

export type CheckpointName = 'latest' | 'best'

/** The metadata of a checkpoint: the progress as JSON, and digests of progress and tensors. */
type CheckpointMetadata = Record<'training' | 'trainingDigest' | 'tensorsDigest', string>

/** Returns the path of a checkpoint. */
export function checkpointFile(folder: string, name: CheckpointName): string {
  return join(folder, 'checkpoints', `${name}.safetensors`)
}

/**
 * Returns the path of the hidden states below the trained layers, beside the checkpoints; the file
 * exists until the training is finished.
 */
export function lowerLayersFile(folder: string): string {
  return join(folder, 'checkpoints', 'lower-layers.bin')
}

/** Writes a checkpoint atomically, as one file. */
export async function writeCheckpoint(file: string, state: TrainingState): Promise<void> {
  const tensors: WrittenTensor[] = []
  const digest = new Digest()
  const add = (name: string, data: Float32Array | Uint32Array, dtype: string): void => {
    tensors.push({ name, shape: [data.length], dtype, data })
    digest.text(name).array(data)
  }
  for (const [name, data] of state.weights) {
    const { first, second } = state.moments.get(name)!
    add(name, data, 'F32')
    add(`first ${name}`, first, 'F32')
    add(`second ${name}`, second, 'F32')
  }
  state.candidates?.forEach((data, query) => {
    add(`candidates ${query}`, data, 'U32')
  })
  const training = JSON.stringify(state.progress)
  const metadata: CheckpointMetadata = {
    training,
    trainingDigest: new Digest().text(training).end(),
    tensorsDigest: digest.end(),
  }
  await writeTensors(file, tensors, metadata)
}

/** Reads the progress in a checkpoint, without its tensors. */
export async function readProgress(file: string): Promise<Progress> {
  return (await readStart(file)).progress
}

/** Reads a checkpoint into the weights and moments of a training with the same identity. */
export async function readCheckpoint(
  file: string,
  state: Omit<TrainingState, 'progress' | 'candidates'>,
  identity: Identity,
): Promise<{ progress: Progress; candidates: Uint32Array[] }> {
  const { progress, tensorsDigest } = await readStart(file)
  const difference = differenceOf(progress.identity, identity)
  if (difference) throw new FileError(file, '', difference)
  const stored = new Map(readTensorList(file).map((tensor) => [tensor.name, tensor]))
  const digest = new Digest()
  const fill = async (name: string, data: Float32Array) => {
    const tensor = stored.get(name)
    if (!tensor || tensor.shape.join() !== String(data.length)) {
      throw new FileError(file, `tensor ${name}`, 'is missing, or belongs to another model')
    }
    data.set((await readTensors(file, [tensor]))[0]!)
    digest.text(name).array(data)
  }
  for (const [name, data] of state.weights) {
    const { first, second } = state.moments.get(name)!
    await fill(name, data)
    await fill(`first ${name}`, first)
    await fill(`second ${name}`, second)
  }
  const candidates: Uint32Array[] = []
  for (let tensor = stored.get('candidates 0'); tensor; ) {
    const rows = await readRows(tensor)
    digest.text(tensor.name).array(rows)
    candidates.push(rows)
    tensor = stored.get(`candidates ${candidates.length}`)
  }
  if (digest.end() !== tensorsDigest) throw damaged(file)
  return { progress, candidates }
}

/** Returns whether a folder has a checkpoint to resume from. */
export function hasCheckpoint(folder: string): boolean {
  return existsSync(checkpointFile(folder, 'latest'))
}

async function readStart(file: string): Promise<{ progress: Progress; tensorsDigest: unknown }> {
  const { training, trainingDigest, tensorsDigest } = readMetadata(file)
  const progress = parseProgress(training)
  if (!progress) throw new FileError(file, '', 'is not a checkpoint of a training')
  // Checkpoints of earlier versions have no digests; comparing identities rejects them later.
  const complete = trainingDigest !== undefined || tensorsDigest !== undefined
  const own = new Digest().text(String(training)).end()
  if (complete && own !== trainingDigest) throw damaged(file)
  return { progress, tensorsDigest }
}

async function readRows(tensor: StoredTensor): Promise<Uint32Array> {
  const { file, name, dtype, bytes } = tensor
  if (dtype !== 'U32' || bytes % 4 !== 0) {
    throw new FileError(file, `tensor ${name}`, `expected type U32, got ${dtype} (${bytes} bytes)`)
  }
  return new Uint32Array((await readTensorBytes(tensor)).buffer as ArrayBuffer)
}

function damaged(file: string): FileError {
  const problem = 'is damaged: the checksum is wrong; remove the folder and train again'
  return new FileError(file, '', problem)
}

/** Parses the progress of a checkpoint; undefined if the text is not a valid progress. */
export function parseProgress(text: unknown): Progress | undefined {
  const progress = objectOf(text) as Partial<Progress> | undefined
  // Earlier versions stored the identity as a JSON string.
  const identity = objectOf(progress?.identity)
  if (!progress || !identity) return undefined
  const { step, schedule, best, sinceBest } = progress
  const fits =
    isCount(step) &&
    isCount(sinceBest) &&
    isSchedule(schedule) &&
    (best === null || (isCount(best?.step) && Number.isFinite(best?.value)))
  return fits ? ({ ...progress, identity } as Progress) : undefined
}

function isSchedule(value: Partial<ScheduleState> | undefined): boolean {
  const known = value?.bestLoss === null || Number.isFinite(value?.bestLoss)
  return known && isCount(value?.stalled) && isCount(value?.reductions)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Returns a value, or the value that a JSON string encodes, if it is an object. */
function objectOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'string') {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  }
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'string' ? undefined : objectOf(parsed)
  } catch {
    return undefined
  }
}

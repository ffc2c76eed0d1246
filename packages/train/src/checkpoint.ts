import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readTensorList, readTensors } from '@kith/encoder'
import { FileError } from '@kith/ir'
import type { Moments } from './optimiser.ts'
import { readMetadata } from './read-metadata.ts'
import type { ScheduleState } from './schedule.ts'
import { readRaw, type WrittenTensor, writeTensors } from './tensor-file.ts'

/** What training must remember besides numbers by the million. */
export interface Progress {
  /** Steps done. */
  step: number
  schedule: ScheduleState
  /** The best validation so far, by the criterion; validations since then. */
  best: { step: number; value: number } | null
  sinceBest: number
  /** Settings and data, as JSON: a training goes on with the same ones only. */
  identity: string
}

/** Everything that training is made of. Numbers are copied into place when it is read. */
export interface TrainingState {
  progress: Progress
  weights: ReadonlyMap<string, Float32Array>
  moments: ReadonlyMap<string, Moments>
  /** The candidates of each query, where they were searched again. */
  candidates?: readonly Uint32Array[] | undefined
}

export type CheckpointName = 'latest' | 'best'

/** The file of a checkpoint. */
export function checkpointFile(folder: string, name: CheckpointName): string {
  return join(folder, 'checkpoints', `${name}.safetensors`)
}

/** Writes a checkpoint, one file, whole or not at all. */
export async function writeCheckpoint(file: string, state: TrainingState): Promise<void> {
  const tensors: WrittenTensor[] = []
  for (const [name, data] of state.weights) {
    const shape = [data.length]
    const { first, second } = state.moments.get(name)!
    tensors.push({ name, shape, data })
    tensors.push({ name: `first ${name}`, shape, data: first })
    tensors.push({ name: `second ${name}`, shape, data: second })
  }
  state.candidates?.forEach((data, query) => {
    tensors.push({ name: `candidates ${query}`, shape: [data.length], dtype: 'U32', data })
  })
  await writeTensors(file, tensors, { training: JSON.stringify(state.progress) })
}

/** Reads a checkpoint into the weights and moments of a training with the same settings. */
export async function readCheckpoint(
  file: string,
  state: Omit<TrainingState, 'progress' | 'candidates'>,
  identity: string,
): Promise<{ progress: Progress; candidates: Uint32Array[] }> {
  const progress = progressOf((await readMetadata(file))['training'])
  if (!progress) throw new FileError(file, '', 'is not a checkpoint of a training')
  checkSame(file, progress.identity, identity)
  const stored = new Map((await readTensorList(file)).map((tensor) => [tensor.name, tensor]))
  const fill = async (name: string, data: Float32Array) => {
    const tensor = stored.get(name)
    if (!tensor || tensor.shape.join() !== String(data.length)) {
      throw new FileError(file, `tensor ${name}`, 'is missing, or is that of another model')
    }
    data.set((await readTensors(file, [tensor]))[0]!)
  }
  for (const [name, data] of state.weights) {
    const { first, second } = state.moments.get(name)!
    await fill(name, data)
    await fill(`first ${name}`, first)
    await fill(`second ${name}`, second)
  }
  const candidates: Uint32Array[] = []
  for (let tensor = stored.get('candidates 0'); tensor; ) {
    candidates.push(new Uint32Array((await readRaw(tensor)).buffer as ArrayBuffer))
    tensor = stored.get(`candidates ${candidates.length}`)
  }
  return { progress, candidates }
}

/** Whether a folder has a checkpoint to go on from. */
export function hasCheckpoint(folder: string): boolean {
  return existsSync(checkpointFile(folder, 'latest'))
}

function progressOf(text: unknown): Progress | undefined {
  try {
    const progress = JSON.parse(String(text)) as Progress
    JSON.parse(progress.identity)
    return Number.isSafeInteger(progress.step) && progress.schedule ? progress : undefined
  } catch {
    return undefined
  }
}

function checkSame(file: string, before: string, now: string): void {
  if (before === now) return
  const [old, own] = [before, now].map((text) => JSON.parse(text) as Record<string, unknown>)
  for (const name of Object.keys({ ...old, ...own })) {
    const [was, is] = [old, own].map((settings) => JSON.stringify(settings![name]))
    if (was === is) continue
    const problem = `was trained with ${name} ${was}, now it is ${is}: use what it had then, or another folder`
    throw new FileError(file, '', problem)
  }
}

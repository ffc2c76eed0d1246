import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readMetadata, readTensorList, readTensors, writeTensors } from '@kith/base/safetensors'
import type { LbfgsState } from '@kith/train/fit'

/** Milliseconds between two saved states of a fit. */
const PAUSE = 60_000

/** A state of a fit, and whether the fit is finished. */
interface SavedState {
  state: LbfgsState
  done: boolean
}

/**
 * Stores the states of an adapter's fits in a folder, so that an interrupted job resumes with the
 * same result.
 */
export class FitStates {
  readonly #folder: string
  readonly #identity: string
  #saved = performance.now()

  /** @param identity Identifies the data and settings; states with another identity are ignored. */
  constructor(folder: string, identity: string) {
    this.#folder = join(folder, 'checkpoints')
    this.#identity = identity
  }

  /** Reads the state of a fit; undefined if there is none for the same data and settings. */
  async read(fit: number): Promise<SavedState | undefined> {
    const file = this.#file(fit)
    if (!existsSync(file)) return undefined
    const { identity, progress } = readMetadata(file)
    if (identity !== this.#identity || typeof progress !== 'string') return undefined
    const names = readTensorList(file)
    const tensors = await readTensors(file, names)
    const named = new Map(names.map(({ name }, i) => [name, tensors[i]!]))
    const { done, corrections, ...numbers } = JSON.parse(progress)
    const state = {
      ...numbers,
      ...{ point: named.get('point')!, gradient: named.get('gradient')! },
      corrections: Array.from({ length: corrections }, (_, i) => ({
        step: named.get(`step.${i}`)!,
        change: named.get(`change.${i}`)!,
      })),
    }
    return { state, done }
  }

  /** Saves the state of a fit, at most once a minute unless `must` is set. */
  async save(fit: number, { state, done }: SavedState, must: boolean): Promise<void> {
    if (!must && performance.now() - this.#saved < PAUSE) return
    const { point, gradient, corrections, ...numbers } = state
    // A finished fit does not resume, so its point is enough.
    const kept = done ? [] : corrections
    const named = [
      ['point', point],
      ['gradient', gradient],
      ...kept.flatMap(({ step, change }, i) => [
        [`step.${i}`, step],
        [`change.${i}`, change],
      ]),
    ] as [string, Float32Array][]
    const progress = JSON.stringify({ ...numbers, corrections: kept.length, done })
    await writeTensors(
      this.#file(fit),
      named.map(([name, data]) => ({ name, shape: [data.length], data })),
      { identity: this.#identity, progress },
    )
    this.#saved = performance.now()
  }

  /** Removes the states, after the adapter is saved. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  #file(fit: number): string {
    return join(this.#folder, `fit-${fit}.safetensors`)
  }
}

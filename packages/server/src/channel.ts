import { type ErrorParts, errorFromParts, partsOf } from '@kith/base/pool'
import type { Settings } from '@kith/core'
import type { Role } from '@kith/encoder'
import type { TextEmbedder } from './embedder.ts'
import type { Access } from './guard.ts'
import type { Limits } from './limits.ts'
import type { Figures } from './metrics.ts'
import { Problem } from './problem.ts'
import type { RelevanceScale } from './ranker.ts'
import type { Hit, Search } from './searcher.ts'
import type { EmbeddedText } from './text-model.ts'

/** Answers a question. The signal is aborted when the asker no longer needs the answer. */
type Answer = (value: never, signal: AbortSignal) => unknown

/** A message between two processes. */
export type Message =
  | { kind: 'question'; id: number; name: PropertyKey; value: unknown }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: ErrorParts; problem: ProblemParts | undefined }
  /** The asker no longer needs the answer. */
  | { kind: 'drop'; id: number }

/** The fields of a `Problem` that are lost when an error is copied between processes. */
type ProblemParts = Pick<Problem, 'status' | 'headers'>

interface Asked {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Exchanges questions and answers between two processes; both may ask. */
export class Channel<Theirs extends Record<keyof Theirs, Answer>> {
  readonly #send: (message: Message) => void
  readonly #answers: Readonly<Record<PropertyKey, Answer>>
  readonly #asked = new Map<number, Asked>()
  readonly #inProgress = new Map<number, AbortController>()
  #next = 0

  /**
   * @param send Sends a message to the other process.
   * @param answers Functions that answer the questions of the other process.
   */
  constructor(send: (message: Message) => void, answers: object) {
    this.#send = send
    this.#answers = answers as Readonly<Record<PropertyKey, Answer>>
  }

  /** Asks the other process. Aborting the signal tells it that the answer is no longer needed. */
  async ask<Name extends keyof Theirs>(
    name: Name,
    value: Parameters<Theirs[Name]>[0],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    signal?.throwIfAborted()
    const id = this.#next++
    const drop = (): void => {
      this.#send({ kind: 'drop', id })
      this.#asked.get(id)?.reject(signal?.reason)
    }
    signal?.addEventListener('abort', drop)
    try {
      return await new Promise((resolve, reject) => {
        this.#asked.set(id, { resolve: resolve as Asked['resolve'], reject })
        this.#send({ kind: 'question', id, name, value })
      })
    } finally {
      this.#asked.delete(id)
      signal?.removeEventListener('abort', drop)
    }
  }

  /** Handles a message of the other process. */
  receive(message: Message): void {
    if (message.kind === 'question') void this.#answer(message)
    else if (message.kind === 'drop') this.#inProgress.get(message.id)?.abort()
    else {
      const asked = this.#asked.get(message.id)
      if (message.kind === 'answer') asked?.resolve(message.value)
      else asked?.reject(errorOf(message))
    }
  }

  /** Rejects all open questions because the other process has exited. */
  close(reason: Error): void {
    for (const { reject } of this.#asked.values()) reject(reason)
    for (const work of this.#inProgress.values()) work.abort()
  }

  async #answer({ id, name, value }: Message & { kind: 'question' }): Promise<void> {
    const work = new AbortController()
    this.#inProgress.set(id, work)
    try {
      const answer = await this.#answers[name]!(value as never, work.signal)
      this.#send({ kind: 'answer', id, value: answer })
    } catch (error) {
      const problem = error instanceof Problem ? partsOfProblem(error) : undefined
      this.#send({ kind: 'error', id, error: partsOf(error), problem })
    } finally {
      this.#inProgress.delete(id)
    }
  }
}

function partsOfProblem({ status, headers }: Problem): ProblemParts {
  return { status, headers }
}

function errorOf({ error, problem }: Message & { kind: 'error' }): Error {
  if (!problem) return errorFromParts(error)
  const cause = error.cause && errorFromParts(error.cause)
  return new Problem(problem.status, error.message, problem.headers, cause)
}

/** The options of a worker process. */
export interface WorkerPlan {
  access: Access
  port: number
  limits: Limits
  strict: boolean
  /** The settings without term statistics, which are not plain data. */
  settings: Settings
  statistics: Uint8Array | undefined
  scale: RelevanceScale
  /** The model's name in answers. */
  model: string
  /** The encoder in the first process, if there is one. */
  embedder: Pick<TextEmbedder, 'name' | 'dimensions' | 'maxTokens'> | undefined
  /** The store in the first process, if there is one. */
  searcher: { dimensions: number | undefined } | undefined
}

/** Questions that the first process asks a worker. */
export interface ToWorkers {
  /** Starts the worker's server; returns its address. */
  start(plan: WorkerPlan): Promise<string>
  /** Returns the worker's metrics. */
  figures(_: undefined): Promise<Figures>
  /** Waits until the requests in progress are finished. */
  stop(_: undefined): Promise<void>
}

/**
 * Questions that a worker asks the first process, which has the encoder, the cache and the store.
 */
export interface ToFirst {
  embed(
    question: { texts: readonly string[]; role: Role },
    signal: AbortSignal,
  ): Promise<EmbeddedText[]>
  search(question: Search, signal: AbortSignal): Promise<Hit[]>
  vectors(ids: readonly string[]): Promise<(Float32Array | undefined)[]>
  textVectors(texts: readonly string[]): Promise<(Float32Array | undefined)[]>
  /** Reports that the worker is ready for questions. */
  ready(_: undefined): void
  /** Returns the metrics of all processes as text. */
  metrics(_: undefined): Promise<string>
  /** Reports an error whose cause clients do not see. */
  report(error: ErrorParts): void
}

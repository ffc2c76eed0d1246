import { type ErrorParts, errorFromParts, partsOf } from '@kith/base/pool'
import { Problem } from './problem.ts'

/** Answers a question. The signal is aborted when the answer is no longer wanted. */
type Answer = (value: never, signal: AbortSignal) => unknown

/** A message between two processes. */
export type Message =
  | { kind: 'question'; id: number; name: PropertyKey; value: unknown }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: ErrorParts; problem: ProblemParts | undefined }
  /** The asker no longer wants the answer. */
  | { kind: 'drop'; id: number }

/** The fields of a `Problem` that a copy of an error loses. */
type ProblemParts = Pick<Problem, 'status' | 'headers'>

interface Asked {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Questions and answers between two processes, each of which may ask the other. */
export class Channel<Theirs extends Record<keyof Theirs, Answer>> {
  readonly #send: (message: Message) => void
  readonly #answers: Readonly<Record<PropertyKey, Answer>>
  readonly #asked = new Map<number, Asked>()
  readonly #underWay = new Map<number, AbortController>()
  #next = 0

  /**
   * @param send Takes a message to the other process.
   * @param answers Answers the questions of the other process.
   */
  constructor(send: (message: Message) => void, answers: object) {
    this.#send = send
    this.#answers = answers as Readonly<Record<PropertyKey, Answer>>
  }

  /** Asks the other process. A signal tells it that the answer is no longer wanted. */
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

  /** Takes a message of the other process. */
  receive(message: Message): void {
    if (message.kind === 'question') void this.#answer(message)
    else if (message.kind === 'drop') this.#underWay.get(message.id)?.abort()
    else {
      const asked = this.#asked.get(message.id)
      if (message.kind === 'answer') asked?.resolve(message.value)
      else asked?.reject(errorOf(message))
    }
  }

  /** Ends all questions, since the other process is gone. */
  close(reason: Error): void {
    for (const { reject } of this.#asked.values()) reject(reason)
    for (const work of this.#underWay.values()) work.abort()
  }

  async #answer({ id, name, value }: Message & { kind: 'question' }): Promise<void> {
    const work = new AbortController()
    this.#underWay.set(id, work)
    try {
      const answer = await this.#answers[name]!(value as never, work.signal)
      this.#send({ kind: 'answer', id, value: answer })
    } catch (error) {
      const problem = error instanceof Problem ? partsOfProblem(error) : undefined
      this.#send({ kind: 'error', id, error: partsOf(error), problem })
    } finally {
      this.#underWay.delete(id)
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

import { KithError } from '@kith/core'
import { Lane } from './lane.ts'
import type { SessionSource, TokenBatch } from './session.ts'

interface Job {
  batch: () => TokenBatch
  signal: AbortSignal | undefined
  resolve(rows: Float32Array): void
  reject(error: unknown): void
}

/** How many sessions there are, and the threads of each. */
export interface PoolSize {
  sessions: number
  threads: number
}

/** Sessions that share a queue of batches; each starts when the others are busy. */
export class LanePool {
  readonly #lanes = new Set<Lane>()
  readonly #free: Lane[] = []
  readonly #queue: Job[] = []
  #closed = false

  constructor(
    readonly source: SessionSource,
    readonly size: PoolSize,
  ) {}

  /**
   * Encodes a batch when its turn comes; `batch` makes it then, so that a long queue
   * takes no memory. A signal takes it out of the queue.
   */
  run(batch: () => TokenBatch, signal?: AbortSignal): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ batch, signal, resolve, reject })
      this.#next()
    })
  }

  /** Ends all sessions; what is not done yet fails. */
  close(): void {
    this.#closed = true
    this.#next()
    for (const lane of this.#lanes) lane.close()
  }

  #next(): void {
    for (let job = this.#queue[0]; job; job = this.#queue[0]) {
      if (this.#closed) job.reject(new KithError('BAD_INPUT', 'the encoder was closed'))
      else if (job.signal?.aborted) job.reject(job.signal.reason)
      else {
        const lane = this.#free.pop() ?? this.#start()
        if (!lane) return
        void this.#work(lane, job)
      }
      this.#queue.shift()
    }
  }

  async #work(lane: Lane, { batch, resolve, reject }: Job): Promise<void> {
    try {
      resolve(await lane.run(batch()))
    } catch (error) {
      reject(error)
    }
    this.#free.push(lane)
    this.#next()
  }

  #start(): Lane | undefined {
    if (this.#lanes.size === this.size.sessions) return undefined
    const lane = new Lane(this.source, this.size.threads)
    this.#lanes.add(lane)
    return lane
  }
}

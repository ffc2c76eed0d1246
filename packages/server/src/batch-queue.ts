import { overloaded } from './problem.ts'

/** How a queue forms batches. */
export interface BatchRules<In> {
  /** The name of the queued inputs in messages, such as `texts`. */
  name: string
  /** Maximum number of queued inputs. */
  most: number
  /** Maximum number of batches in progress at the same time. */
  inProgress: number
  /** Returns how many of the queued inputs, at least one, form the next batch. */
  next(inputAt: (place: number) => In | undefined): number
  /** Called with the size of each batch. */
  onBatch?: ((size: number) => void) | undefined
}

/** The inputs of one caller. */
interface Group<Out> {
  results: Out[]
  left: number
  resolve(results: Out[]): void
  reject(error: unknown): void
}

interface Entry<In, Out> {
  input: In
  place: number
  group: Group<Out>
}

/** Collects the inputs of many callers into batches; refuses inputs if the queue is full. */
export class BatchQueue<In, Out> {
  readonly #run: (inputs: In[]) => Promise<Out[]>
  readonly #rules: BatchRules<In>
  #waiting: Entry<In, Out>[] = []
  #inProgress = 0

  constructor(run: (inputs: In[]) => Promise<Out[]>, rules: BatchRules<In>) {
    this.#run = run
    this.#rules = rules
  }

  get length(): number {
    return this.#waiting.length
  }

  /**
   * Returns the results of some inputs. Aborting the signal removes inputs that still wait from the
   * queue.
   */
  async add(inputs: readonly In[], signal: AbortSignal): Promise<Out[]> {
    signal.throwIfAborted()
    if (inputs.length === 0) return []
    const { most, name } = this.#rules
    if (this.#waiting.length + inputs.length > most) {
      throw overloaded(`the queue is full (${this.#waiting.length} ${name} waiting); retry later`)
    }
    let stop = (): void => {}
    try {
      return await new Promise<Out[]>((resolve, reject) => {
        const group: Group<Out> = { results: [], left: inputs.length, resolve, reject }
        stop = () => this.#abandon(group, signal.reason)
        signal.addEventListener('abort', stop)
        inputs.forEach((input, place) => {
          this.#waiting.push({ input, place, group })
        })
        this.#next()
      })
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #next(): void {
    while (this.#inProgress < this.#rules.inProgress && this.#waiting.length > 0) {
      const size = this.#rules.next((place) => this.#waiting[place]?.input)
      this.#inProgress++
      void this.#work(this.#waiting.splice(0, size))
    }
  }

  async #work(batch: Entry<In, Out>[]): Promise<void> {
    try {
      this.#rules.onBatch?.(batch.length)
      const results = await this.#run(batch.map(({ input }) => input))
      batch.forEach(({ place, group }, i) => {
        group.results[place] = results[i]!
        if (--group.left === 0) group.resolve(group.results)
      })
    } catch (error) {
      for (const { group } of batch) this.#abandon(group, error)
    }
    this.#inProgress--
    this.#next()
  }

  #abandon(group: Group<Out>, error: unknown): void {
    this.#waiting = this.#waiting.filter((entry) => entry.group !== group)
    group.reject(error)
  }
}

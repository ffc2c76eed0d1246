import { throwIfAborted } from '@kith/core/internal'

/** How far an ordered map goes ahead, and what stops it. */
export interface MapOptions {
  /** Tasks that are read and not yet answered to the caller, at most. */
  ahead: number
  /** Ends the map, which then throws an error with the code ABORTED. */
  signal?: AbortSignal | undefined
}

/** A promise's outcome, there as soon as it has one. */
interface Outcome<T> {
  settled: Promise<void>
  result?: { value: T } | { error: unknown }
}

/**
 * Does several tasks at a time and yields each with its answer, in the order of the tasks. Tasks
 * are read only as answers are taken. A task that fails, or a source that fails, throws in its
 * turn: after the answers to all tasks before it. Tasks under way when the map ends get an aborted signal.
 */
export async function* orderedMap<Task, Answer>(
  tasks: Iterable<Task> | AsyncIterable<Task>,
  work: (task: Task, signal: AbortSignal) => Promise<Answer>,
  { ahead, signal }: MapOptions,
): AsyncGenerator<[task: Task, answer: Answer]> {
  throwIfAborted(signal)
  const ended = new AbortController()
  const stay = signal && onAbort(signal, () => ended.abort(signal.reason))
  const aborted = new Promise<void>((resolve) => {
    ended.signal.addEventListener('abort', () => resolve())
  })
  const source = toAsync(tasks)
  const inProgress: { task: Task; answer: Outcome<Answer> }[] = []
  let reading: Outcome<IteratorResult<Task, void>> | undefined
  let sourceEnd: { error?: unknown } | undefined
  try {
    for (;;) {
      throwIfAborted(signal)
      if (reading?.result) {
        const read = reading.result
        reading = undefined
        if ('error' in read) sourceEnd = read
        else if (read.value.done) sourceEnd = {}
        else {
          const task = read.value.value
          inProgress.push({ task, answer: outcomeOf(work(task, ended.signal)) })
        }
      }
      if (!sourceEnd && inProgress.length < ahead) reading ??= outcomeOf(source.next())
      const first = inProgress[0]
      if (first?.answer.result) {
        inProgress.shift()
        const done = first.answer.result
        if ('error' in done) throw done.error
        yield [first.task, done.value]
      } else if (first || reading) {
        const awaited = [reading, first?.answer].flatMap((one) => one?.settled ?? [])
        await Promise.race([...awaited, aborted])
      } else if (sourceEnd && 'error' in sourceEnd) throw sourceEnd.error
      else return
    }
  } finally {
    stay?.()
    ended.abort()
    const closing = source.return()
    // A source that is stuck must not keep an aborted map from ending.
    if (signal?.aborted) closing.catch(() => {})
    else await closing
  }
}

function outcomeOf<T>(promise: Promise<T>): Outcome<T> {
  const outcome: Outcome<T> = {
    settled: promise.then(
      (value) => {
        outcome.result = { value }
      },
      (error: unknown) => {
        outcome.result = { error }
      },
    ),
  }
  return outcome
}

async function* toAsync<T>(things: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void, void> {
  yield* things
}

const listening = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls a function once a signal is aborted. However many wait for a signal, it gets one listener:
 * Node warns of a leak from eleven on.
 *
 * @returns Ends the wait.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const known = listening.get(signal)
  const calls = known ?? new Set()
  calls.add(call)
  const listener = (): void => {
    for (const one of [...calls]) one()
  }
  if (!known) {
    listening.set(signal, calls)
    signal.addEventListener('abort', listener, { once: true })
  }
  return () => calls.delete(call)
}

/** Things in lists of a size; the last one may be shorter. */
export async function* inBatches<T>(
  things: Iterable<T> | AsyncIterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const thing of things) {
    batch.push(thing)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

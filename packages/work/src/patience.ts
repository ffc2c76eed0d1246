import { setTimeout } from 'node:timers/promises'
import { KithError } from '@kith/core'
import { isPassing } from '@kith/stores/postgres'

/** The first wait for a database that is away, in milliseconds. */
const PAUSE = 500

/** The longest one. */
const LONGEST_PAUSE = 10_000

/** How to wait for a database. */
export interface Patience {
  /** Ends the waiting: the database's error is thrown then. */
  signal?: AbortSignal | undefined
  /** Called before each wait, with its reason. */
  onWaiting(message: string): void
}

/**
 * Does something with the database again and again, with longer and longer pauses, while it is only
 * the database that fails: it restarts, cannot be reached, or its disk is full. Every other error,
 * such as a wrong password, is thrown at once.
 */
export async function patiently<T>(
  { signal, onWaiting }: Patience,
  action: () => Promise<T>,
): Promise<T> {
  for (let pause = PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      return await action()
    } catch (error) {
      if (!isPassing(error) || signal?.aborted) throw error
      const message = error instanceof KithError ? error.message : String(error)
      onWaiting(message)
      await setTimeout(pause, undefined, signal && { signal }).catch(() => {})
      if (signal?.aborted) throw error
    }
  }
}

import { once } from 'node:events'
import { discardUnfinished, resumableFiles } from '@kith/base'

/** The signals that ask a program to end, with the exit code that shells use for each. */
const codes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 }

/** Milliseconds within which a second signal counts as a repetition of the first. */
const ECHO = 300

/** Milliseconds between two checks of the parent process. */
const LOOK = 500

/** An error for a command that a signal has ended; the message says how to resume. */
export class Stopped extends Error {
  override name = 'Stopped'
}

/** How a command handles a signal. */
export interface StopOptions {
  /** Called when the signal comes, to name the work that is still being finished. */
  onStop?: () => void
  /** The instruction to resume, once the command has stopped. */
  next?: string
}

/** Waits until a signal is aborted, for commands that run a server. */
export async function aborted(signal: AbortSignal): Promise<void> {
  // A promise alone does not keep the program alive; the server does.
  if (!signal.aborted) await once(signal, 'abort')
}

/**
 * Returns whether an error or one of its causes is a reason: pipelines and stores wrap the reason.
 */
function hasCause(error: unknown, reason: unknown): boolean {
  if (error === reason) return true
  return error instanceof Error && error.cause !== undefined && hasCause(error.cause, reason)
}

/**
 * The only listener for SIGINT and SIGTERM. A signal ends the program at once, without a
 * half-written file, unless the command handles signals: then the first signal asks the command to
 * save its work and to end by itself, and the second signal ends the program.
 */
export class Stop {
  readonly #controller = new AbortController()
  readonly #listeners = Object.entries(codes).map(
    ([signal, code]) => [signal, () => this.#onSignal(code)] as const,
  )
  #stopOptions: StopOptions | undefined
  #first: number | undefined
  #code = 0
  readonly #watch = startedByNpx() ? this.#watchParent() : undefined

  constructor() {
    for (const [signal, listener] of this.#listeners) process.on(signal, listener)
  }

  /** The exit code of a program that a signal has ended; 0 without a signal. */
  get code(): number {
    return this.#code
  }

  /**
   * Runs work that ends by itself once the signal is aborted.
   *
   * @param work Throws the signal's reason if it ends before it is complete.
   */
  async untilStopped<T>(
    work: (signal: AbortSignal) => Promise<T>,
    { next = '', ...heeding }: StopOptions = {},
  ): Promise<T> {
    const { signal } = this.#controller
    this.#stopOptions = heeding
    try {
      return await work(signal)
    } catch (error) {
      throw signal.aborted && hasCause(error, signal.reason)
        ? new Stopped(`stopped; ${next}`)
        : error
    } finally {
      this.#stopOptions = undefined
    }
  }

  /** Removes the signal listeners after the command has ended. */
  close(): void {
    for (const [signal, listener] of this.#listeners) process.removeListener(signal, listener)
    clearInterval(this.#watch)
  }

  /**
   * Watches for the end of the parent process. npx starts a program through a shell and sends
   * SIGTERM to that shell, which ends without passing the signal on.
   */
  #watchParent(): NodeJS.Timeout {
    const parent = process.ppid
    const look = (): void => {
      if (process.ppid !== parent && this.#first === undefined) this.#onSignal(codes['SIGTERM']!)
    }
    return setInterval(look, LOOK).unref()
  }

  #onSignal(code: number): void {
    const now = performance.now()
    const first = this.#first === undefined
    // Under npx, one Ctrl-C arrives twice: from the terminal, and passed on by npx.
    if (!first && now - this.#first! < ECHO) return
    this.#first ??= now
    this.#code = code
    if (!first || !this.#stopOptions) this.#end()
    this.#stopOptions?.onStop?.()
    this.#controller.abort()
  }

  #end(): never {
    discardUnfinished()
    const files = resumableFiles()
    for (const file of files) {
      process.stderr.write(
        `\nstopped; finished work is kept in ${file}: run the same command again to resume\n`,
      )
    }
    if (files.length === 0) {
      process.stderr.write(
        '\nstopped; no work was kept: run the same command again to start over\n',
      )
    }
    process.exit(this.#code)
  }
}

/** Returns whether npx has started this program directly, not through another program. */
function startedByNpx({ npm_lifecycle_event, npm_lifecycle_script = '' } = process.env): boolean {
  return npm_lifecycle_event === 'npx' && /^'?kith\b/.test(npm_lifecycle_script)
}

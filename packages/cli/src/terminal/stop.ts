import { once } from 'node:events'
import { discardUnfinished, resumableFiles } from '@kith/base'

/** The signals that ask a program to end, with the exit code that a shell gives each. */
const codes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 }

/** Milliseconds within which a second signal is the same one again. */
const ECHO = 300

/** Milliseconds between two looks at the parent process. */
const LOOK = 500

/** A signal has ended a command; the message says how to resume. */
export class Stopped extends Error {
  override name = 'Stopped'
}

/** How a command heeds a signal. */
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

/** Whether an error is a reason, or one of its causes is: pipelines and stores wrap the reason. */
function hasCause(error: unknown, reason: unknown): boolean {
  if (error === reason) return true
  return error instanceof Error && error.cause !== undefined && hasCause(error.cause, reason)
}

/**
 * The one place that listens to SIGINT and SIGTERM. A signal ends the program at once, without a
 * half-written file, unless the command is heeding it: then the first signal asks it to save its
 * work and to end by itself, and the second ends the program.
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
   * Does work that ends by itself once the signal is aborted.
   *
   * @param work Throws the signal's reason if it ends before all is done.
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

  /** Leaves signals to the system again: the command has ended. */
  close(): void {
    for (const [signal, listener] of this.#listeners) process.removeListener(signal, listener)
    clearInterval(this.#watch)
  }

  /**
   * npx starts a program by a shell, and passes SIGTERM on to that shell, which ends alone: its end
   * is all that the program sees of the signal.
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
    // One Ctrl-C comes twice under npx: the terminal sends the signal to the program, and npx passes it on.
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

/** Whether npx has started this program, not another one that starts this. */
function startedByNpx({ npm_lifecycle_event, npm_lifecycle_script = '' } = process.env): boolean {
  return npm_lifecycle_event === 'npx' && /^'?kith\b/.test(npm_lifecycle_script)
}

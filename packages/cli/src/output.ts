import { print } from './print.ts'
import { Progress } from './progress.ts'

/** Where a command writes: results to standard output, everything else to standard error. */
export class Output {
  readonly json: boolean
  readonly #quiet: boolean

  constructor({ json, quiet }: { json: boolean; quiet: boolean }) {
    this.json = json
    this.#quiet = quiet
  }

  /** Prints a result: as JSON where asked for, else as the given text. */
  result(value: unknown, text: string): void {
    print(`${this.json ? JSON.stringify(value) : text}\n`)
  }

  /** Prints a remark for people. */
  remark(text: string): void {
    if (!this.#quiet) process.stderr.write(`${text}\n`)
  }

  /** A progress bar for work of a known size; silent where no person is watching. */
  progress(label: string, total: number): Progress {
    const watched = !this.#quiet && process.stderr.isTTY === true
    return new Progress(label, total, watched ? process.stderr : undefined)
  }
}

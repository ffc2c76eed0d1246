import { spawn } from 'node:child_process'
import { writeAllSync } from '@kith/base'
import type { Hooks } from '@kith/pipelines/job'
import type { Options } from '../options/command.ts'
import { spellOptions } from '../options/spell-options.ts'
import { Progress } from './progress.ts'
import { legible, standardOutputIsFile } from './standard-streams.ts'

/** How a command prints. */
export interface OutputOptions {
  json: boolean
  quiet: boolean
  /** Whether the file that the command writes is standard output. */
  stdoutTaken?: boolean
  /** The options of the command, which remarks use to name settings. */
  options?: Options
}

/**
 * The outputs of a command: results go to standard output, everything else to standard error. If
 * the command's file is written to standard output, results go to standard error too: a reader
 * would take a line after the file for a part of it.
 */
export class Output {
  readonly json: boolean
  readonly #quiet: boolean
  readonly #stdoutTaken: boolean
  readonly #options: Options
  /** The progress bar of the pipeline's current stage. */
  #bar: Progress | undefined

  constructor({ json, quiet, stdoutTaken = false, options = {} }: OutputOptions) {
    this.json = json
    this.#quiet = quiet
    this.#stdoutTaken = stdoutTaken
    this.#options = options
  }

  /** Prints a result: as JSON with --json, else as the given text. */
  result(value: unknown, text: string): void {
    this.endProgress()
    const printed = `${this.json ? JSON.stringify(value) : text}\n`
    if (this.#stdoutTaken) process.stderr.write(printed)
    else print(printed)
  }

  /** Prints a remark, above the progress bar if there is one. */
  remark(text: string): void {
    if (!this.#quiet) this.warn(text)
  }

  /** Prints a warning, also with --quiet: a warning means that a result may mislead. */
  warn(text: string): void {
    const write = () => void process.stderr.write(`${legible(spellOptions(text, this.#options))}\n`)
    if (this.#bar) this.#bar.below(write)
    else write()
  }

  /**
   * Creates a progress bar for work of a known size; it is silent if standard error is not a
   * terminal.
   */
  progress(label: string, total: number): Progress {
    const watched = !this.#quiet && process.stderr.isTTY === true
    return new Progress(label, total, watched ? process.stderr : undefined)
  }

  /**
   * Returns hooks that show the progress of a pipeline: a bar for each stage, and remarks as lines.
   */
  hooks(signal?: AbortSignal): Hooks {
    let [stage, all] = ['', 0]
    return {
      signal,
      onRemark: (remark) => this.remark(remark),
      onWarning: (warning) => this.warn(warning),
      onProgress: ({ stage: now, done, total, note }) => {
        if (now !== stage || total !== all) this.#bar = this.progress(now, total)
        ;[stage, all] = [now, total]
        this.#bar!.update(done, note)
      },
    }
  }

  /** Removes the progress bar of a pipeline that has ended, with or without an error. */
  endProgress(): void {
    this.#bar?.end()
    this.#bar = undefined
  }
}

/**
 * Prints to standard output. Node writes to a file once and ignores how many bytes were written: if a
 * disk is full or a limit reached, the other bytes would be lost without an error.
 */
export function print(text: string): void {
  if (standardOutputIsFile()) writeAllSync(1, Buffer.from(text), null, 'standard output')
  else process.stdout.write(text)
}

/**
 * Formats rows as lines with aligned columns: the first column to the left, the others to the
 * right.
 */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, c) => Math.max(...rows.map((row) => row[c]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Opens an address in the system's browser; a failure is ignored, since the address was printed. */
export function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url]
  const child = spawn(command!, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

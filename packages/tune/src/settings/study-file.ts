import { open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { appendAll, asFileError, checkRegular, FileError, makeFolder } from '@kith/base'
import type { Parameters } from '../search/space.ts'

/** A finished trial in a study file. */
export interface TrialLine {
  /** The number of the study: 0 learns from all queries, f from all queries outside fold f − 1. */
  study: number
  trial: number
  parameters: Parameters
  /** The mean over the queries that the study learns from. */
  value: number
  /** The best value so far after each report, for trials that report values. */
  course?: readonly number[] | undefined
}

/** Maximum size of a study file in bytes; no study comes near it. */
const LARGEST_FILE = 2 ** 28

/**
 * The finished trials of a search, as lines of JSON after a line that describes the search. Lines
 * are only appended; an incomplete last line of a killed program is removed.
 */
export class StudyFile {
  readonly #file: string
  /** The trials that the file contained when it was opened. */
  readonly trials: readonly TrialLine[]

  private constructor(file: string, trials: readonly TrialLine[]) {
    this.#file = file
    this.trials = trials
  }

  /**
   * Opens a study file, or creates it.
   *
   * @param description The inputs that determine all trials: a file with a different description is
   * refused.
   */
  static async open(file: string, description: object): Promise<StudyFile> {
    const head = JSON.stringify({ kith: 'study', version: 1, ...description })
    const text = (await readSmallFile(file, LARGEST_FILE)) ?? ''
    // A line counts only if its line break was written.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const [first, ...lines] = whole.split('\n').slice(0, -1)
    if (first === undefined) {
      if (text !== '' && !head.startsWith(text)) throw notAStudy(file)
      const study = new StudyFile(file, [])
      makeFolder(dirname(file), file)
      await truncateTo(file, 0)
      await study.#append(`${head}\n`)
      return study
    }
    if (first !== head) {
      if (!first.startsWith('{"kith":"study"')) throw notAStudy(file)
      throw new FileError(
        file,
        '',
        'was made with other inputs or options; choose another file, or remove this file to start again',
      )
    }
    const trials = lines.map((line, i) => parseTrial(file, i + 2, line))
    await truncateTo(file, Buffer.byteLength(whole))
    return new StudyFile(file, trials)
  }

  /** Appends finished trials; they are on disk when the promise resolves. */
  async append(trials: readonly TrialLine[]): Promise<void> {
    if (trials.length === 0) return
    await this.#append(trials.map((trial) => `${JSON.stringify(trial)}\n`).join(''))
  }

  async #append(text: string): Promise<void> {
    await appendAll(this.#file, text, true)
  }
}

async function truncateTo(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'a')
  await handle.close()
  await truncate(file, bytes)
}

function parseTrial(file: string, number: number, line: string): TrialLine {
  let trial: Partial<TrialLine> | null
  try {
    trial = JSON.parse(line)
  } catch {
    trial = null
  }
  const { study, trial: index, parameters, value } = trial ?? {}
  const valid =
    Number.isSafeInteger(study) &&
    Number.isSafeInteger(index) &&
    Number.isFinite(value) &&
    typeof parameters === 'object' &&
    parameters !== null
  if (valid) return trial as TrialLine
  throw new FileError(file, `line ${number}`, 'is not a trial; remove the file to start again')
}

function notAStudy(file: string): FileError {
  return new FileError(file, '', 'is not a study file; choose another file')
}

/** Reads a text file of limited size; returns undefined if it does not exist. */
export async function readSmallFile(file: string, mostBytes: number): Promise<string | undefined> {
  try {
    const { size } = await stat(file)
    checkRegular(file, 'the size of the file must be known')
    if (size <= mostBytes) return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw asFileError(file, error)
  }
  throw new FileError(file, '', `is larger than ${mostBytes} bytes; is it the right file?`)
}

import { open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { appendAll, asFileError, checkRegular, FileError, makeFolder } from '@kith/base'
import type { Parameters } from '../search/space.ts'

/** A finished trial in a study file. */
export interface TrialLine {
  /** 0 learns from all queries, f from all queries outside fold f − 1. */
  study: number
  trial: number
  parameters: Parameters
  /** The mean over the queries that the study learns from. */
  value: number
  /** Reports of a running trial: the best value so far, report by report. */
  course?: readonly number[] | undefined
}

/** No study comes near this size; a larger file is something else. */
const LARGEST_FILE = 2 ** 28

/**
 * The finished trials of a search as lines of JSON below one that describes the search. Lines are
 * only ever appended; a half-written line of a killed program is cut off.
 */
export class StudyFile {
  readonly #file: string
  /** The trials that the file had when it was opened. */
  readonly trials: readonly TrialLine[]

  private constructor(file: string, trials: readonly TrialLine[]) {
    this.#file = file
    this.trials = trials
  }

  /**
   * Opens a study, or begins it.
   *
   * @param description The inputs that decide all trials: a file with another one is refused.
   */
  static async open(file: string, description: object): Promise<StudyFile> {
    const head = JSON.stringify({ kith: 'study', version: 1, ...description })
    const text = (await readSmallFile(file, LARGEST_FILE)) ?? ''
    // A line counts once its end is there.
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

  /** Adds finished trials; they are on the disk when the promise resolves. */
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

/** Reads a text file that can only be small; undefined if there is none. */
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

import { FileError, writeAtomic } from '@kith/base'
import { KithError, type MethodSettings, resolveMethodSettings } from '@kith/core'
import { readSmallFile } from '../study/read-small-file.ts'
import type { Decision, Verdict } from './verdict.ts'

/** The result of tuning: the settings, the evidence and the verdict. The contents of `tuned.json`. */
export interface Tuned extends Decision {
  kith: 'tuned'
  version: 1
  /** The settings of `candidate`: with the verdict `keep-run` they are there to be forced. */
  settings: MethodSettings
  measure: string
  level: number
  strict: boolean
  /** Whether the words of texts were a view. */
  texts: boolean
  /** How many judged queries there were. */
  queries: number
  /** Trials of each study, and into how many folds the queries were split; 0 where nothing was searched. */
  trials: number
  folds: number
  seed: number
}

const verdicts: readonly Verdict[] = ['keep-run', 'default', 'tuned']

/** No `tuned.json` comes near this size. */
const LARGEST_FILE = 2 ** 20

/** Writes `tuned.json`, whole or not at all. */
export async function writeTuned(file: string, tuned: Tuned): Promise<void> {
  await writeAtomic(file, (write) => write(`${JSON.stringify(tuned, undefined, 2)}\n`))
}

/** Reads `tuned.json`. */
export async function readTuned(file: string): Promise<Tuned> {
  const text = await readSmallFile(file, LARGEST_FILE)
  if (text === undefined) throw new FileError(file, '', 'there is no such file')
  return parseTuned(text, file)
}

/** Parses and checks the contents of a `tuned.json`. */
export function parseTuned(text: string, file = 'tuned.json'): Tuned {
  const wrong = (problem: string) => new FileError(file, '', problem)
  let tuned: Partial<Tuned> | null
  try {
    tuned = JSON.parse(text)
  } catch (error) {
    throw wrong(`not JSON: ${(error as Error).message}`)
  }
  if (typeof tuned !== 'object' || tuned === null || tuned.kith !== 'tuned') {
    throw wrong('not made by kith tune')
  }
  if (tuned.version !== 1) throw wrong(`is of version ${tuned.version}, this program reads 1`)
  if (!verdicts.includes(tuned.verdict!)) throw wrong(`has the verdict ${tuned.verdict}`)
  const { heldOut } = tuned
  const figures = [heldOut?.gain, heldOut?.t, heldOut?.p, heldOut?.ci?.[0], heldOut?.ci?.[1]]
  if (!figures.every(Number.isFinite)) throw wrong('lacks the held-out evidence')
  if (typeof tuned.settings !== 'object') throw wrong('lacks the settings')
  if (typeof tuned.measure !== 'string') throw wrong('lacks the measure')
  try {
    return { ...tuned, settings: resolveMethodSettings(tuned.settings) } as Tuned
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    throw wrong(error.message)
  }
}

import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lifeOf, MARK, ownMark } from './process-mark.ts'

const LEFTOVER = new RegExp(`\\.(${MARK})-[0-9a-f]{12}\\.tmp$`)
/** Letters of a file's name that its temporary one has too: a longer one might not be allowed. */
const LETTERS = 40

const unfinished = new Set<string>()
const swept = new Set<string>()
let listening = false

/**
 * A new name for a file that is being written, such as `run.trec.4f1c….tmp`. The file is removed
 * when the process ends, unless `finished` was told; a killed one's is removed by the next process
 * that writes into the folder, since the name tells whose it is.
 */
export function unfinishedName(folder: string, name: string): string {
  sweep(folder)
  const nonce = randomBytes(6).toString('hex')
  const file = join(folder, `${name.slice(0, LETTERS)}.${ownMark()}-${nonce}.tmp`)
  unfinished.add(file)
  if (!listening) process.once('exit', discardUnfinished)
  listening = true
  return file
}

/** A new name beside a file. */
export function unfinishedBeside(file: string): string {
  return unfinishedName(dirname(file), basename(file))
}

/** The file got its own name, or was removed. */
export function finished(file: string): void {
  unfinished.delete(file)
}

/** Removes all unfinished files at once: called when a signal ends the program. */
export function discardUnfinished(): void {
  for (const file of unfinished) rmSync(file, { force: true })
}

/** Removes the unfinished files of killed processes from a folder; never those of a living process. */
function sweep(folder: string): void {
  if (swept.has(folder)) return
  swept.add(folder)
  for (const name of namesIn(folder)) {
    const mark = LEFTOVER.exec(name)?.[1]
    if (mark === undefined || lifeOf(mark) !== 'dead') continue
    const file = join(folder, name)
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile() || (process.getuid && stats.uid !== process.getuid())) continue
    try {
      rmSync(file, { force: true })
    } catch {
      // The file stays: new files have other names, so that it does no harm.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

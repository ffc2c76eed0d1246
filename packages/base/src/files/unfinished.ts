import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** The form of a mark, for expressions over the names of files. */
export const MARK = '[0-9a-f]{8}-\\d{1,10}-[0-9a-f]{8}'

/** The start of a process in its mark if the system does not report it. */
const UNKNOWN = '00000000'

/**
 * Names this process in the names of its files: its host, its number, and a digest of when it
 * began, since the system gives numbers again.
 */
export function ownMark(): string {
  own ??= `${hostDigest()}-${process.pid}-${startOf(process.pid) ?? UNKNOWN}`
  return own
}

let own: string | undefined

/** The number of the process of a mark. */
export function processOf(mark: string): number {
  return Number(mark.split('-')[1])
}

/** Whether the process of a mark lives; `elsewhere` if this host cannot know. */
export function processState(mark: string): 'alive' | 'dead' | 'elsewhere' {
  const [host, pid, start] = mark.split('-')
  if (host !== hostDigest()) return 'elsewhere'
  if (!answers(Number(pid))) return 'dead'
  const now = startOf(Number(pid))
  if (now === 'ended') return 'dead'
  // Without start times, a process with this number counts as the process of the mark.
  return now === undefined || start === UNKNOWN || now === start ? 'alive' : 'dead'
}

/** Containers may share a name, not their numbering of processes: that counts as a part of the host. */
function hostDigest(): string {
  host ??= digest(`${hostname()} ${quiet(() => readlinkSync('/proc/self/ns/pid'))}`)
  return host
}

let host: string | undefined

/**
 * When a process began, `ended` for one that only waits to be cleared away, undefined if unknown.
 */
function startOf(pid: number): string | undefined {
  const stat = quiet(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === undefined) return undefined
  // The name before the last bracket may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return 'ended'
  const boot = quiet(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  return digest(`${boot} ${fields[19]}`)
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process belongs to another user, but it lives.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function quiet<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const LEFTOVER = new RegExp(`\\.(${MARK})-[0-9a-f]{12}\\.tmp$`)
/** Letters of a file's name that its temporary one has too: a longer one might not be allowed. */
const LETTERS = 40

const unfinished = new Set<string>()
const swept = new Set<string>()
let listening = false

/**
 * A new name for a file that is being written, such as `run.trec.4f1c….tmp`. The file is removed
 * when the process ends, unless `finished` was called; the file of a killed process is removed by
 * the next process that writes into the folder, since the name contains the process.
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

/** Removes the unfinished files of killed processes from a folder; files of living processes stay. */
function sweep(folder: string): void {
  if (swept.has(folder)) return
  swept.add(folder)
  for (const name of namesIn(folder)) {
    const mark = LEFTOVER.exec(name)?.[1]
    if (mark === undefined || processState(mark) !== 'dead') continue
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

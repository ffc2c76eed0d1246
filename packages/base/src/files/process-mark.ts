import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The form of a mark, for expressions over the names of files. */
export const MARK = '[0-9a-f]{8}-\\d{1,10}-[0-9a-f]{8}'

/** The start of a process in its mark where the system does not tell it. */
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

/** Whether the process of a mark lives; `elsewhere` where that cannot be told from this host. */
export function lifeOf(mark: string): 'alive' | 'dead' | 'elsewhere' {
  const [host, pid, start] = mark.split('-')
  if (host !== hostDigest()) return 'elsewhere'
  if (!answers(Number(pid))) return 'dead'
  const now = startOf(Number(pid))
  if (now === 'ended') return 'dead'
  // Where starts are unknown, a process with this number counts as the one of the mark.
  return now === undefined || start === UNKNOWN || now === start ? 'alive' : 'dead'
}

/** Containers may share a name, not their numbering of processes: that counts as a part of the host. */
function hostDigest(): string {
  host ??= digest(`${hostname()} ${quiet(() => readlinkSync('/proc/self/ns/pid'))}`)
  return host
}

let host: string | undefined

/** When a process began, `ended` for one that only waits to be cleared away, undefined where unknown. */
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
    // Of another user, but there.
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

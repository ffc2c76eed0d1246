/// <reference lib="esnext.disposable" preserve="true" />

import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { KithError } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import { asFileError } from './file-error.ts'
import { makeFolder } from './output-place.ts'
import { MARK, ownMark, processOf, processState } from './unfinished.ts'
import { writeAllSync } from './write-all.ts'

/** Milliseconds between two heartbeats. */
const BEAT = 10_000
/** Milliseconds of silence after which a process of another host counts as dead. */
const SILENCE = 120_000
/** Tries at most, and how often the same lock is seen before its process counts as the holder. */
const TRIES = 30
const SEEN = 3
/** The longest time before the second try, in milliseconds; each later one may wait as much longer. */
const WAIT = 20

/** A lock that is held. */
export interface FileLock {
  /** Fails if another process has taken the lock over, since this one was silent for too long. */
  check(): void
  /** Gives the lock back; may be called twice. */
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Takes the lock on a file, so that two programs never write the same files.
 *
 * Each process that wants the lock creates a separate file, `<file>.lock-<its mark>`, and lists
 * the files of others only then. If another process is alive, it removes its file again. So there are
 * never two holders: of two processes that both have created theirs, the one that created last has
 * listed after both creations, and has seen the first. Names are never used twice, so that removing
 * the file of a dead process removes no other.
 *
 * A process of this host lives while it runs. One of another host lives while it sends heartbeats;
 * their age is taken from the clock that dates the files. A holder that was silent for longer than
 * that, asleep for instance, finds in `check` that it has lost the lock.
 */
export function lockFile(file: string): FileLock {
  const seen = new Map<string, number>()
  try {
    makeFolder(dirname(file), file)
    for (let attempt = 1; ; attempt++) {
      const found = tryOnce(file)
      if (typeof found === 'string') return hold(found)
      // Of processes that try at the same moment, each sees the others and takes its file back;
      // chance lets one be first. A process that is seen several times holds the lock.
      const times = (seen.get(found.lock) ?? 0) + 1
      if (times === SEEN || attempt === TRIES) throw taken(found)
      seen.set(found.lock, times)
      pause(Math.random() * WAIT * attempt)
    }
  } catch (error) {
    throw asFileError(file, error)
  }
}

/** The file of a lock that this process holds now, or the process that holds it. */
function tryOnce(file: string): string | Holder {
  const own = claim(file)
  let holder: Holder | undefined
  try {
    holder = otherHolder(file, own)
    if (!holder) return own
  } catch (error) {
    rmSync(own, { force: true })
    throw error
  }
  rmSync(own, { force: true })
  return holder
}

/** A living process that holds the lock, or tries to. */
interface Holder {
  lock: string
  mark: string
  /** Milliseconds since its last heartbeat. */
  silence: number
}

function claim(file: string): string {
  const own = `${file}.lock-${ownMark()}-${randomBytes(6).toString('hex')}`
  closeSync(openSync(own, 'wx'))
  try {
    beat(own)
  } catch (error) {
    rmSync(own, { force: true })
    throw error
  }
  return own
}

/** Writes the host's name, for messages; that dates the file by the clock of its disk. */
function beat(own: string): void {
  const descriptor = openSync(own, 'r+')
  try {
    writeAllSync(descriptor, Buffer.from(hostname()), 0, own)
  } finally {
    closeSync(descriptor)
  }
}

/** Looks for others that have the lock; removes the files of dead ones. */
function otherHolder(file: string, own: string): Holder | undefined {
  const now = statSync(own).mtimeMs
  const pattern = new RegExp(`^\\.lock-(${MARK})-[0-9a-f]{12}$`)
  const name = basename(file)
  let holder: Holder | undefined
  for (const entry of readdirSync(dirname(file))) {
    const mark = entry.startsWith(name) ? pattern.exec(entry.slice(name.length))?.[1] : undefined
    const lock = join(dirname(file), entry)
    if (mark === undefined || entry === basename(own)) continue
    const found = statSync(lock, { throwIfNoEntry: false })
    if (!found) continue
    const silence = now - found.mtimeMs
    const life = processState(mark)
    if (life === 'dead' || (life === 'elsewhere' && silence > SILENCE)) {
      rmSync(lock, { force: true })
    } else {
      holder = { lock, mark, silence }
    }
  }
  return holder
}

const held = new Set<string>()
let listening = false

function hold(own: string): FileLock {
  const state = new OpenState(`the lock ${own}`)
  held.add(own)
  if (!listening) process.once('exit', releaseAll)
  listening = true
  const timer = setInterval(() => {
    try {
      beat(own)
    } catch {
      // A lock that was removed shows in `check`; a lock that cannot be written now may be writable
      // later.
    }
  }, BEAT)
  timer.unref()
  return {
    check() {
      state.check()
      try {
        beat(own)
      } catch (error) {
        // Only a missing file means a lost lock; a failing disk shows at the next write.
        if (errorCode(error) === 'ENOENT') throw lost(own)
      }
    },
    async close() {
      if (!state.end()) return
      clearInterval(timer)
      held.delete(own)
      rmSync(own, { force: true })
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

function lost(own: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `the lock ${own} is gone: this process was silent for ${SILENCE / 1000} s, and another process took over its work`,
  )
}

function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

function releaseAll(): void {
  for (const own of held) rmSync(own, { force: true })
}

function taken({ lock, mark, silence }: Holder): KithError {
  let host = 'another host'
  try {
    host = readFileSync(lock, 'utf8') || host
  } catch {
    // The lock was released a moment ago; the next call succeeds.
  }
  const seconds = Math.max(0, Math.round(silence / 1000))
  const sign = `it was last active ${seconds} s ago`
  const rule =
    processState(mark) === 'elsewhere'
      ? `after ${SILENCE / 1000} s of silence, run the same command again to continue`
      : `stop that process, or wait until it ends`
  return new KithError(
    'BAD_INPUT',
    `process ${processOf(mark)} on ${host} is already writing this (lock: ${lock}); ${sign}; ${rule}`,
  )
}

/** Waits without running other work of this process, so that no second call takes the same lock meanwhile. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { program } from '../../packages/cli/test/support.ts'

/** A `kith` that was told to stop: how it ended, and what it had printed. */
export interface Signaled {
  code: number | null
  out: string
  err: string
}

/**
 * Runs `kith`, and when it is in the middle of its work sends a signal to its whole process group,
 * as a terminal does.
 *
 * @param isMiddle Whether it is there, by what it has left or printed so far.
 * @param input Written to its standard input, which stays open.
 */
export async function signaled(
  args: readonly string[],
  signals: readonly NodeJS.Signals[],
  isMiddle: (running: { pid: number; printed: string }) => boolean | Promise<boolean>,
  input = '',
): Promise<Signaled> {
  const child = spawn(process.execPath, [program, ...args], { detached: true })
  child.stdin.write(input)
  const pid = child.pid!
  const ended = once(child, 'close')
  let [out, err, running] = ['', '', true]
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  void ended.then(() => {
    running = false
  })
  while (running && !(await isMiddle({ pid, printed: out + err }))) await setTimeout(3)
  for (const signal of running ? signals : []) process.kill(-pid, signal)
  const [code] = (await ended) as [number | null]
  return { code, out, err }
}

/** Threads of Node.js itself at most: its own, four of V8, four of libuv, and two for signals and timers. */
const OWN_THREADS = 11

/** Whether a process has started worker threads. */
export function hasWorkers(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > OWN_THREADS
  } catch {
    // It has not begun, or has ended.
    return false
  }
}

/** Whether a process has a file open. */
export function holds(pid: number, file: string): boolean {
  try {
    const open = readdirSync(`/proc/${pid}/fd`)
    return open.some((fd) => targetOf(`/proc/${pid}/fd/${fd}`) === file)
  } catch {
    // It has not begun, or has ended.
    return false
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort, SHARE_ENV, Worker } from 'node:worker_threads'

/** The built command. */
export const program = fileURLToPath(new URL('../bin/kith.js', import.meta.url))

/** How a command ended, and what it printed. */
export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Milliseconds after which a command counts as hanging. */
const LONGEST = 300_000

let thread: Worker | undefined

/**
 * Runs the built `kith` in a thread that this file's commands share, and waits for it: its exit code
 * and what it printed. A separate process would load all modules again for each command; those
 * that are signaled, killed or connected by pipes have one (`program`).
 */
export function kith(...args: string[]): Ended {
  thread ??= new Worker(new URL('./kith-thread.mjs', import.meta.url), {
    env: SHARE_ENV,
    execArgv: [],
  })
  thread.unref()
  const { port1, port2 } = new MessageChannel()
  const done = new Int32Array(new SharedArrayBuffer(4))
  thread.postMessage({ args, answers: port2, done }, [port2])
  const outcome = Atomics.wait(done, 0, 0, LONGEST)
  const answer = receiveMessageOnPort(port1)
  port1.close()
  if (!answer) throw new Error(`kith ${args.join(' ')} has no end: ${outcome}`)
  return answer.message
}

/** Runs the built `kith` in a separate process. */
export function kithProcess(...args: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

/** Runs `kith`, which must succeed; what it printed. */
export function succeed(...args: string[]): string {
  const { code, out, err } = kith(...args)
  if (code !== 0) throw new Error(`kith ${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

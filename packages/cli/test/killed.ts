import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { program } from './support.ts'

/** As often as a command is killed at most. */
const KILLS = 2

/**
 * Runs `kith` until it has written its output, killing it (-9) the first times that it has made some
 * progress. Returns how often it was killed.
 */
export async function runKilled(out: string, args: readonly string[]): Promise<number> {
  for (let kills = 0; ; kills++) {
    const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    let running = true
    void ended.then(() => {
      running = false
    })
    const before = progressOf(out)
    while (running && (kills === KILLS || progressOf(out) === before)) await setTimeout(3)
    child.kill('SIGKILL')
    const [code] = await ended
    if (code === 0 || existsSync(out)) return kills
    if (code !== null) throw new Error(`kith ${args.join(' ')} ended with ${code}`)
  }
}

/** The journal of unfinished work; it changes with every part that is written. */
function progressOf(out: string): string | undefined {
  try {
    return readFileSync(`${out}.partial.json`, 'utf8')
  } catch {
    return undefined
  }
}

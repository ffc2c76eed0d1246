import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * The environment in which python3 finds some packages, by itself or in the folders that KITH_TORCH
 * names; undefined if one of them is not installed.
 */
export function pythonWith(packages, threads) {
  const PYTHONPATH = process.env.KITH_TORCH ?? process.env.PYTHONPATH ?? ''
  const [OMP_NUM_THREADS, MKL_NUM_THREADS] = [String(threads), String(threads)]
  const env = { ...process.env, PYTHONPATH, OMP_NUM_THREADS, MKL_NUM_THREADS }
  const { status } = spawnSync('python3', ['-c', `import ${packages}`], { env })
  return status === 0 ? env : undefined
}

/**
 * A Python program of this folder, in a process that stays: it prints one line when it is ready, and
 * one for each line that it is sent.
 */
export async function startPython(env, program, argument) {
  const script = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn('python3', [script, argument], { stdio: ['pipe', 'pipe', 'inherit'], env })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await answers.next()
    if (done) throw new Error(`${program} failed`)
    return value
  }
  return {
    ready: await next(),
    ask(line) {
      child.stdin.write(`${line}\n`)
      return next()
    },
    close: () => child.stdin.end(),
  }
}

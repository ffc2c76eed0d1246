import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The built command. */
export const program = fileURLToPath(new URL('../bin/kith.js', import.meta.url))

/** Runs the built `kith`; its exit code and what it printed. */
export function kith(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return { code: status, out: stdout, err: stderr }
}

/** Runs `kith`, which must succeed; what it printed. */
export function succeed(...args: string[]): string {
  const { code, out, err } = kith(...args)
  if (code !== 0) throw new Error(`kith ${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

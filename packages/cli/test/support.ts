import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

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

/** A folder that the tests of a file write to. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kith-cli-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The folder of a shared collection, undefined where the machine does not have it. */
export function sharedCollection(name: string): string | undefined {
  const folder = fileURLToPath(new URL(`../../../../shared/data/${name}`, import.meta.url))
  if (existsSync(folder)) return folder
  console.warn(`skipped: no collection at ${folder}`)
  return undefined
}

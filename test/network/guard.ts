import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('guard.c', import.meta.url))
const log = (folder: string): string => join(folder, 'network.log')

/**
 * Compiles the library that refuses connections and lookups outside this machine.
 *
 * @returns The environment that loads it into a process and all its children, undefined if it
 *   cannot be compiled; in CI that is an error.
 */
export function networkGuard(folder: string): Record<string, string> | undefined {
  const library = join(folder, 'network-guard.so')
  const args = ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl']
  const { status, stderr } =
    process.platform === 'linux'
      ? spawnSync('cc', args, { encoding: 'utf8' })
      : { status: null, stderr: '' }
  if (status !== 0) {
    const problem = `network connections are not checked, which takes Linux and a C compiler (Debian: apt-get install gcc libc6-dev) ${stderr ?? ''}`
    if (process.env['CI']) throw new Error(problem)
    console.warn(`skipped: ${problem}`)
    return undefined
  }
  // Databases run as another user.
  chmodSync(folder, 0o755)
  return { LD_PRELOAD: library, KITH_NETWORK_LOG: log(folder) }
}

/** The connections and lookups that were refused, one line each. */
export function refusedConnections(folder: string): string[] {
  if (!existsSync(log(folder))) return []
  return readFileSync(log(folder), 'utf8').trimEnd().split('\n')
}

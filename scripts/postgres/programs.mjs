import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The missing program, and the advice to install it. */
export class Missing extends Error {}

/** The folder with PostgreSQL's programs: the newest that the system has. */
export function binaries() {
  // Debian keeps the server's programs out of the path, one folder per version.
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const debian = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
  const asked = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim()
  const found = [...debian, asked].find((folder) => folder && existsSync(join(folder, 'initdb')))
  if (found) return found
  throw new Missing('PostgreSQL is not installed; install it (Debian: apt-get install postgresql)')
}

/** Whether the extension is installed where the server looks for it. */
export function hasVector() {
  const folder = run(join(binaries(), 'pg_config'), ['--sharedir']).trim()
  return existsSync(join(folder, 'extension', 'vector.control'))
}

/** Runs a program that must succeed; returns its output. */
export function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...options,
  })
  if (error) throw error
  if (status === 0) return stdout
  throw new Error(
    `${program} ${args.join(' ')} failed with exit code ${status}: ${stderr ?? ''}${stdout ?? ''}`,
  )
}

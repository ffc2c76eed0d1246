import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stalePackages } from '../scripts/build-state.mjs'
import { networkGuard, refusedConnections } from './network/guard.ts'
import { RUN_FOLDER, removeSharedCluster } from './shared-postgres.ts'

/** Runs once before the tests, and what it returns once behind them. */
export default function setUp(): () => void {
  refuseStaleBuild()
  const folder = mkdtempSync(join(tmpdir(), 'kith-tests-'))
  process.env[RUN_FOLDER] = folder
  Object.assign(process.env, networkGuard(folder))
  // Node parses these certificates whenever it starts, which takes longer than the start itself.
  delete process.env['NODE_EXTRA_CA_CERTS']
  return () => {
    removeSharedCluster(folder)
    const refused = refusedConnections(folder)
    rmSync(folder, { recursive: true, force: true })
    if (refused.length > 0) {
      // vitest prints the error, but ends with 0.
      process.exitCode = 1
      throw new Error(`the tests tried to reach other machines:\n${refused.join('\n')}`)
    }
  }
}

/**
 * Tests import a package's own sources, but other packages, workers and the `kith` command as they
 * are built: an old build would be tested in the place of the sources.
 */
function refuseStaleBuild(): void {
  const stale = stalePackages(fileURLToPath(new URL('..', import.meta.url)))
  if (stale.length === 0) return
  throw new Error(
    `the build is older than the sources of ${stale.join(', ')}: npm run ready builds what has changed`,
  )
}

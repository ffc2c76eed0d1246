import { fileURLToPath } from 'node:url'
import { stalePackages } from '../scripts/build-state.mjs'

/**
 * Runs once before the tests. They import a package's own sources, but other packages, workers and
 * the `kith` command as they are built: an old build would be tested in the place of the sources.
 */
export default function refuseStaleBuild(): void {
  const stale = stalePackages(fileURLToPath(new URL('..', import.meta.url)))
  if (stale.length === 0) return
  throw new Error(
    `the build is older than the sources of ${stale.join(', ')}: npm run ready builds what has changed`,
  )
}

import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaries, hasVector, Missing, run } from './programs.mjs'

/** The Debian release that has pgvector's source; older ones do not have it. */
const RELEASE = 'trixie'

/** Builds and installs pgvector for the system's PostgreSQL, if it is missing. */
export function installVector() {
  if (hasVector()) return 'pgvector is already installed'
  if (process.getuid?.() !== 0) {
    throw new Missing(
      'pgvector is not installed; run node scripts/postgres/main.mjs install as root',
    )
  }
  const version = /postgresql\/(\d+)\/bin/.exec(binaries())?.[1]
  if (!version) throw new Missing('pgvector is not installed; install it for this PostgreSQL')
  run('apt-get', ['update', '-qq'])
  aptInstall(`postgresql-server-dev-${version}`, 'build-essential', 'dpkg-dev')
  buildVector()
  return 'pgvector is built and installed'
}

/**
 * Builds pgvector and installs it: for the system's PostgreSQL, or below another folder.
 * @param {string} root What stands before all paths that are installed.
 */
export function buildVector(root = '') {
  const folders = makeBuildFolders()
  try {
    const source = fetchSource(folders)
    const config = `PG_CONFIG=${join(binaries(), 'pg_config')}`
    // Built for any processor, so that the machine that runs it need not be the one that built it.
    run('make', ['-C', source, 'OPTFLAGS=', config])
    run('make', ['-C', source, 'install', config, `DESTDIR=${root}`])
  } finally {
    rmSync(folders.all, { recursive: true, force: true })
  }
}

/**
 * Makes the folders of a build. Nobody else can write where root builds; Debian's downloads run as
 * a separate user, `_apt`, who can enter one folder and owns nothing else.
 * @param {{ uid: number, gid: number } | undefined} downloader
 */
export function makeBuildFolders(downloader = downloadUser()) {
  const all = mkdtempSync(join(tmpdir(), 'kith-pgvector-'))
  const [state, downloads, source] = ['state', 'downloads', 'source'].map((name) => join(all, name))
  for (const folder of [downloads, source]) mkdirSync(folder, { mode: 0o700 })
  for (const folder of ['lists', 'cache', 'cache/archives']) {
    mkdirSync(join(state, folder), { mode: 0o755, recursive: true })
  }
  if (downloader) {
    chownSync(downloads, downloader.uid, downloader.gid)
    chmodSync(all, 0o711)
  }
  return { all, state, downloads, source }
}

/** The user that apt downloads as; undefined if it is the current user. */
function downloadUser() {
  if (process.getuid?.() !== 0) return undefined
  try {
    return { uid: Number(run('id', ['-u', '_apt'])), gid: Number(run('id', ['-g', '_apt'])) }
  } catch {
    return undefined
  }
}

function aptInstall(...names) {
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/** Fetches the source package with separate settings: nothing under /etc changes. */
function fetchSource({ state, downloads, source }) {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  // The machine's own mirror, whichever that is, has the newer release too.
  const mirror = run('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
    `Codename: ${release}`,
    'Component: main',
  ]).split('\n')[0]
  if (!mirror) throw new Missing('cannot install pgvector: apt has no mirror for source packages')
  const list = join(state, 'sources.list')
  writeFileSync(list, `deb-src ${mirror} ${RELEASE} main\n`, { mode: 0o644 })
  const settings = Object.entries({
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(state, 'lists'),
    'Dir::Cache': join(state, 'cache'),
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  run('apt-get', [...settings, 'update', '-qq'])
  const fetch = ['source', '-qq', '--download-only', '--only-source', 'pgvector']
  run('apt-get', [...settings, ...fetch], { cwd: downloads })
  const description = readdirSync(downloads).find((entry) =>
    /^pgvector_[\w.+~-]+\.dsc$/.test(entry),
  )
  if (!description) throw new Missing('cannot install pgvector: apt did not fetch its source')
  // It compares the archives with the checksums that apt's signed list led to.
  const target = join(source, 'pgvector')
  run('dpkg-source', ['--extract', join(downloads, description), target])
  return target
}

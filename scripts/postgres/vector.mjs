import {
  chmodSync,
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
  if (hasVector()) return 'pgvector is there'
  if (process.getuid?.() !== 0) {
    throw new Missing('no pgvector: run scripts/postgres/main.mjs install as root')
  }
  const version = /postgresql\/(\d+)\/bin/.exec(binaries())?.[1]
  if (!version) throw new Missing('no pgvector: install it for this PostgreSQL')
  run('apt-get', ['update', '-qq'])
  aptInstall(`postgresql-server-dev-${version}`, 'build-essential', 'dpkg-dev')
  const folder = mkdtempSync(join(tmpdir(), 'kith-pgvector-'))
  try {
    const source = fetchSource(folder)
    const config = `PG_CONFIG=${join(binaries(), 'pg_config')}`
    // Built for any processor, so that the machine that runs it need not be the one that built it.
    run('make', ['-C', source, 'OPTFLAGS=', config])
    run('make', ['-C', source, 'install', config])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return 'pgvector is built and installed'
}

function aptInstall(...names) {
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/** Fetches the source package with settings of its own: nothing under /etc changes. */
function fetchSource(folder) {
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
  if (!mirror) throw new Missing('no pgvector: apt knows no mirror to fetch its source from')
  mkdirSync(join(folder, 'lists', 'partial'), { recursive: true })
  mkdirSync(join(folder, 'cache', 'archives', 'partial'), { recursive: true })
  const list = join(folder, 'sources.list')
  writeFileSync(list, `deb-src ${mirror} ${RELEASE} main\n`)
  // Debian's downloads run as a user of their own.
  chmodSync(folder, 0o777)
  const settings = Object.entries({
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  run('apt-get', [...settings, 'update', '-qq'])
  run('apt-get', [...settings, 'source', '-qq', '--only-source', 'pgvector'], { cwd: folder })
  const name = readdirSync(folder).find((entry) => /^pgvector-[\d.]+$/.test(entry))
  return join(folder, name)
}

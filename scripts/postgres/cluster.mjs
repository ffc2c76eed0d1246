import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaries, hasVector, Missing, run } from './programs.mjs'

/**
 * A PostgreSQL server of one's own, in a temporary folder, on a free port of this machine only.
 *
 * The folder is its maker's, and has the address with the password; the server's user owns `data`
 * alone. If the maker is root, it writes nothing into `data`: a link that the server's user put
 * there would lead root's writing elsewhere.
 */
export class Cluster {
  /** @param {string} folder What `start` made. */
  constructor(folder) {
    this.folder = folder
  }

  /**
   * Makes a cluster and starts it.
   * @param {Record<string, string>} settings More lines of postgresql.conf.
   */
  static async start(settings = {}) {
    const programs = binaries()
    if (!hasVector())
      throw new Missing('pgvector is not installed; run node scripts/postgres/main.mjs install')
    const folder = mkdtempSync(join(tmpdir(), 'kith-postgres-'))
    const cluster = new Cluster(folder)
    try {
      const password = randomBytes(16).toString('hex')
      const port = await freePort()
      const address = `postgres://kith:${password}@127.0.0.1:${port}/postgres`
      writeFileSync(join(folder, 'url'), address, { mode: 0o600, flag: 'wx' })
      const secret = join(folder, 'password')
      writeFileSync(secret, password, { mode: 0o600, flag: 'wx' })
      mkdirSync(cluster.data, { mode: 0o700 })
      const user = serverUser()
      if (user.uid !== undefined) {
        for (const path of [cluster.data, secret]) chownSync(path, user.uid, user.gid)
        // The server's user may traverse the folder, but not list or write it.
        chmodSync(folder, 0o711)
      }
      run(
        join(programs, 'initdb'),
        [
          ...['-D', cluster.data, '-U', 'kith', '-E', 'UTF8', '--locale=C', '--no-sync'],
          ...['-A', 'scram-sha-256', `--pwfile=${secret}`],
        ],
        { ...user, cwd: folder },
      )
      rmSync(secret)
      cluster.configure({
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: '',
        ...settings,
      })
      cluster.resume()
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
    return cluster
  }

  /** The server's own folder. */
  get data() {
    return join(this.folder, 'data')
  }

  /** The address of the server. */
  get url() {
    return readFileSync(join(this.folder, 'url'), 'utf8')
  }

  /** Adds settings to postgresql.conf, which hold when the server starts the next time. */
  configure(settings) {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
    const file = join(this.data, 'postgresql.conf')
    run('tee', ['-a', file], { ...serverUser(), cwd: this.folder, input: lines.join('') })
  }

  /** Starts the server again. */
  resume() {
    this.#control('start', '-l', join(this.data, 'server.log'), '-s')
  }

  /** Stops the server: `immediate` as a crash would, without notice to clients. */
  halt(mode = 'fast') {
    this.#control('stop', '-m', mode, '-s')
  }

  /** Stops the server and removes everything. */
  remove() {
    if (existsSync(join(this.data, 'postmaster.pid'))) this.halt('immediate')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #control(action, ...args) {
    // The server must not keep our pipes open: a reader that waits for their end would wait forever.
    run(join(binaries(), 'pg_ctl'), [action, '-D', this.data, '-w', ...args], {
      ...serverUser(),
      cwd: this.folder,
      stdio: 'ignore',
    })
  }
}

/** PostgreSQL refuses to run as root: there it runs as the user that Debian made for it. */
function serverUser() {
  if (process.getuid?.() !== 0) return {}
  return {
    uid: Number(run('id', ['-u', 'postgres'])),
    gid: Number(run('id', ['-g', 'postgres'])),
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

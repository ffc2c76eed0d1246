/**
 * A private PostgreSQL with pgvector, for tests and for trying things out:
 *
 *   node scripts/postgres/main.mjs install       builds pgvector if it is missing (Debian, as root)
 *   node scripts/postgres/main.mjs start         starts a server in a temporary folder; prints both
 *   node scripts/postgres/main.mjs url FOLDER    prints where it answers
 *   node scripts/postgres/main.mjs stop FOLDER   stops it and removes the folder
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster } from './cluster.mjs'
import { Missing } from './programs.mjs'
import { installVector } from './vector.mjs'

const [action, folder] = process.argv.slice(2)
try {
  switch (action) {
    case 'install':
      console.log(installVector())
      break
    case 'start': {
      const cluster = await Cluster.start()
      console.log(`${cluster.folder}\n${cluster.url}`)
      break
    }
    case 'url':
      console.log(opened(folder).url)
      break
    case 'stop':
      opened(folder).remove()
      break
    default:
      throw new Missing(
        'usage: node scripts/postgres/main.mjs install | start | url FOLDER | stop FOLDER',
      )
  }
} catch (error) {
  if (!(error instanceof Missing)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function opened(folder) {
  // Only what `start` made is stopped and removed.
  if (folder && existsSync(join(folder, 'url'))) return new Cluster(folder)
  throw new Missing(`${folder ?? 'the folder'} is not a folder that start printed`)
}

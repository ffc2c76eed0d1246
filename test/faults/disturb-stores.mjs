/** What `fuzz.mjs` does with stores and the queue, on a PostgreSQL of its own. */
import { mkdirSync } from 'node:fs'
import pg from 'pg'
import { Cluster } from '../../scripts/postgres/cluster.mjs'
import { askAbsentStores } from './absent-stores.mjs'
import { killWorkers } from './kill-workers.mjs'

/** Absent stores for every entry point, and workers killed at every statement; how many failures. */
export async function disturbStores(folder) {
  mkdirSync(folder)
  const cluster = await Cluster.start()
  const database = async (name) => {
    const client = new pg.Client({ connectionString: cluster.url })
    await client.connect()
    await client.query(`CREATE DATABASE ${name}`)
    await client.end()
    return Object.assign(new URL(cluster.url), { pathname: `/${name}` }).href
  }
  try {
    const absent = await askAbsentStores(folder, [await database('one'), await database('two')])
    const { killed, problems } = await killWorkers(await database('work'))
    const all = [...absent.problems, ...problems]
    for (const problem of all) console.log(problem)
    console.log(
      `${absent.asked} absent stores, ${killed} killed workers, ${all.length} failures (again: npx vitest run test/faults)`,
    )
    return all.length
  } finally {
    await cluster.remove()
  }
}

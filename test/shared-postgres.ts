import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Cluster } from '../scripts/postgres/cluster.mjs'

/** The name of the environment's variable that has the folder of a run of tests. */
export const RUN_FOLDER = 'KITH_TEST_FOLDER'

/** Where the folder of a run says which cluster its files share. */
const place = (folder: string): string => join(folder, 'cluster')

/**
 * The cluster of all files of this run that need no more than a database in one. The first that
 * needs it starts it; whoever started the run removes it.
 */
export async function sharedCluster(start: () => Promise<Cluster>): Promise<Cluster> {
  const folder = process.env[RUN_FOLDER]!
  if (isFirst(folder)) {
    const { folder: started } = await start()
    writeFileSync(`${place(folder)}.tmp`, started)
    renameSync(`${place(folder)}.tmp`, place(folder))
  }
  while (!existsSync(place(folder))) await setTimeout(50)
  return new Cluster(readFileSync(place(folder), 'utf8'))
}

/** Removes the cluster that the files of a run have shared, if one of them needed it. */
export function removeSharedCluster(folder: string): void {
  if (existsSync(place(folder))) new Cluster(readFileSync(place(folder), 'utf8')).remove()
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'starting'))
    return true
  } catch {
    return false
  }
}

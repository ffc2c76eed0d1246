import { readFile, stat } from 'node:fs/promises'
import { FileError } from '@kith/ir'

/** No list of queries comes near this size. */
const LARGEST_FILE = 2 ** 28

/** Reads the clusters of queries: lines of query, tab, cluster; a head such as `query-id` is passed over. */
export async function readClusters(file: string): Promise<Map<string, string>> {
  const { size } = await stat(file).catch(() => {
    throw new FileError(file, '', 'there is no such file')
  })
  if (size > LARGEST_FILE) throw new FileError(file, '', 'too large for a list of clusters')
  const clusters = new Map<string, string>()
  const lines = (await readFile(file, 'utf8')).split('\n')
  lines.forEach((line, i) => {
    if (line.trim() === '' || (i === 0 && line.startsWith('query-id\t'))) return
    const [query, cluster, ...more] = line.trimEnd().split('\t')
    if (!query || !cluster || more.length > 0) {
      throw new FileError(file, `line ${i + 1}`, 'expected a query and its cluster, tab-separated')
    }
    clusters.set(query, cluster)
  })
  return clusters
}

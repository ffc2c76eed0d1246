import { FileError, readLines } from '@kith/base'

/** Reads the clusters of queries: lines of query, tab, cluster; a head such as `query-id` is passed over. */
export async function readClusters(file: string): Promise<Map<string, string>> {
  const clusters = new Map<string, string>()
  const pairs = readLines(file, (text, line) => {
    if (text.trim() === '' || (line === 1 && text.startsWith('query-id\t'))) return undefined
    const [query, cluster, ...more] = text.trimEnd().split('\t')
    if (!query || !cluster || more.length > 0) {
      throw new FileError(file, `line ${line}`, 'expected a query and its cluster, tab-separated')
    }
    return { query, cluster, line }
  })
  for await (const { query, cluster, line } of pairs) {
    if (clusters.has(query)) throw new FileError(file, `line ${line}`, `query ${query} comes twice`)
    clusters.set(query, cluster)
  }
  return clusters
}

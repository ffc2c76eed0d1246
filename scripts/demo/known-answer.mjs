import { readFileSync } from 'node:fs'
import { readLabels, readQrels } from '@kith/ir'

/** The share of the probability taken from the ground truth that goes to relevant documents. */
export async function movedProbability(labelFile, completeFile) {
  const complete = await readQrels(completeFile)
  let [moved, right] = [0, 0]
  for await (const { query, docs, labels, groundTruth } of readLabels(labelFile)) {
    docs.forEach((id, i) => {
      if (groundTruth.includes(id)) return
      moved += labels[i]
      if ((complete.get(query)?.get(id) ?? 0) > 0) right += labels[i]
    })
  }
  return right / moved
}

/**
 * The share of relevant documents in an audit's list: among the first hundred, and at the top of
 * each query.
 */
export async function foundMissing(auditFile, completeFile, sparseFile) {
  const complete = await readQrels(completeFile)
  const sparse = await readQrels(sparseFile)
  const listed = readFileSync(auditFile, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    // A query whose only relevant document is known has none that could be found.
    .filter(([query]) => complete.get(query).size > sparse.get(query).size)
    .map(([query, document]) => ({ query, right: (complete.get(query).get(document) ?? 0) > 0 }))
  const first = new Map()
  for (const entry of listed) if (!first.has(entry.query)) first.set(entry.query, entry)
  const share = (entries) => entries.filter(({ right }) => right).length / entries.length
  return [
    ['among the first 100 listed', share(listed.slice(0, 100))],
    ['at the top of each query', share([...first.values()])],
    ['among all five of each query', share(listed)],
  ]
}

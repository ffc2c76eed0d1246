import { KithError } from '@kith/core'
import { readQrels, writeQrels } from '@kith/ir'
import { writeSidecar } from '@kith/pipelines/internal'
import type { Values } from '../options/command.ts'
import { text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** `kith audit --accept`: new judgements join the old ones; none may contradict another. */
export async function acceptDecisions(values: Values, output: Output): Promise<void> {
  const [qrelsFile, decisionsFile] = [text(values, 'qrels'), text(values, 'accept')]
  const out = text(values, 'out')
  const merged = new Map(
    Array.from(await readQrels(qrelsFile), ([query, judged]) => [query, new Map(judged)]),
  )
  let [accepted, rejected] = [0, 0]
  for (const [query, decisions] of await readQrels(decisionsFile)) {
    const judged = merged.get(query)
    if (!judged) {
      throw new KithError(
        'BAD_INPUT',
        `${decisionsFile}: query ${query} is not in ${qrelsFile}: are these its decisions?`,
      )
    }
    for (const [document, grade] of decisions) {
      const before = judged.get(document)
      if (before === grade) continue
      if (before !== undefined && before >= 0) {
        throw new KithError(
          'BAD_INPUT',
          `${decisionsFile}: document ${document} of query ${query} gets grade ${grade}, ${qrelsFile} has ${before}`,
        )
      }
      judged.set(document, grade)
      if (grade > 0) accepted++
      else rejected++
    }
  }
  await writeQrels(out, merged)
  await writeSidecar(out, 'audit --accept', {}, [qrelsFile, decisionsFile])
  output.result(
    { out, accepted, rejected },
    `${out}: ${accepted} documents accepted, ${rejected} rejected`,
  )
}

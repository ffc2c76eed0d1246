// Make training labels without judgments, from the scores of a better ranking.
// `trainFromFiles({ …, teacher })` and `kith train --target distil` also train with these labels.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { distilRun } from '@kith/pipelines/labels'
import { rerankRun } from '@kith/pipelines/rerank'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { run, queries, docs } = files
const words = ['bees and flowers', 'boats and harbours', 'snow and mountains']
const write = (name, letter, count) => {
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ _id: `${letter}${i}`, text: words[i % 3] }),
  )
  writeFileSync(join(folder, name), lines.join('\n'))
  return join(folder, name)
}
const texts = {
  corpus: write('corpus.jsonl', 'd', 24),
  queryText: write('queries.jsonl', 'q', 3),
}
const teacher = join(folder, 'teacher.trec')
await rerankRun({ run, queries, docs, ...texts, out: teacher })
const { out, summary } = await distilRun({
  run: teacher,
  depth: 10,
  out: join(folder, 'labels.jsonl'),
})
console.log(`${summary.queries} queries have labels`)
const [first] = readFileSync(out, 'utf8').split('\n')
const { query, docs: labeled, labels } = JSON.parse(first)
console.log(`${query}: ${labeled.length} documents, the first with ${labels[0].toFixed(2)}`)
rmSync(folder, { recursive: true })

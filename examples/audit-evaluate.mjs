// Measure whether an audit finds missing judgments: hide known ones and look for them.
import { rmSync } from 'node:fs'
import { auditEvaluate } from '@kith/pipelines/audit'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { queries, evidence } = await auditEvaluate({ ...files, repeats: 3 })
console.log(`${queries} queries`)
for (const { target, measures } of evidence) {
  console.log(
    `${target}: ${measures['P@10'].mean.toFixed(2)} of the first ten are hidden relevant documents`,
  )
}
rmSync(folder, { recursive: true })

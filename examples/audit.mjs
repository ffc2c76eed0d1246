// List documents that are probably relevant but were never judged, and write a page to judge them on.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { auditRun } from '@kith/pipelines/audit'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { out, queries, documents } = await auditRun(
  { ...files, out: join(folder, 'audit.tsv'), perQuery: 2 },
  { onProgress: ({ stage, done, total }) => console.log(`${stage}: ${done} of ${total}`) },
)
console.log(`${documents} documents of ${queries} queries; audit.html is the page`)
console.log(readFileSync(out, 'utf8').split('\n').slice(0, 3).join('\n'))
rmSync(folder, { recursive: true })

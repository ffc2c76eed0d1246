// Merge the decisions from the page of an audit into the judgments.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readQrels } from '@kith/ir'
import { auditAccept } from '@kith/pipelines/audit'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const decisions = join(folder, 'decisions.qrels')
// The page exports a file like this one: d6 is relevant to q0, d7 is not.
writeFileSync(decisions, 'q0 0 d6 1\nq0 0 d7 0\n')
const out = join(folder, 'better-qrels.trec')
const { accepted, rejected } = await auditAccept({ qrels: files.qrels, decisions, out })
console.log(`${accepted} accepted, ${rejected} rejected`)
console.log((await readQrels(out)).get('q0'))
rmSync(folder, { recursive: true })

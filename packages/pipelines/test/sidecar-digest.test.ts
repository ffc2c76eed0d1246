import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

test.each(['out.trec', 'out.trec.gz', 'out.json', 'out.parquet'])(
  'the sidecar of %s has the size and the digest of the file',
  async (name) => {
    const vectors = Array.from({ length: 20 }, (_, i) => Float32Array.of(Math.sin(i), Math.cos(i)))
    await writeEmbeddings(path('docs.npy'), { dimensions: 2 }, vectors)
    const lines = vectors.map((_, i) => `${i % 4} Q0 ${i} 1 ${-i} t\n`).sort()
    writeFileSync(path('run.trec'), lines.join(''))
    const vectorFiles = { queries: path('docs.npy'), docs: path('docs.npy') }
    await rerankRun({ run: path('run.trec'), ...vectorFiles, out: path(name) })
    const bytes = readFileSync(path(name))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const { output } = JSON.parse(readFileSync(path(`${name}.meta.json`), 'utf8'))
    expect(output).toEqual({ bytes: bytes.length, sha256 })
  },
)

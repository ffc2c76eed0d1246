import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rerank } from '@kith/core'
import { ChromaClient } from 'chromadb'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/files.ts'
import { chroma, rerankHits } from '../src/index.ts'
import { sampleHits } from './hits.ts'

const command = fileURLToPath(
  new URL('../../../../node_modules/chromadb/dist/cli.mjs', import.meta.url),
)
const folder = temporaryFolder()
let server: ChildProcess | undefined
afterAll(() => server?.kill('SIGKILL'))

const starts = spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' })
if (starts.status !== 0) {
  const advice =
    'Chroma’s server does not start: its bindings want a newer C library, version 1.0.5 of them wants 2.34'
  if (process.env['CI']) throw new Error(`${advice}\n${starts.stderr}`)
  console.warn(`skipped: ${advice}`)
}

test.skipIf(starts.status !== 0)('reranks rows of a running Chroma server', async () => {
  const { query, hits } = sampleHits(40)
  const client = await startChroma()
  const collection = await client.createCollection({
    name: 'docs',
    embeddingFunction: null,
    configuration: { hnsw: { space: 'ip' } },
  })
  await collection.add({
    ids: hits.map(({ id }) => id),
    embeddings: hits.map(({ vector }) => vector),
    documents: hits.map(({ text }) => text),
  })
  const search = { queryEmbeddings: [query.vector], nResults: 30 }
  const result = await collection.query({ ...search, include: ['embeddings', 'documents'] })
  const rows = result.rows()[0]!
  const found = hits.slice(0, 30)
  expect(rows.map(({ id }) => id)).toEqual(found.map(({ id }) => id))
  const better = rerankHits(query, rows, chroma(), { topN: 10 })
  const { order } = rerank(query, {
    vectors: found.map(({ vector }) => vector),
    texts: found.map(({ text }) => text),
  })
  expect(better.map(({ hit }) => hit.id)).toEqual(
    [...order.subarray(0, 10)].map((i) => hits[i]!.id),
  )
  const bare = (await collection.query({ ...search, include: ['documents'] })).rows()[0]!
  expect(() => rerankHits(query, bare, chroma())).toThrow(/include: \['embeddings', 'documents'\]/)
})

/** Starts the server of the npm package and waits until it answers. */
async function startChroma(): Promise<ChromaClient> {
  const port = await freePort()
  const settings = ['--path', join(folder, 'chroma'), '--host', '127.0.0.1', '--port', `${port}`]
  server = spawn(process.execPath, [command, 'run', ...settings], { stdio: 'ignore' })
  const client = new ChromaClient({ host: '127.0.0.1', port, ssl: false })
  for (let attempt = 0; attempt < 100; attempt++) {
    const alive = await client.heartbeat().catch(() => undefined)
    if (alive !== undefined) return client
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('Chroma’s server does not answer')
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

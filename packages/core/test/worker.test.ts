import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { kernel, Reranker } from '../src/index.ts'
import { makeContext } from './contexts.ts'
import { splitContext } from './support.ts'

const source = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { kernel, rerank } = await import(workerData.package)
  const rankings = workerData.contexts.map(({ query, candidates }) => rerank(query, candidates))
  parentPort.postMessage({ kernel: kernel(), rankings })
`

test('ranks in workers as in the main thread, on shared memory', async () => {
  const contexts = Array.from({ length: 20 }, (_, seed) => {
    const { query, candidates } = splitContext(makeContext('clustered', 61, 64, { seed }))
    const data = new Float32Array(new SharedArrayBuffer(candidates.data.byteLength))
    data.set(candidates.data)
    return { query, candidates: { ...candidates, data } }
  })
  const reranker = new Reranker()
  const expected = contexts.map(({ query, candidates }) => reranker.rerank(query, candidates))
  const built = new URL('../dist/index.js', import.meta.url).href
  const answers = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise<{ kernel: string; rankings: unknown }>((resolve, reject) => {
          const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
          const worker = new Worker(url, { workerData: { package: built, contexts } })
          worker.once('message', resolve).once('error', reject)
        }),
    ),
  )
  for (const { kernel: used, rankings } of answers) {
    expect(used).toBe(kernel())
    expect(rankings).toEqual(expected)
  }
})

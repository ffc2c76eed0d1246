import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { rerank } from '../src/index.ts'
import { makeContext } from './contexts.ts'
import { splitContext } from './support.ts'

const withBrowser = browserOfFile()

const html = `<!doctype html><title>Kith</title>
<script type="module">import * as kith from '/dist/index.js'; globalThis.kith = kith</script>`

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

test.skipIf(!browser)('the built package ranks in a browser as in Node', async () => {
  const server = createServer(({ url = '/' }, response) => {
    const name = /^\/dist\/((?:[\w-]+\/)*[\w-]+\.js)$/.exec(url)?.[1]
    if (name && existsSync(dist + name)) {
      response.setHeader('content-type', 'text/javascript').end(readFileSync(dist + name))
    } else {
      response.setHeader('content-type', 'text/html').end(html)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await withBrowser(async (context) => {
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const { query, candidates } = splitContext(makeContext('clustered', 61, 100, { seed: 21 }))
    const vectors = Array.from({ length: 60 }, (_, i) => [
      ...candidates.data.slice(i * 100, (i + 1) * 100),
    ])
    const texts = vectors.map((_, i) => `passage ${i % 7} of topic ${i % 5}, 東京の天気 ${i % 3}`)
    const input = { vector: [...query], text: 'topic 3 天気', vectors, texts }
    await page.waitForFunction(() => 'kith' in globalThis)
    const answer = await page.evaluate(({ vector, text, vectors, texts }) => {
      const { kith } = globalThis as unknown as { kith: typeof import('../src/index.ts') }
      const { order, scores } = kith.rerank({ vector, text }, { vectors, texts })
      return { kernel: kith.kernel(), order: [...order], scores: [...scores] }
    }, input)
    expect(problems).toEqual([])
    expect(answer.kernel).toMatch(/simd/)
    const expected = rerank({ vector: query, text: input.text }, { vectors, texts })
    expect(answer.order).toEqual([...expected.order])
    answer.scores.forEach((score, i) => {
      expect(score).toBeCloseTo(expected.scores[i]!, 4)
    })
  }).finally(() => server.close())
})

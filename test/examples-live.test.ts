import { execFile } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { browser, browserOfFile } from './browser.ts'
import { emptyDatabase, postgres } from './postgres.ts'

const withBrowser = browserOfFile()

const root = fileURLToPath(new URL('..', import.meta.url))
const database = emptyDatabase()

test.skipIf(!postgres)('pgvector.mjs reranks rows of a running PostgreSQL', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'examples/pgvector.mjs')],
    { env: { ...process.env, DATABASE_URL: database.url } },
  )
  const best = /A beekeeper .*was 1\)\n.*A mite .*was 3\)\n.*Smoke .*was 5\)\n.*Almond .*was 9\)\n/
  expect(stdout).toMatch(best)
  expect(stdout).toMatch(
    /\nfetched 8 of 24 vectors\n.*A beekeeper .*\n.*A mite .*\n.*Smoke .*\n.*Almond/,
  )
  expect(stdout).toMatch(
    /\n6 rows by vectors and 5 by words, 8 merged\nA beekeeper .*ranks 1,1\)\n.*ranks 3,4\)\n.*ranks 2,none\)\n/,
  )
})

test.skipIf(!postgres)('batches.mjs runs a batch in a running PostgreSQL', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'examples/batches.mjs')],
    { env: { ...process.env, DATABASE_URL: database.url } },
  )
  expect(stdout).toMatch(/^2 jobs submitted\nexample: [12] queries done\n/)
  expect(stdout).toMatch(/\n3 queries done, 0 failed attempts\n3 queries in labels.jsonl\n$/)
})

test.skipIf(!browser)('browser.html reranks in a browser', async () => {
  const types = { html: 'text/html', js: 'text/javascript' }
  const server = createServer(({ url = '' }, response) => {
    const [, path, ending] =
      /^\/((?:examples|node_modules\/@kith\/core\/dist)\/[\w/-]+\.(html|js))$/.exec(url) ?? []
    if (!path || !existsSync(join(root, path))) response.writeHead(404).end()
    else {
      response.setHeader('content-type', types[ending as keyof typeof types])
      createReadStream(join(root, path)).pipe(response)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await withBrowser(async (context) => {
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    await page.goto(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/examples/browser.html`,
    )
    const ranking = page.locator('#ranking li')
    await ranking.first().waitFor()
    expect(await ranking.allTextContents()).toEqual([
      expect.stringMatching(/^Bees find flowers by color and scent \(.*was 2\)/),
      expect.stringMatching(/^Flowers guide bees/),
      expect.stringMatching(/^Beekeeping tools/),
      expect.stringMatching(/^The price of honey/),
    ])
    expect(await page.locator('#kernel').textContent()).toMatch(/simd kernel/)
    // Without the words: the slider changes the scores.
    const before = await ranking.first().textContent()
    await page.locator('#words').fill('0')
    expect(await ranking.first().textContent()).not.toBe(before)
    expect(problems).toEqual([])
  }).finally(() => server.close())
})

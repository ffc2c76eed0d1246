import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { termStatisticsFromBytes } from '@kith/core'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type Studio, StudioCollection, startStudio } from '../src/index.ts'
import { decodeContext, encodeContext } from '../src/studio-wire.ts'
import { type CollectionFiles, writeCollection } from './studio-files.ts'

const folder = temporaryFolder()
let files: CollectionFiles
let collection: StudioCollection
let studio: Studio

beforeAll(async () => {
  files = await writeCollection(folder)
  collection = await StudioCollection.open(files)
  studio = await startStudio(collection)
})
afterAll(async () => {
  await studio.close()
  collection.close()
})

const get = (path: string): Promise<Response> => fetch(new URL(path, studio.url))

/** Asks under another name, as a page does whose name was made to point here. */
function askAs(host: string, path: string): Promise<number> {
  const { hostname, port } = new URL(studio.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
      .on('error', reject)
      .end()
  })
}

describe('the studio’s server', () => {
  test('serves the page with a policy that forbids outside resources', async () => {
    const page = await get('/?view=labels')
    expect(page.status).toBe(200)
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    expect(html).not.toMatch(/https?:\/\//)
    const [script] = /\/assets\/[\w-]+\.js/.exec(html)!
    expect((await get(script)).headers.get('content-type')).toContain('text/javascript')
  })

  test('answers only to the host names of this machine', async () => {
    const { port } = new URL(studio.url)
    expect(await askAs(`127.0.0.1:${port}`, '/api/collection')).toBe(200)
    expect(await askAs(`localhost:${port}`, '/api/collection')).toBe(200)
    for (const host of ['evil.example', `127.0.0.1.evil.example:${port}`, 'localhost.evil']) {
      expect(await askAs(host, '/api/collection')).toBe(403)
      expect(await askAs(host, '/')).toBe(403)
    }
  })

  test('answers to its own page only', async () => {
    const ask = async (path: string, site: string): Promise<number> =>
      (await fetch(new URL(path, studio.url), { headers: { 'sec-fetch-site': site } })).status
    expect(await ask('/api/collection', 'same-origin')).toBe(200)
    expect(await ask('/api/collection', 'cross-site')).toBe(403)
    expect(await ask('/api/collection', 'same-site')).toBe(403)
    // A link from elsewhere opens the page.
    expect(await ask('/', 'cross-site')).toBe(200)
  })

  test('serves no other file', async () => {
    for (const path of ['/../index.js', '/%2e%2e/index.js', '/assets/', '/index.js', '/api/none']) {
      expect((await get(path)).status).toBe(404)
    }
  })

  test('names the mistake in a request', async () => {
    const wrong = await get('/api/context?query=none&top=5')
    expect(wrong.status).toBe(400)
    expect(await wrong.json()).toEqual({ error: 'there is no query "none"' })
    for (const top of ['', '0', '-1', '1.5', 'x', 'Infinity']) {
      expect((await get(`/api/context?query=q0&top=${top}`)).status).toBe(400)
    }
    const unknown = await get('/api/term-statistics?tokenizer=klingon')
    expect(unknown.status).toBe(400)
    expect(await unknown.json()).toEqual({
      error: 'no term statistics of tokenizer "klingon": unknown tokenizer',
    })
    expect((await fetch(new URL('/api/queries', studio.url), { method: 'POST' })).status).toBe(404)
  })

  test('serves the term statistics of all texts', async () => {
    const bytes = await (await get('/api/term-statistics?tokenizer=prefix5')).arrayBuffer()
    const statistics = termStatisticsFromBytes(new Uint8Array(bytes))
    expect(statistics).toMatchObject({ tokenizer: 'prefix5', documents: 1040 })
    expect(statistics).toEqual(collection.statistics('prefix5'))
  })

  test('takes another port if the default port is in use, and refuses a requested port in use', async () => {
    const second = await startStudio(collection)
    expect(second.url).not.toBe(studio.url)
    const port = Number(new URL(second.url).port)
    await expect(startStudio(collection, port)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(`${port}`),
    })
    await second.close()
  })
})

describe('the studio’s dataset', () => {
  test('reports which files it has', () => {
    expect(collection.info).toMatchObject({
      documents: 1040,
      queries: 8,
      judged: 7,
      depth: 1000,
      texts: true,
    })
    expect(collection.judged()).not.toContain('q7')
  })

  test('finds queries by words of their id and text', async () => {
    const found = (words: string): string[] => collection.search(words).entries.map(({ id }) => id)
    expect(found('')).toHaveLength(8)
    expect(found('BIRCH')).toEqual(['q0', 'q1'])
    expect(found('birch cedar')).toEqual(['q1'])
    expect(found('q3')).toEqual(['q3'])
    expect(await (await get('/api/queries?search=nothing')).json()).toEqual({
      found: 0,
      entries: [],
    })
  })

  test('returns the candidates of a run with vectors, texts and grades as a context', async () => {
    const bytes = await (await get('/api/context?query=q2&top=20&truth')).arrayBuffer()
    const context = decodeContext(bytes)
    expect(context.retrieved).toBe(20)
    expect(context.query.relevant).toBe(12)
    expect(context.truth.map((place) => context.documents[place]!.grade)).toEqual(
      context.truth.map(() => expect.any(Number)),
    )
    expect(context.truth).toHaveLength(12)
    const [docs, queries] = [await openEmbeddings(files.docs), await openEmbeddings(files.queries)]
    const { data, dimensions, rows } = context.vectors
    expect(rows).toBe(context.documents.length + 1)
    expect(data.subarray(0, dimensions)).toEqual(queries.gather([queries.rowOf('q2')!]))
    context.documents.forEach(({ id, text }, i) => {
      const own = data.subarray((i + 1) * dimensions, (i + 2) * dimensions)
      expect(own).toEqual(docs.gather([docs.rowOf(id)!]))
      expect(text).toMatch(new RegExp(`^${id}: `))
    })
    docs.close()
    queries.close()
  })

  test('encodes characters of every length for the page', () => {
    for (const text of ['', 'a', 'ab', 'abc', 'ä', '東京', '𝒳 "quoted"\n']) {
      const context = { ...collection.context('q0', 3, false) }
      context.query = { ...context.query, text }
      expect(decodeContext(encodeContext(context).buffer)).toEqual(context)
    }
  })

  test('leaves out candidates without an embedding, and counts them', async () => {
    const all = await openEmbeddings(files.docs)
    const ids = Array.from({ length: all.rows }, (_, row) => all.idOf(row))
    const [missing] = collection.context('q0', 1, false).documents
    const kept = [...ids.keys()].filter((row) => ids[row] !== missing!.id)
    const docs = join(folder, 'fewer.npy')
    await writeEmbeddings(
      docs,
      { dimensions: all.dimensions, ids: kept.map((row) => ids[row]!) },
      kept.map((row) => all.gather([row])),
    )
    all.close()
    const fewer = await StudioCollection.open({ ...files, docs })
    const context = fewer.context('q0', 10, false)
    expect(context.missing).toBe(1)
    expect(context.documents.map(({ id }) => id)).toEqual(
      collection
        .context('q0', 11, false)
        .documents.slice(1)
        .map(({ id }) => id),
    )
    fewer.close()
  })

  test('works without texts and judgments', async () => {
    const { run, queries, docs } = files
    const bare = await StudioCollection.open({ run, queries, docs })
    expect(bare.info).toMatchObject({ texts: false, judged: 0, first: 'q0' })
    const context = bare.context('q0', 2, true)
    expect(context.documents[0]).toEqual({
      id: expect.any(String),
      score: expect.any(Number),
    })
    expect(context.ideal).toEqual([])
    bare.close()
  })

  test('refuses embeddings of different lengths', async () => {
    const queries = join(folder, 'short.npy')
    await writeEmbeddings(queries, { dimensions: 3, ids: ['q0'] }, [Float32Array.of(1, 0, 0)])
    await expect(StudioCollection.open({ ...files, queries })).rejects.toThrow('short.npy')
  })
})

test('the page stays well under 300 kB compressed', () => {
  const page = fileURLToPath(new URL('../dist/page/', import.meta.url))
  const sizes = readdirSync(page, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => gzipSync(readFileSync(join(entry.parentPath, entry.name))).length)
  expect(sizes.length).toBeGreaterThan(4)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000)
})

/**
 * `openCollection` over a file of made-up embeddings (384 numbers) and texts of 60 words: the CPU
 * time of opening it the first and the second time and of a search, and memory, each in a process of
 * its own. The encoder is a stub that answers at once. `--documents=1000000` sets the size,
 * `--words=30` the length of the texts.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeEmbeddings } from '@kith/ir'
import { generator } from './clusters.mjs'
import { median, table } from './measure.mjs'
import { writer } from './passages.mjs'

const DIMENSIONS = 384
const WORDS = Number(optionOf('words') ?? 60)
const SEARCHES = 15

export async function run() {
  const documents = Number(optionOf('documents') ?? 100_000)
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    await writeFiles(folder, documents)
    const rows = [1, 2].map((time) => {
      const env = { ...process.env, KITH_CACHE: join(folder, 'cache') }
      const args = [fileURLToPath(import.meta.url), folder]
      const { stdout, stderr, status } = spawnSync(process.execPath, args, {
        env,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(stderr)
      const { open, search, memory } = JSON.parse(stdout)
      const vectors = (documents * DIMENSIONS * 4) / 2 ** 20
      return [
        time === 1 ? 'first' : 'second',
        `${(open / 1000).toFixed(1)} s`,
        `${search.toFixed(0)} ms`,
        `${(memory / vectors).toFixed(2)} × vectors (${memory.toFixed(0)} MB)`,
      ]
    })
    console.log(`\nopenCollection, ${documents} documents × ${DIMENSIONS}, texts of ${WORDS} words`)
    console.log(table([['time', 'open', 'search', 'resident memory'], ...rows]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function optionOf(name) {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`))
  return given?.slice(name.length + 3)
}

async function writeFiles(folder, documents) {
  const ids = Array.from({ length: documents }, (_, i) => `d${i}`)
  const random = generator(1)
  const vectors = (function* () {
    for (let i = 0; i < documents; i++) {
      const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
      const length = Math.hypot(...vector)
      yield vector.map((value) => value / length)
    }
  })()
  await writeEmbeddings(join(folder, 'docs.npy'), { dimensions: DIMENSIONS, ids }, vectors)
  const corpus = createWriteStream(join(folder, 'corpus.jsonl'))
  let text = writer(0)
  for (const [i, _id] of ids.entries()) {
    if (i % 100 === 0) text = writer(i)
    const line = JSON.stringify({ _id, text: text(WORDS) })
    if (!corpus.write(`${line}\n`)) await once(corpus, 'drain')
  }
  corpus.end()
  await once(corpus, 'finish')
}

/** Opens the collection of a folder and searches it, in the process of this file. */
async function measure(folder) {
  const { openCollectionWith } = await import(
    new URL('open-collection.js', import.meta.resolve('@kith/pipelines/collection')).href
  )
  const random = generator(7)
  const encoder = {
    ...{ name: 'made up', dimensions: DIMENSIONS, close: async () => {} },
    encode: async () => {
      const data = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
      return { data, rows: 1, dimensions: DIMENSIONS }
    },
  }
  const inputs = { docs: join(folder, 'docs.npy'), corpus: join(folder, 'corpus.jsonl') }
  const opening = process.cpuUsage()
  const collection = await openCollectionWith(async () => ({ encoder, model: {} }), inputs, {})
  const open = since(opening)
  const times = []
  for (let i = 0; i < SEARCHES; i++) {
    const text = writer(100 * i)(8)
    const begin = process.cpuUsage()
    await collection.search(text, { topN: 10 })
    times.push(since(begin))
  }
  const memory = process.memoryUsage().rss / 2 ** 20
  await collection.close()
  console.log(JSON.stringify({ open, search: median(times), memory }))
}

/** Milliseconds of CPU time. */
function since(start) {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await measure(process.argv[2])

/**
 * `openCollection` over a file of made-up embeddings (384 numbers) and texts of 60 words: the CPU
 * time of opening it the first and the second time and of a search, and memory, each in a process of
 * its own. The encoder is a stub that answers at once. `--documents=1000000` sets the size,
 * `--words=30` the length of the texts.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generator } from './clusters.mjs'
import { median, table } from './measure.mjs'
import { openTwice } from './opened-collection.mjs'
import { writer } from './passages.mjs'

const DIMENSIONS = 384
const SEARCHES = 15

export async function run() {
  const documents = Number(optionOf('documents') ?? 100_000)
  const words = Number(optionOf('words') ?? 60)
  const twice = await openTwice(documents, DIMENSIONS, words)
  const vectors = (documents * DIMENSIONS * 4) / 2 ** 20
  const rows = twice.map(({ open, search, memory }, i) => [
    i === 0 ? 'first' : 'second',
    `${(open / 1000).toFixed(1)} s`,
    `${search.toFixed(0)} ms`,
    `${(memory / vectors).toFixed(2)} × vectors (${memory.toFixed(0)} MB)`,
  ])
  console.log(`\nopenCollection, ${documents} documents × ${DIMENSIONS}, texts of ${words} words`)
  console.log(table([['time', 'open', 'search', 'resident memory'], ...rows]))
}

function optionOf(name) {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`))
  return given?.slice(name.length + 3)
}

/** Opens the collection of a folder and searches it, in the process of this file. */
async function measure(folder, dimensions) {
  const { openCollectionWith } = await import('@kith/pipelines/internal')
  const random = generator(7)
  const encoder = {
    ...{ name: 'made up', dimensions, close: async () => {} },
    encode: async () => {
      const data = Float32Array.from({ length: dimensions }, () => random() - 0.5)
      return { data, rows: 1, dimensions }
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await measure(process.argv[2], Number(process.argv[3]))
}

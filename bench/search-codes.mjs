/**
 * Exact search of 1,000,000 vectors of 768 numbers with codes (seven bits a number, made on the
 * way, see packages/stores) and without, in one thread: CPU time, as others may use the machine.
 * Real vectors are the vectors of the WordNet dataset of `npm run demo`, or of the folder that
 * `--collection=` names, twice side by side and again and again, each time with other noise of a
 * fifth of their length. `--queries=` says how many queries share the pass.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddings } from '@kith/ir'
import { searchExact } from '@kith/stores'
import { generator } from './clusters.mjs'
import { table } from './measure.mjs'

const DOCUMENTS = 1_000_000
const DIMENSIONS = 768
const TOPS = [100, 1000]
const NOISE = 0.2
/** Noise is drawn once, and read from another place for each vector. */
const DRAWN = 2 ** 20

export async function runCodes() {
  const queryCount = Number(option('queries') ?? 1000)
  const folder = option('collection') ?? 'demo-output/wordnet-half'
  const documents = new Float32Array(new SharedArrayBuffer(DOCUMENTS * DIMENSIONS * 4))
  const queries = new Float32Array(queryCount * DIMENSIONS)
  const rows = [['vectors', 'top', 'float, ms/query', 'codes, ms/query', 'queries/s', 'codes are']]
  if (existsSync(join(folder, 'docs.npy'))) {
    fill(documents, await openEmbeddings(join(folder, 'docs.npy')), NOISE, 1)
    fill(queries, await openEmbeddings(join(folder, 'queries.npy')), 0, 2)
    for (const top of TOPS) rows.push(['WordNet', ...(await compare(queries, documents, top))])
  } else console.log(`there is no folder ${folder}; run npm run demo to make it`)
  fill(documents, undefined, 1, 3)
  fill(queries, undefined, 1, 4)
  for (const top of TOPS) rows.push(['random', ...(await compare(queries, documents, top))])
  console.log(
    `\nExact search with codes, ${DOCUMENTS} × ${DIMENSIONS}, ${queryCount} queries, one core\n`,
  )
  console.log(table(rows))
}

/** Both searches must find the same, bit for bit. */
async function compare(data, memory, top) {
  const queries = { data, rows: data.length / DIMENSIONS, dimensions: DIMENSIONS }
  const documents = { memory, rows: DOCUMENTS, dimensions: DIMENSIONS }
  const times = []
  const results = []
  for (const codes of [false, true]) {
    const start = process.cpuUsage().user
    results.push(await searchExact(queries, documents, { top, workers: 0, codes }))
    times.push((process.cpuUsage().user - start) / 1000 / queries.rows)
  }
  for (const name of ['rows', 'scores']) {
    const [a, b] = results.map((result) => Buffer.from(result[name].buffer))
    if (!a.equals(b)) throw new Error(`top ${top}: the ${name} differ`)
  }
  const [plain, coded] = times
  const faster = `${(plain / coded).toFixed(2)} ×`
  return [top, plain.toFixed(2), coded.toFixed(2), (1000 / coded).toFixed(1), faster]
}

/** Unit vectors: the vectors of a dataset, twice side by side, with noise; or noise alone. */
function fill(vectors, collection, noise, seed) {
  const random = generator(seed)
  // A sum of three numbers from 0 to 1 has a variance of 1/4.
  const drawn = Float32Array.from(
    { length: DRAWN },
    () => (random() + random() + random() - 1.5) * 2 * noise * DIMENSIONS ** -0.5,
  )
  for (let row = 0; row < vectors.length / DIMENSIONS; row++) {
    const vector = vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)
    const start = Math.floor(random() * (DRAWN - DIMENSIONS))
    vector.set(drawn.subarray(start, start + DIMENSIONS))
    if (collection) {
      const { memory, rows, dimensions } = collection
      const from = (row % rows) * dimensions
      for (let i = 0; i < DIMENSIONS; i++) {
        vector[i] += memory[from + (i % dimensions)] * Math.sqrt(dimensions / DIMENSIONS)
      }
    }
    let square = 0
    for (let i = 0; i < DIMENSIONS; i++) square += vector[i] * vector[i]
    const inverse = 1 / Math.sqrt(square)
    for (let i = 0; i < DIMENSIONS; i++) vector[i] *= inverse
  }
}

function option(name) {
  const start = `--${name}=`
  return process.argv.find((argument) => argument.startsWith(start))?.slice(start.length)
}

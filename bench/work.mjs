/**
 * Reranking from PostgreSQL: 50,000 documents of 768 numbers are loaded, then batches of 60 and of
 * 1,000 candidates per query are done by `workBatches` on one thread and on two, and by one machine
 * from a file for comparison. Database time is what the server's processes took of the cores.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { workBatches } from '@kith/pipelines/batches'
import { loadStore } from '@kith/pipelines/load'
import { rerankRun, submitRerank } from '@kith/pipelines/rerank'
import pg from 'pg'
import { Cluster } from '../scripts/postgres/cluster.mjs'
import { generator } from './clusters.mjs'
import { table } from './measure.mjs'

const DOCUMENTS = 50_000
const DIMENSIONS = 768
const CASES = [
  { candidates: 60, queries: 6_144, jobSize: 256 },
  { candidates: 1_000, queries: 384, jobSize: 32 },
]

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  let cluster
  try {
    cluster = await Cluster.start({ shared_buffers: '1GB', max_wal_size: '4GB' })
    const client = new pg.Client(cluster.url)
    await client.connect()
    await writeFiles(folder)
    await measure(folder, cluster, client)
    await client.end()
  } finally {
    cluster?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder, cluster, client) {
  const path = (name) => join(folder, name)
  console.log(`\nReranking from PostgreSQL, ${DOCUMENTS} documents × ${DIMENSIONS}, f32\n`)
  const store = cluster.url
  const { seconds } = await loadStore({ store, docs: path('docs.npy') })
  const { rows } = await client.query(
    "SELECT pg_total_relation_size('kith.documents_main') AS bytes",
  )
  console.log(
    `load: ${Math.round(DOCUMENTS / seconds)} documents/s; ${Math.round(rows[0].bytes / DOCUMENTS)} bytes of disk each\n`,
  )
  const lines = [['candidates', 'threads', 'queries/s', 'database, core s / 1,000', 'from a file']]
  for (const { candidates, queries, jobSize } of CASES) {
    const inputs = {
      run: path(`run-${candidates}.trec`),
      queries: path('queries.npy'),
      settings: { contextSize: candidates },
    }
    for (const workers of [1, 2]) {
      const name = `${candidates}-${workers}`
      await submitRerank({ ...inputs, store }, { name, jobSize })
      const before = serverSeconds(cluster)
      await workBatches({ store, untilEmpty: true, workers })
      const server = serverSeconds(cluster) - before
      // From the first result to the last: without the start of the program and of the first job.
      const { rows } = await client.query(
        `SELECT count(*) FILTER (WHERE done > first) / extract(epoch FROM max(done) - first) AS rate
         FROM kith.results, (SELECT min(done) AS first, batch AS s FROM kith.results GROUP BY batch) f
         WHERE batch = s AND batch = (SELECT id FROM kith.batches WHERE name = $1) GROUP BY first`,
        [name],
      )
      const files = { docs: path('docs.npy'), out: path('out.trec') }
      const one = await rerankRun({ ...inputs, ...files, workers })
      lines.push([
        String(candidates),
        String(workers),
        Number(rows[0].rate).toFixed(0),
        ((server / queries) * 1000).toFixed(2),
        (queries / one.seconds).toFixed(0),
      ])
    }
  }
  console.log(table(lines))
}

/** Unit vectors around 500 centers, and runs of queries over them. */
async function writeFiles(folder) {
  const random = generator(1)
  const centers = Array.from({ length: 500 }, () => direction(random))
  const ids = (letter, count) => Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const vectors = function* (count) {
    for (let i = 0; i < count; i++) {
      const noise = direction(random)
      yield centers[i % 500].map((value, j) => value * 0.8 + noise[j] * 0.6)
    }
  }
  const most = Math.max(...CASES.map(({ queries }) => queries))
  const write = (name, letter, count) =>
    writeEmbeddings(
      join(folder, name),
      { dimensions: DIMENSIONS, ids: ids(letter, count) },
      vectors(count),
    )
  await write('docs.npy', 'd', DOCUMENTS)
  await write('queries.npy', 'q', most)
  for (const { candidates, queries } of CASES) {
    let run = ''
    for (let q = 0; q < queries; q++) {
      for (let i = 0; i < candidates; i++) {
        // Anywhere in the collection: as in a large one, hardly two queries share a candidate.
        const document = (q * 1009 + i * 7919) % DOCUMENTS
        run += `q${q} Q0 d${document} ${i + 1} ${2 - i / candidates} bench\n`
      }
    }
    writeFileSync(join(folder, `run-${candidates}.trec`), run)
  }
}

function direction(random) {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Processor time of the server and all its processes, also of ended processes. */
function serverSeconds({ folder }) {
  const [main] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let stat
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    } catch {
      continue
    }
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent, own, ofChildren] = [fields[1], fields[11] + fields[12], fields[13] + fields[14]]
    if (pid === main) ticks += own + ofChildren
    else if (parent === Number(main)) ticks += own
  }
  return ticks / 100
}

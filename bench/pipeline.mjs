/**
 * Pipelines from file to file: `evaluateRuns` of a run as large as MS MARCO's
 * dev.small (beside trec_eval where it is on the PATH), and how much of the CPU
 * time of `rerankRun` is spent in the kernel.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { presets } from '@kith/core'
import { writeEmbeddings } from '@kith/ir'
import { generator } from './clusters.mjs'
import { median, table } from './measure.mjs'
import { writeLines } from './write-lines.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Arguments of Node that run one pipeline in a fresh process: its start and its memory count. */
function fresh(pipeline, inputs) {
  const program = `import { ${pipeline} } from '@kith/pipelines'
await ${pipeline}(JSON.parse(process.argv[1]))`
  return ['--input-type=module', '--eval', program, JSON.stringify(inputs)]
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    await measureEval(folder)
    await measureRerank(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureEval(folder) {
  const queries = 6_980
  const random = generator(1)
  const [runFile, qrelsFile] = [join(folder, 'dev.trec'), join(folder, 'qrels.trec')]
  process.stderr.write('writing a run of 6,980 × 1,000 …\n')
  await writeLines(runFile, queries, (q) => {
    let lines = ''
    for (let rank = 1; rank <= 1000; rank++) {
      const id = (Math.floor(random() * 8_841) * 1000 + rank) % 8_841_823
      lines += `${1_000_000 + q} Q0 ${id} ${rank} ${(100 - rank / 20).toFixed(4)} bench\n`
    }
    return lines
  })
  await writeLines(
    qrelsFile,
    queries,
    (q) => `${1_000_000 + q} 0 ${Math.floor(random() * 8_841_823)} 1\n`,
  )

  const contestants = {
    evaluateRuns: [
      process.execPath,
      ...fresh('evaluateRuns', {
        qrels: qrelsFile,
        runs: [runFile],
        measures: ['nDCG@10', 'MRR@10', 'MAP@10', 'Recall@10'],
      }),
    ],
  }
  const other = spawnSync('which', ['trec_eval'], { encoding: 'utf8' })
  if (other.status === 0) {
    const measures = [
      '-m',
      'ndcg_cut.10',
      '-m',
      'recip_rank',
      '-m',
      'map_cut.10',
      '-m',
      'recall.10',
    ]
    contestants.trec_eval = [other.stdout.trim(), ...measures, qrelsFile, runFile]
  }
  const rows = [['eval of 6,980 × 1,000', 's', 'peak MB']]
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  for (let round = 0; round < 3; round++) {
    for (const [name, command] of Object.entries(contestants)) results[name].push(timed(command))
  }
  for (const [name, times] of Object.entries(results)) {
    const peak = Math.max(...times.map(({ megabytes }) => megabytes))
    rows.push([name, median(times.map(({ seconds }) => seconds)).toFixed(2), peak.toFixed(0)])
  }
  console.log(`\n${table(rows)}`)
  if (!contestants.trec_eval) console.log('trec_eval is not on the PATH: nothing to compare with.')
}

/** Wall-clock seconds and peak memory of a command, by GNU time where it is installed. */
function timed(command) {
  const start = performance.now()
  const { stderr, status } = spawnSync('/usr/bin/time', ['-f', 'peak %M', ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: root,
  })
  if (status === null) {
    execFileSync(command[0], command.slice(1), { stdio: 'ignore', cwd: root })
    return { seconds: (performance.now() - start) / 1000, megabytes: Number.NaN }
  }
  const seconds = (performance.now() - start) / 1000
  return { seconds, megabytes: Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024 }
}

async function measureRerank(folder) {
  const [documents, queries, candidates, dimensions] = [50_000, 10_000, 60, 768]
  process.stderr.write('writing embeddings of 60,000 × 768 …\n')
  const random = generator(2)
  const centres = Array.from({ length: 200 }, () => vector(dimensions, random))
  const topicOf = (row) => (row * 7919) % centres.length
  const rows = function* (count) {
    for (let i = 0; i < count; i++) {
      const noise = vector(dimensions, random)
      const centre = centres[topicOf(i)]
      yield noise.map((value, j) => (value + centre[j]) / 20)
    }
  }
  const [docs, queryFile, runFile] = ['docs.npy', 'queries.npy', 'run.trec'].map((name) =>
    join(folder, name),
  )
  await writeEmbeddings(docs, { dimensions }, rows(documents))
  await writeEmbeddings(queryFile, { dimensions }, rows(queries))
  await writeLines(runFile, queries, (q) => {
    let lines = ''
    for (let rank = 1; rank <= candidates; rank++) {
      // Two thirds of the candidates are of the query's own topic; none comes twice.
      const topic = (q + (rank % 3 === 0 ? rank : 0)) % centres.length
      const id = topic + centres.length * ((q * 3 + rank * 4) % (documents / centres.length))
      lines += `${q} Q0 ${id} ${rank} ${(60 - rank).toFixed(1)} bench\n`
    }
    return lines
  })
  const profiles = join(folder, 'profiles')
  const out = join(folder, 'better.trec')
  const start = performance.now()
  const answer = spawnSync(
    process.execPath,
    [
      '--cpu-prof',
      '--cpu-prof-dir',
      profiles,
      '--cpu-prof-interval',
      '500',
      ...fresh('rerankRun', {
        ...{ run: runFile, queries: queryFile, docs, out },
        ...{ settings: presets['msmarco-tas-b'], missing: 'skip', workers: 1 },
      }),
    ],
    { encoding: 'utf8', cwd: root },
  )
  if (answer.status !== 0) throw new Error(answer.stderr)
  const seconds = (performance.now() - start) / 1000
  const shares = profileShares(join(profiles, readdirSync(profiles)[0]))
  console.log(
    `\n${table([
      ['rerank of 10,000 × 60, d = 768', 'measured', 'at least'],
      ['seconds, from file to file', seconds.toFixed(1), ''],
      ['CPU time in the kernel', `${(100 * shares.kernel).toFixed(0)} %`, '60 %'],
      ['… with copying vectors to it', `${(100 * shares.withCopy).toFixed(0)} %`, ''],
    ])}`,
  )
}

/** What part of the busy time was spent in WebAssembly, and in that plus copying into it. */
function profileShares(file) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'))
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  const times = { kernel: 0, copy: 0, busy: 0 }
  samples.forEach((id, i) => {
    const name = names.get(id)
    if (name === '(idle)') return
    times.busy += timeDeltas[i]
    if (name.startsWith('wasm-function')) times.kernel += timeDeltas[i]
    else if (name === 'set' || name === 'copyNumbers') times.copy += timeDeltas[i]
  })
  return { kernel: times.kernel / times.busy, withCopy: (times.kernel + times.copy) / times.busy }
}

function vector(length, random) {
  return Float32Array.from({ length }, () => random() + random() - 1)
}

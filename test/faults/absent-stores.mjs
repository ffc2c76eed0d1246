/** Asks every entry point that reads a store for one that is not there. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { KithError } from '@kith/core'
import { writeEmbeddings } from '@kith/ir'
import { exportBatch } from '@kith/pipelines/batches'
import { openCollection } from '@kith/pipelines/collection'
import { labelRun, submitLabels } from '@kith/pipelines/labels'
import { loadStore } from '@kith/pipelines/load'
import { rerankRun, submitRerank } from '@kith/pipelines/rerank'
import { searchRun } from '@kith/pipelines/search'
import { openStore } from '@kith/stores'
import { openSearchStore } from '@kith/stores/internal'
import { Batches } from '@kith/work'
import pg from 'pg'

const program = fileURLToPath(new URL('../../packages/cli/bin/kith.js', import.meta.url))

/** Milliseconds after which a server counts as started. */
const LONGEST = 240_000

/** What a message about a store that is not there says. */
const ABSENT = /there is no (such (file|folder)|collection)|has no batches/

/**
 * Asks for stores that are not there: each entry point must end in a KithError that says so, each
 * command with exit code 1 and one line, and nothing may have been created.
 *
 * @param folder An empty folder for files.
 * @param databases Addresses of two empty databases; without them PostgreSQL is left out.
 * @returns how many entry points were asked, and what went wrong.
 */
export async function askAbsentStores(folder, databases) {
  const files = await writeFiles(folder)
  await loadStore({ store: join(folder, 'lance'), docs: files.docs })
  const stores = ['no-folder', 'lance#misspelled', 'none.npy'].map((name) => join(folder, name))
  if (databases) {
    await loadStore({ store: databases[0], docs: files.docs })
    stores.push(`${databases[0]}#misspelled`, databases[1])
  }
  const before = await everything(folder, databases)
  const problems = []
  let asked = 0
  const ask = async (name, problemOf) => {
    asked++
    const problem = await problemOf()
    if (problem) problems.push(`${name}: ${problem}`)
  }
  for (const store of stores) {
    for (const [name, read] of functions(files, store)) {
      await ask(`${name} of ${store}`, () => problemOfCall(read))
    }
    for (const args of commands(files, store)) {
      await ask(`kith ${args.join(' ')}`, () => problemOfCommand(args))
    }
  }
  const after = await everything(folder, databases)
  for (const name of after) if (!before.includes(name)) problems.push(`${name} was created`)
  return { asked, problems }
}

/** The functions that read a store. */
function functions({ queries, run, qrels, out }, store) {
  const inputs = { run, queries, store, out }
  const list = [
    ['openStore', () => openStore(store)],
    ['openSearchStore', () => openSearchStore(store)],
    ['openCollection', () => openCollection({ store })],
    ['searchRun', () => searchRun({ queries, store, out })],
    ['rerankRun', () => rerankRun(inputs)],
    ['labelRun', () => labelRun({ ...inputs, qrels })],
  ]
  if (!store.startsWith('postgres')) return list
  return [
    ...list,
    ['submitRerank', () => submitRerank(inputs, { name: 'x' })],
    ['submitLabels', () => submitLabels({ ...inputs, qrels }, { name: 'x' })],
    ['Batches.open', () => Batches.open(store)],
    ['exportBatch', () => exportBatch({ store, name: 'x', out })],
  ]
}

/** The commands that read a store. */
function commands({ queries, run, qrels, out }, store) {
  const ranked = ['--run', run, '--queries', queries, '--store', store]
  const list = [
    ['search', '--queries', queries, '--store', store, '--out', out],
    ['rerank', ...ranked, '--out', out],
    ['labels', ...ranked, '--qrels', qrels, '--out', out],
    ['serve', '--port', '0', '--model', 'none', '--store', store],
    ['mcp', '--store', store],
  ]
  if (!store.startsWith('postgres')) return list
  return [
    ...list,
    ['rerank', ...ranked, '--submit', 'x'],
    ['labels', ...ranked, '--qrels', qrels, '--submit', 'x'],
    ['jobs', 'retry', '--store', store, '--batch', 'x'],
    ['jobs', 'remove', '--store', store, '--batch', 'x'],
    ['jobs', 'export', '--store', store, '--batch', 'x', '--out', out],
  ]
}

async function problemOfCall(read) {
  try {
    const opened = await read()
    await opened?.close?.()
    return 'no error'
  } catch (error) {
    if (!(error instanceof KithError)) return error?.stack ?? String(error)
    return ABSENT.test(error.message) ? undefined : `another error: ${error.message}`
  }
}

async function problemOfCommand(args) {
  // Standard input stays open: its end would end `kith mcp`.
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST)
  const ended = once(child, 'exit')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code, signal] = await ended
  clearTimeout(timer)
  const errors = err.split('\n').filter((line) => line.startsWith('kith: '))
  const fits = code === 1 && errors.length === 1 && ABSENT.test(errors[0]) && !/^ +at /m.test(err)
  return fits ? undefined : `it ended with ${code ?? signal}: ${err}${out}`
}

/** The names of all files, and of all schemas of databases. */
async function everything(folder, databases = []) {
  const names = readdirSync(folder, { recursive: true }).map(String)
  for (const [i, url] of databases.entries()) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables`,
    )
    names.push(...rows.map(({ name }) => `${name} of database ${i + 1}`))
    await client.end()
  }
  return names
}

/** Embeddings, a run and judgments of two queries and three documents. */
async function writeFiles(folder) {
  const path = (name) => join(folder, name)
  const [docs, queries, run, qrels] = ['docs.npy', 'queries.npy', 'run.trec', 'qrels.trec'].map(
    path,
  )
  const rows = (count) => [Float32Array.from({ length: count * 4 }, (_, i) => Math.sin(i + 1))]
  await writeEmbeddings(docs, { dimensions: 4, ids: ['d1', 'd2', 'd3'] }, rows(3))
  await writeEmbeddings(queries, { dimensions: 4, ids: ['q1', 'q2'] }, rows(2))
  const lines = ['q1', 'q2'].map((query) => `${query} Q0 d1 1 2 x\n${query} Q0 d2 2 1 x\n`)
  writeFileSync(run, lines.join(''))
  writeFileSync(qrels, 'q1 0 d1 1\nq2 0 d2 1\n')
  return { docs, queries, run, qrels, out: path('out.trec') }
}

/** Kills workers between any two statements of their loop, and sees that others finish their jobs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Batches, work } from '@kith/work'

const program = fileURLToPath(new URL('killed-worker.mjs', import.meta.url))

/** Seconds without a sign of life after which a job goes to another worker. */
const LEASE = 2

/** Milliseconds that the jobs of all killed workers may take: some leases and pauses, not an expiry. */
const LONGEST = 240_000

const QUERIES = 3

/**
 * Has one worker killed at each statement, before it and while it is under way, each with a batch
 * of its own; then another worker does what is left.
 *
 * @param url An empty database.
 * @returns how many workers were killed, and what went wrong.
 */
export async function killWorkers(url) {
  const batches = await Batches.open(url, { create: true })
  try {
    await submit(batches, 'undisturbed')
    const statements = Number((await start(url, 'undisturbed')).printed)
    const points = Array.from({ length: statements }, (_, statement) =>
      ['before', 'during'].map((moment) => ({ name: `${moment}-${statement}`, statement, moment })),
    ).flat()
    const problems = []
    for (const { name, statement, moment } of points) {
      await submit(batches, name)
      const { signal } = await start(url, name, statement, moment)
      if (signal !== 'SIGKILL') problems.push(`${name}: the worker was not killed`)
    }
    problems.push(...(await finish(batches, points)))
    return { killed: points.length, problems }
  } finally {
    await batches.close()
  }
}

/** Does the jobs that are left; the batches that are not finished then. */
async function finish(batches, points) {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), LONGEST)
  const copy = async (_, items) => items.map(({ query, body }) => ({ query, body }))
  await work(batches, copy, {
    lanes: 2,
    lease: LEASE,
    untilEmpty: true,
    signal: stop.signal,
    onEvent() {},
  })
  clearTimeout(timer)
  const done = new Map((await batches.progress()).map((batch) => [batch.name, batch]))
  return points
    .filter(({ name }) => done.get(name).done !== QUERIES)
    .map(({ name }) => {
      const { done: results, active, failures } = done.get(name)
      return `${name}: ${results} of ${QUERIES} results after ${LONGEST / 1000} s, ${active} jobs active, ${failures.length} set aside`
    })
}

async function submit(batches, name) {
  const items = Array.from({ length: QUERIES }, (_, i) => ({
    query: `q${i}`,
    body: Buffer.from(String(i)),
  }))
  await batches.submit({ name, kind: 'copy', settings: {}, origin: {} }, items, QUERIES)
}

async function start(url, batch, statement = -1, moment = 'before') {
  const args = [program, url, batch, String(LEASE), String(statement), moment]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const printed = await text(child.stdout)
  const [code, signal] = await ended
  if (code !== null && code !== 0) throw new Error(`${batch}: the worker ended with ${code}`)
  return { signal, printed }
}

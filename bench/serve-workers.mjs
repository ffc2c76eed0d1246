/**
 * How many requests two workers of the server answer where one process answers one, each worker on
 * a core of its own.
 *
 * The load generator shares the two cores of the usual machine with the server, so the clock cannot
 * show it. CPU time can: a thread runs on one core at a time, so the busiest thread limits a server
 * that has cores enough, and answers 1 ÷ its CPU time per request. This includes what workers cost
 * (a first process that hands out connections, and connections that are not shared out evenly), and
 * it does not depend on how long a thread waits for a core.
 *
 * Each round has a new server of one process and a new one of two workers, which get short loads in
 * turn, so that other programs disturb both alike. A load is a number of requests per connection: at
 * a given rate, threads sleep and wake up, and CPU time depends on how long they slept. Every thread
 * gets as many requests, warm-up included, since code gets faster as V8 compiles it. The threads of
 * V8 that compile and collect garbage run beside the others and are told apart.
 */
import { median, table } from './measure.mjs'
import { load, serverProcess } from './server-process.mjs'

const ROUNDS = 3
const LOADS = 3
/** Many connections, as a server has: a few would not be shared out evenly. */
const CONNECTIONS = 32
/** Requests per connection and worker, before the measurement and in each load. */
const WARM_UP = 75
const REQUESTS = 40

/** Returns milliseconds of CPU time per request, by number of workers: medians of the rounds. */
export async function workerTimes(format) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await newServers(format))
  const middle = (figure) => median(rounds.map(figure))
  const times = [0, 1].map((i) => ({
    busiest: middle((servers) => servers[i].busiest),
    answering: middle((servers) => servers[i].answering),
    helping: middle((servers) => servers[i].helping),
  }))
  return { times, ratio: middle(([one, two]) => one.busiest / two.busiest) }
}

async function newServers(format) {
  const servers = await Promise.all([1, 2].map((workers) => serverProcess(workers)))
  try {
    const loads = (requests) =>
      servers.map(
        (server, i) => () =>
          load(server, { format, connections: CONNECTIONS, requests: requests * (i + 1) }),
      )
    for (const warmUp of loads(WARM_UP)) await warmUp()
    const before = servers.map((server) => server.threads())
    const done = [0, 0]
    for (let turn = 0; turn < LOADS; turn++) {
      for (const [i, some] of loads(REQUESTS).entries()) done[i] += (await some()).done
    }
    return servers.map((server, i) => spentBy(server.threads(), before[i], done[i]))
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

function spentBy(threads, before, requests) {
  const spent = { busiest: 0, answering: 0, helping: 0 }
  for (const [id, { cpu, isMain }] of threads) {
    const time = (cpu - (before.get(id)?.cpu ?? 0)) / requests
    spent[isMain ? 'answering' : 'helping'] += time
    if (isMain) spent.busiest = Math.max(spent.busiest, time)
  }
  return spent
}

/** Prints one process beside two workers. */
export async function printWorkers() {
  for (const format of ['base64', 'arrays']) {
    const { times, ratio } = await workerTimes(format)
    const row = (name, { busiest, answering, helping }) => [
      name,
      ...[busiest, answering, helping].map((time) => time.toFixed(2)),
      (1000 / busiest).toFixed(0),
    ]
    console.log(`\nworkers, ${format}, milliseconds of CPU time per request\n`)
    console.log(
      table([
        [
          'workers',
          'busiest thread',
          'all main threads',
          'threads of V8',
          'requests/s, cores enough',
        ],
        row('1', times[0]),
        row('2', times[1]),
        ['ratio', '', '', '', ratio.toFixed(2)],
      ]),
    )
  }
}

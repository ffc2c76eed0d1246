/**
 * A worker that is killed at one of its statements: `kill-workers.mjs` starts it. It counts the
 * statements that its loop sends to the database, and sends itself SIGKILL before one of them, or
 * when the statement has been sent and is not answered.
 */
import { Batches, work } from '@kith/work'
import pg from 'pg'

const [url, batch, lease, statement, moment] = process.argv.slice(2)

let sent = 0
let counts = false
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (...args) {
  const last = counts && sent++ === Number(statement)
  if (last && moment === 'before') process.kill(process.pid, 'SIGKILL')
  const answer = query.apply(this, args)
  if (last) process.kill(process.pid, 'SIGKILL')
  return answer
}

const batches = await Batches.open(url)
counts = true
const copy = async (_, items) => items.map(({ query, body }) => ({ query, body }))
await work(batches, copy, {
  batch,
  lanes: 1,
  lease: Number(lease),
  untilEmpty: true,
  signal: new AbortController().signal,
  onEvent() {},
})
counts = false
await batches.close()
process.stdout.write(String(sent))

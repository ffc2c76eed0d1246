/**
 * A training that kills itself (-9) before the given operation on a file, the first being 1: half
 * of a line is appended by then, a file that is written whole is there under its temporary name.
 *
 *   node killed-training.mjs JOB.json OUT OPERATION
 */
import fs, { appendFileSync, readFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const [, , description, out, last] = process.argv
let operations = 0

function deadly(owner, name, leave = () => {}) {
  const original = owner[name]
  owner[name] = function (...args) {
    if (String(args[0]).startsWith(out)) {
      operations++
      if (operations === Number(last)) {
        leave(...args)
        process.kill(process.pid, 'SIGKILL')
      }
    }
    return original.apply(this, args)
  }
}

deadly(fs, 'open')
deadly(promises, 'open')
deadly(promises, 'rename')
deadly(promises, 'appendFile', (file, line) => {
  appendFileSync(file, line.slice(0, line.length / 2))
})
syncBuiltinESMExports()

const { AdapterModel, openEncoderModel, train } = await import('@kith/train')
const { dimensions, encoder, vectors, queries, settings } = JSON.parse(
  readFileSync(description, 'utf8'),
)
const memory = Float32Array.from(vectors)
const read = (from, to) => memory.slice(from * dimensions, to * dimensions)
const known = queries.map((query) => ({
  ...query,
  vector: query.vector && Float32Array.from(query.vector),
}))
await train({
  model: encoder
    ? await openEncoderModel(encoder, { topLayers: 1 })
    : new AdapterModel({ kind: 'linear', dimensions }),
  documents: {
    ...{ rows: memory.length / dimensions, dimensions, read },
    gather(rows, into = new Float32Array(rows.length * dimensions)) {
      for (let i = 0; i < rows.length; i++) into.set(read(rows[i], rows[i] + 1), i * dimensions)
      return into
    },
  },
  ...{ queries: known, validation: known, settings, threads: 1, out, resume: true },
})

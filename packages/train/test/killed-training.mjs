/**
 * A training that copies its folder before each operation on a file, as a kill (-9) at that moment
 * would leave it: half of a line is appended by then, a file that is written whole is there under its
 * temporary name, and the lock is that of a process that has ended.
 *
 *   node killed-training.mjs JOB.json OUT COPIES
 *
 * The copies are called by the number of the operation, the first being 1.
 */
import fs, { appendFileSync, cpSync, readFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const [, , description, out, copies] = process.argv
let operations = 0

function copying(owner, name, leave = () => {}) {
  const original = owner[name]
  owner[name] = function (...args) {
    const file = String(args[0])
    if (file.startsWith(out)) {
      const copy = join(copies, String(++operations))
      cpSync(out, copy, { recursive: true })
      leave(file.replace(out, copy), args[1])
    }
    return original.apply(this, args)
  }
}

copying(fs, 'open')
copying(promises, 'open')
copying(promises, 'rename')
copying(promises, 'appendFile', (file, line) => {
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

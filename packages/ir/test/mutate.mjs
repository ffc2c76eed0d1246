// Reads a Parquet file with each of its bytes changed in turn, and prints what came of it as JSON.
// A process of its own: a reader that does not come back must not take the tests with it.
import { readFileSync, writeFileSync } from 'node:fs'
import { FileError } from '@kith/base'
import { openEmbeddings } from '../dist/index.js'
import { readLabelsParquet } from '../dist/internal.js'

const [kind, file] = process.argv.slice(2)
const original = readFileSync(file)
const changed = `${file}.changed.parquet`
const outcome = { read: 0, refused: 0, others: [] }

const readers = {
  async labels() {
    for await (const { query, docs, labels, evidence, groundTruth } of readLabelsParquet(changed)) {
      if (typeof query !== 'string') throw new Error('a query is no text')
      for (const id of [...docs, ...groundTruth])
        if (typeof id !== 'string') throw new Error('an id is no text')
      for (const values of [labels, evidence]) {
        if (values.length !== docs.length) throw new Error('lists of different lengths')
        if (!values.every(Number.isFinite)) throw new Error('a value is not finite')
      }
    }
  },
  async embeddings() {
    const embeddings = await openEmbeddings(changed, { memory: 2 ** 24 })
    const values = embeddings.read(0, embeddings.rows)
    if (!values.every(Number.isFinite)) throw new Error('a value is not finite')
  },
}

for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
  for (let place = 0; place < original.length; place++) {
    const bytes = Buffer.from(original)
    bytes[place] ^= mask
    writeFileSync(changed, bytes)
    try {
      await readers[kind]()
      outcome.read++
    } catch (error) {
      if (error instanceof FileError && error.message.includes(changed)) outcome.refused++
      else outcome.others.push(`byte ${place} mask ${mask}: ${error.stack}`)
    }
  }
}
console.log(JSON.stringify(outcome))

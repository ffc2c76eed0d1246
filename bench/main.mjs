/**
 * `npm run bench` runs every benchmark, `npm run bench -- text` only the named benchmarks. `summary` is one table of
 * all goals, `growth` the table of docs/scale.md. `--against=../old` compares the builds of this
 * checkout and of another one instead; `--minutes=10` is for `serve`, `--passages=1000000` and
 * `--corpus=german:corpus.jsonl` for `text`,
 * `--documents=` for `collection`, `--collection=` and `--queries=` for `search`.
 */
import { cpus } from 'node:os'
import { kernel } from '@kith/core'

// Node parses these certificates whenever it starts (35 ms): a cost of this network, not of Kith.
delete process.env.NODE_EXTRA_CA_CERTS

const benchmarks = [
  'rerank',
  'methods',
  'text',
  'labels',
  'search',
  'collection',
  'pipeline',
  'tune',
  'encode',
  'train',
  'serve',
  'work',
]
/** Made of the others: they run only if they are named. */
const tables = ['summary', 'growth']

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const other = /^--against=(.+)$/m.exec(process.argv.slice(2).join('\n'))?.[1]
console.log(`Node ${process.version}, ${cpus()[0].model}, kernel ${kernel()}`)
if (other !== undefined) {
  const { comparable, compareBuilds } = await import('./against.mjs')
  refuseUnknown(comparable)
  await compareBuilds(asked.length > 0 ? asked : comparable, other)
} else {
  refuseUnknown([...benchmarks, ...tables])
  for (const name of asked.length > 0 ? asked : benchmarks) {
    const { run } = await import(`./${name}.mjs`)
    await run()
  }
}

function refuseUnknown(known) {
  const unknown = asked.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  console.error(`unknown benchmark ${unknown.join(', ')}; benchmarks: ${known.join(', ')}`)
  process.exit(2)
}

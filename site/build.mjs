/**
 * Builds the documentation site into `site/dist`: the pages of `docs/`, the commands and settings
 * from their tables, the API from the code, Kith Studio with a small dataset to try, and the same
 * pages for language models. Nothing is read from the network, then or later.
 */
import { rmSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { writeApi } from './api.mjs'
import { writeCommands } from './commands.mjs'
import { writeExamples } from './examples.mjs'
import { writeGuide } from './guide.mjs'
import { writeLlms } from './llms.mjs'
import { generated } from './place.mjs'
import { writeTry } from './try.mjs'

rmSync(generated, { recursive: true, force: true })
writeGuide()
writeExamples()
writeCommands()
// The encoder works in a separate process.
await Promise.all([writeTry(), writeApi()])
writeLlms()
await build(fileURLToPath(new URL('.', import.meta.url)))
const index = fileURLToPath(new URL('dist/index.html', import.meta.url))
console.log(`the site is in ${relative(process.cwd(), index)}`)

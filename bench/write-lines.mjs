import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** Writes a file of generated lines without holding it in memory. */
export async function writeLines(file, count, linesOf) {
  const stream = createWriteStream(file)
  for (let i = 0; i < count; i++) if (!stream.write(linesOf(i))) await once(stream, 'drain')
  stream.end()
  await once(stream, 'close')
}

/** Opens and searches collections by `collection.mjs`, each time in a separate process. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeEmbeddings } from '@kith/ir'
import { generator } from './clusters.mjs'
import { writer } from './passages.mjs'
import { writeLines } from './write-lines.mjs'

const program = fileURLToPath(new URL('collection.mjs', import.meta.url))

/** Milliseconds of CPU time to open and to search, and megabytes, the first time and the second. */
export async function openTwice(documents, dimensions, words = 60) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    const random = generator(1)
    const ids = Array.from({ length: documents }, (_, i) => `d${i}`)
    const vectors = function* () {
      for (let i = 0; i < documents; i++) {
        const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
        const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
        yield vector.map((value) => value / length)
      }
    }
    await writeEmbeddings(join(folder, 'docs.npy'), { dimensions, ids }, vectors())
    let text = writer(0)
    await writeLines(join(folder, 'corpus.jsonl'), documents, (i) => {
      if (i % 100 === 0) text = writer(i)
      return `${JSON.stringify({ _id: ids[i], text: text(words) })}\n`
    })
    const env = { ...process.env, KITH_CACHE: join(folder, 'cache') }
    return [1, 2].map(() => {
      const args = [program, folder, String(dimensions)]
      const { stdout, stderr, status } = spawnSync(process.execPath, args, {
        ...{ env, encoding: 'utf8' },
      })
      if (status !== 0) throw new Error(stderr)
      return JSON.parse(stdout)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

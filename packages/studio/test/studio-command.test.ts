import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, program } from '../../cli/test/support.ts'
import type { StudioInfo } from '../src/studio-wire.ts'
import { type CollectionFiles, writeCollection } from './studio-files.ts'

const folder = temporaryFolder()
let files: CollectionFiles
beforeAll(async () => {
  files = await writeCollection(folder)
})

/** Starts the command, asks its server what it serves, and ends it. */
async function served(args: readonly string[], cwd = folder): Promise<StudioInfo> {
  const child = spawn(process.execPath, [program, 'studio', ...args], { cwd })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let printed = ''
      child.stdout.on('data', (part) => {
        printed += part
        const found = /^Kith Studio: (\S+)\n/.exec(printed)
        if (found) resolve(found[1]!)
      })
      child.once('exit', (code) => reject(new Error(`ended with ${code}: ${printed}`)))
    })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    return (await (await fetch(`${url}api/collection`)).json()) as StudioInfo
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

describe('kith studio', () => {
  test('serves the given files', async () => {
    const { run, queries, docs, corpus, queryText, qrels } = files
    const info = await served([
      ...['--run', run, '--queries', queries, '--docs', docs, '--qrels', qrels, '--level', '2'],
      ...['--corpus', corpus, '--query-text', queryText],
    ])
    expect(info).toMatchObject({ documents: 1040, level: 2, texts: true, files: { run, qrels } })
  })

  test('without options serves the demo dataset, or says how to make it', async () => {
    const alone = spawnSync(process.execPath, [program, 'studio'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(alone.status).toBe(1)
    expect(alone.stderr).toContain('npm run demo')
    const demo = join(folder, 'elsewhere', 'demo-output', 'wordnet')
    mkdirSync(join(demo, 'qrels'), { recursive: true })
    const made = await writeCollection(demo)
    renameSync(made.qrels, join(demo, 'qrels', 'test.tsv'))
    const info = await served([], join(folder, 'elsewhere'))
    expect(info).toMatchObject({ judged: 7, texts: true })
    expect(info.files?.run).toBe(join('demo-output', 'wordnet', 'run.trec'))
  })

  test('names missing options and files', () => {
    expect(kith('studio', '--run', files.run).err).toContain(
      '--run, --queries and --docs must be given together',
    )
    expect(kith('studio', '--corpus', files.corpus).err).toContain(
      '--query-text must be given together',
    )
    const { run, queries } = files
    const wrong = kith('studio', '--run', run, '--queries', queries, '--docs', 'none.npy')
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain('none.npy')
  })
})

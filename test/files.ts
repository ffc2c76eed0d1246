import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

/** A folder that the tests of a file write to. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kith-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The folder of a shared collection, undefined if the machine does not have it. */
export function sharedCollection(name: string): string | undefined {
  return shared(`data/${name}`, 'collection')
}

/** The folder of a shared model, undefined if the machine does not have it. */
export function sharedModel(name: string): string | undefined {
  return shared(`models/${name}`, 'model')
}

function shared(path: string, kind: string): string | undefined {
  const folder = fileURLToPath(new URL(`../../shared/${path}`, import.meta.url))
  if (existsSync(folder)) return folder
  console.warn(`skipped: no ${kind} at ${folder}`)
  return undefined
}

/** Writes files with given contents into a folder; their names. */
export function filesIn(folder: string) {
  return async (name: string, contents: string | Uint8Array): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, contents)
    return file
  }
}

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findPath, unpackedName } from '@kith/base'
import { idsFile } from './embedding-ids.ts'

/** All files that opening embeddings reads: a file and the ids beside it, or what a folder holds. */
export function embeddingFiles(file: string): string[] {
  if (findPath(file)?.isDirectory()) {
    return readdirSync(file)
      .sort()
      .map((name) => join(file, name))
  }
  const ids = idsFile(unpackedName(file))
  return existsSync(ids) ? [file, ids] : [file]
}

import { createHash, type Hash } from 'node:crypto'
import type { ListFileEntry } from '@huggingface/hub'
import { writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'

/** A file of a repository, as the hub lists it. */
export interface HubFile {
  path: string
  size: number
  /** The hash that its bytes must have: git's, or that of its large-file storage. */
  checksum: { kind: 'sha1' | 'sha256'; hex: string } | undefined
}

/** A file from the list of a repository. */
export function asHubFile({ path, size, oid, lfs }: ListFileEntry): HubFile {
  if (lfs) return { path, size: lfs.size, checksum: { kind: 'sha256', hex: lfs.oid } }
  return { path, size, checksum: oid === undefined ? undefined : { kind: 'sha1', hex: oid } }
}

/**
 * Writes a downloaded file, whole and with the bytes that the hub promises, or not at all.
 *
 * @param onBytes Called with the number of bytes that have arrived.
 */
export async function saveHubFile(
  blob: Blob,
  { path, size, checksum }: HubFile,
  target: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (!checksum) throw refused(path, 'the hub lists no checksum for it')
  await writeAtomic(target, async (write) => {
    const hash = startHash(checksum.kind, size)
    let bytes = 0
    for await (const part of blob.stream() as unknown as AsyncIterable<Uint8Array>) {
      bytes += part.length
      if (bytes > size) break
      hash.update(part)
      await write(part)
      onBytes(bytes)
    }
    if (bytes !== size) {
      throw refused(
        path,
        `${bytes > size ? 'more' : bytes} of the ${size} bytes that the hub lists`,
      )
    }
    const found = hash.digest('hex')
    if (found === checksum.hex) return
    throw refused(path, `its ${checksum.kind} is ${found}, the hub lists ${checksum.hex}`)
  })
}

/** The hash of a file that is as long as listed; git puts the length before the bytes. */
function startHash(kind: 'sha1' | 'sha256', size: number): Hash {
  const hash = createHash(kind)
  return kind === 'sha1' ? hash.update(`blob ${size}\0`) : hash
}

function refused(path: string, problem: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `the download of ${path} is not what the hub promises, and was thrown away: ${problem}. Try again; if it stays so, something on the way changes it`,
  )
}

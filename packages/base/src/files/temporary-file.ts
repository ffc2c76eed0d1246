import { closeSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { KithError } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import { asFileError } from './file-error.ts'
import { readChunks } from './input-file.ts'
import { finished, unfinishedName } from './unfinished.ts'
import { readAllSync, writeAllSync } from './write-all.ts'

/**
 * A file in the temporary folder (TMPDIR), for this user only. It is removed on every way out of
 * the program; errors name it, and say what to do if it has no room.
 */
export class TemporaryFile {
  readonly file: string
  readonly descriptor: number
  /** Bytes that were appended. */
  size = 0
  readonly #state: OpenState

  /** @param name A part of the file's name, to tell what it is for. */
  constructor(name: string) {
    const file = unfinishedName(tmpdir(), `kith-${name}`)
    this.file = file
    this.#state = new OpenState(`the temporary file ${file}`)
    try {
      this.descriptor = this.#told(() => openSync(file, 'wx+', 0o600))
    } catch (error) {
      finished(file)
      throw error
    }
  }

  /** Takes its name away if the system allows that: it then ends with the process, killed or not. */
  hide(): void {
    try {
      rmSync(this.file)
      finished(this.file)
    } catch {
      // Windows keeps the name of an open file; it is removed when the file is closed.
    }
  }

  append(bytes: Uint8Array): void {
    this.#state.check()
    this.#told(() => writeAllSync(this.descriptor, bytes, this.size, this.file))
    this.size += bytes.length
  }

  /** Fills a buffer from a position. */
  read(into: Uint8Array, position: number): void {
    this.#state.check()
    this.#told(() => readAllSync(this.descriptor, into, position, this.file))
  }

  /** Closes and removes it; may be called twice. */
  async close(): Promise<void> {
    if (!this.#state.end()) return
    closeSync(this.descriptor)
    rmSync(this.file, { force: true })
    finished(this.file)
  }

  #told<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      const { message, cause } = asFileError(this.file, error)
      const told = new KithError(
        'BAD_FILE',
        `the temporary file ${message}; set TMPDIR to a folder with enough space`,
      )
      told.cause = cause
      throw told
    }
  }
}

/**
 * Unpacks a `.gz` file for a reader that needs positions in it, and removes the unpacked file when
 * the reader has opened it. Messages name the packed file.
 */
export async function withUnpacked<T>(
  file: string,
  open: (unpacked: string) => Promise<T>,
): Promise<T> {
  const unpacked = new TemporaryFile(basename(unpackedName(file)))
  try {
    for await (const chunk of readChunks(file)) unpacked.append(chunk)
    return await open(unpacked.file).catch((error: unknown) => {
      if (!(error instanceof KithError)) throw error
      const message = error.message.replaceAll(unpacked.file, file)
      throw new KithError(error.code, message)
    })
  } finally {
    await unpacked.close()
  }
}

/** A name without the ending of a packed file. */
export function unpackedName(file: string): string {
  return file.replace(/\.gz$/i, '')
}

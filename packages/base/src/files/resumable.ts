import { closeSync, openSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { asFileError } from './file-error.ts'
import { hasPackedName } from './input-file.ts'
import { type FileLock, lockFile } from './lock-file.ts'
import { modeFor, named, type OutputPlace, outputPlace, withScratch } from './output-place.ts'
import { writeAll, writeAllSync } from './write-all.ts'
import { putInPlace } from './write-atomic.ts'

/** The part of a file that was written before the program was stopped. */
interface Journal<State> {
  /** The inputs that decide the contents; a file with another key cannot be continued. */
  key: string
  bytes: number
  state: State
}

/** Writes the next part of a file, text or bytes, and the state to resume from after it. */
export type AppendPart<State> = (part: string | Uint8Array, state: State) => Promise<void>

/** A file that is written in parts. */
export interface ResumableWork<State> {
  /** Equal for equal contents: a partial file with another key is discarded. */
  key: string
  /** Whether a value from a journal is a state: the file may have been changed. */
  isState(state: unknown): state is State
  /** Gets the state of the last part that was written, undefined at the start. */
  write(append: AppendPart<State>, state: State | undefined): Promise<void>
  /** Makes the file out of the partial one; by default that gets its name. */
  finish?(partial: string): Promise<void>
  /** Whether the parts are packed; by default if the name ends in `.gz`. */
  packed?: boolean
}

/** The files that are being written, and whether each has a journal to resume from. */
const inProgress = new Map<string, boolean>()

/** Files that the next start of the program resumes: named when a signal ends the program. */
export function resumableFiles(): string[] {
  return [...inProgress].flatMap(([file, kept]) => (kept ? [file] : []))
}

/**
 * Writes a file in parts so that it can resume after a stop at any moment, kill -9 included. Parts
 * go to `<file>.partial`; after each part `<file>.partial.json` says how far the file is valid and
 * keeps the caller's state. The file itself appears when all is written, with the same bytes as
 * without a stop. A name that ends in `.gz` is packed part by part. For a pipe or a device, all is
 * written at the end from a temporary file, which cannot resume.
 *
 * Output to a pipe or a device is written at the end from a temporary file, and cannot resume.
 */
export async function writeResumably<State>(
  file: string,
  work: ResumableWork<State>,
): Promise<void> {
  const place = outputPlace(file)
  if (place.straight) {
    await withScratch(place, file, (scratch) =>
      new Parts(place, scratch, undefined).run(file, work),
    )
    return
  }
  const partial = `${place.file}.partial`
  const lock = lockFile(partial)
  inProgress.set(file, false)
  try {
    await new Parts(place, partial, lock, () => inProgress.set(file, true)).run(file, work)
  } finally {
    inProgress.delete(file)
    await lock.close()
  }
}

/**
 * The partial file, and the journal beside it if there is a lock: without a lock nothing can
 * resume.
 */
class Parts {
  readonly #journal: string

  constructor(
    readonly place: OutputPlace,
    readonly partial: string,
    readonly lock: FileLock | undefined,
    /** Called when there is a journal to resume from. */
    readonly onKept?: () => void,
  ) {
    this.#journal = `${partial}.json`
  }

  async run<State>(file: string, work: ResumableWork<State>): Promise<void> {
    const { partial, lock } = this
    const journal = lock && (await this.#read(work))
    if (journal) this.onKept?.()
    const handle = await named(partial, async () => {
      if (journal) return open(partial, 'r+')
      await rm(partial, { force: true })
      return open(partial, 'wx', lock ? modeFor(this.place) : 0o600)
    })
    try {
      await named(partial, () => handle.truncate(journal?.bytes ?? 0))
      await this.#write(handle, work, work.packed ?? hasPackedName(file), journal)
    } finally {
      await named(partial, () => handle.close())
    }
    lock?.check()
    await (work.finish ? work.finish(partial) : putInPlace(partial, file))
    if (!lock) return
    for (const left of [partial, this.#journal, `${this.#journal}.tmp`]) {
      await rm(left, { force: true })
    }
  }

  async #write<State>(
    handle: FileHandle,
    { key, write }: ResumableWork<State>,
    packed: boolean,
    journal: Journal<State> | undefined,
  ): Promise<void> {
    let bytes = journal?.bytes ?? 0
    const append = async (part: Uint8Array): Promise<void> => {
      this.lock?.check()
      await writeAll(handle.fd, part, bytes, this.partial)
      bytes += part.length
      await named(this.partial, () => handle.datasync())
    }
    await write(async (part, state) => {
      // An empty part packed would be bytes: the last one may be, when work was stopped right behind it.
      if (part.length > 0) await append(packed ? gzipSync(part) : Buffer.from(part))
      if (this.lock) this.#note({ key, bytes, state })
    }, journal?.state)
    // No bytes at all would not be a packed file.
    if (packed && bytes === 0) await append(gzipSync(''))
  }

  /** The journal of an earlier attempt at the same contents. */
  async #read<State>({ key, isState }: ResumableWork<State>): Promise<Journal<State> | undefined> {
    try {
      const journal = JSON.parse(await readFile(this.#journal, 'utf8')) as Journal<unknown>
      const { size } = await stat(this.partial)
      const { bytes, state } = journal
      const valid =
        journal.key === key && Number.isSafeInteger(bytes) && bytes >= 0 && size >= bytes
      return valid && isState(state) ? { key, bytes, state } : undefined
    } catch {
      // Missing or damaged: there is no state to resume from.
      return undefined
    }
  }

  /** Replaces the journal, synchronously: these four calls are shorter than a wait for Node's thread pool. */
  #note(journal: Journal<unknown>): void {
    const temporary = `${this.#journal}.tmp`
    try {
      const descriptor = openSync(temporary, 'w', modeFor(this.place))
      try {
        writeAllSync(descriptor, Buffer.from(JSON.stringify(journal)), 0, temporary)
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      rmSync(temporary, { force: true })
      throw asFileError(temporary, error)
    }
    this.lock?.check()
    try {
      renameSync(temporary, this.#journal)
    } catch (error) {
      throw asFileError(this.#journal, error)
    }
    this.onKept?.()
  }
}

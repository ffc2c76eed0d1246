import { mkdir, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { asFileError, FileError } from './file-error.ts'
import { lockFile } from './lock-file.ts'

/** What was written before a program was stopped. */
interface Journal<State> {
  /** What makes the contents; other ones cannot be continued. */
  key: string
  bytes: number
  state: State
}

/** Writes the next part of a file, text or bytes, and what to know to go on behind it. */
export type AppendPart<State> = (part: string | Uint8Array, state: State) => Promise<void>

/** A file that is written in parts. */
export interface ResumableWork<State> {
  /** Equal for equal contents: what was written under another key is thrown away. */
  key: string
  /** Whether what a journal holds is a state: files are not to be trusted. */
  isState(state: unknown): state is State
  /** Gets the state of the last part that was written, undefined at the start. */
  write(append: AppendPart<State>, state: State | undefined): Promise<void>
  /** Makes the file out of the partial one; by default that gets its name. */
  finish?(partial: string): Promise<void>
}

const underWay = new Set<string>()

/** Files whose writing goes on when the program is started again: for one that is told to stop. */
export function resumableFiles(): string[] {
  return [...underWay]
}

/**
 * Writes a file in parts so that it can go on after being stopped at any moment, kill -9
 * included. Parts go to `<file>.partial`; after each one `<file>.partial.json` says how far it is
 * valid and keeps the caller's state. The file itself appears when all is written, with
 * the same bytes as without a stop. A name that ends in `.gz` is packed part by part.
 */
export async function writeResumably<State>(
  file: string,
  work: ResumableWork<State>,
): Promise<void> {
  const partial = `${file}.partial`
  const journalFile = `${partial}.json`
  let unlock: (() => void) | undefined
  try {
    await mkdir(dirname(file), { recursive: true })
    if ((await stat(file).catch(() => undefined))?.isDirectory()) {
      throw new FileError(file, '', 'is a folder, not a file')
    }
    unlock = lockFile(`${partial}.lock`)
    underWay.add(file)
    const journal = await readJournal(journalFile, partial, work)
    await writeParts(partial, journalFile, file.endsWith('.gz'), journal, work)
    await (work.finish ? work.finish(partial) : rename(partial, file))
    await rm(partial, { force: true })
    await rm(journalFile, { force: true })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? asFileError(file, error) : error
  } finally {
    underWay.delete(file)
    unlock?.()
  }
}

async function writeParts<State>(
  partial: string,
  journalFile: string,
  packed: boolean,
  journal: Journal<State> | undefined,
  { key, write }: ResumableWork<State>,
): Promise<void> {
  let bytes = journal?.bytes ?? 0
  if (journal) await truncate(partial, bytes)
  const handle = await open(partial, journal ? 'r+' : 'w')
  const append = async (part: Uint8Array): Promise<void> => {
    await handle.write(part, 0, part.length, bytes)
    bytes += part.length
    await handle.datasync()
  }
  try {
    await write(async (part, state) => {
      // An empty part packed would be bytes: the last one may be, when work was stopped right behind it.
      if (part.length > 0) await append(packed ? gzipSync(part) : Buffer.from(part))
      await writeJournal(journalFile, { key, bytes, state })
    }, journal?.state)
    // No bytes at all would not be a packed file.
    if (packed && bytes === 0) await append(gzipSync(''))
  } finally {
    await handle.close()
  }
}

/** The journal of an earlier attempt at the same contents. */
async function readJournal<State>(
  journalFile: string,
  partial: string,
  { key, isState }: ResumableWork<State>,
): Promise<Journal<State> | undefined> {
  try {
    const journal = JSON.parse(await readFile(journalFile, 'utf8')) as Journal<unknown>
    const { size } = await stat(partial)
    const { bytes, state } = journal
    const valid = journal.key === key && Number.isSafeInteger(bytes) && bytes >= 0 && size >= bytes
    return valid && isState(state) ? { key, bytes, state } : undefined
  } catch {
    // Missing or damaged: there is nothing to go on from.
    return undefined
  }
}

async function writeJournal(file: string, journal: Journal<unknown>): Promise<void> {
  const temporary = `${file}.tmp`
  const handle = await open(temporary, 'w')
  try {
    await handle.writeFile(JSON.stringify(journal))
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
}

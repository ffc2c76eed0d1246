import { mkdir, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { asFileError } from './file-error.ts'

/** What was written before a program was stopped. */
interface Journal<State> {
  /** What makes the contents; other ones cannot be continued. */
  key: string
  bytes: number
  state: State
}

/** Writes the next part of a file, and what to know to go on behind it. */
export type AppendPart<State> = (text: string, state: State) => Promise<void>

/**
 * Writes a text file in parts so that it can go on after being stopped at any moment, kill -9
 * included. Parts go to `<file>.partial`; after each one `<file>.partial.json` says how far it is
 * valid and keeps the caller's state. The file itself appears when all is written, with
 * the same bytes as without a stop. A name that ends in `.gz` is packed part by part.
 *
 * @param key Equal for equal contents: what was written under another key is thrown away.
 * @param body Gets the state of the last part that was written, undefined at the start.
 * @param finish Makes the file out of the partial one where that is more than a change of name.
 */
export async function writeResumably<State>(
  file: string,
  key: string,
  body: (append: AppendPart<State>, state: State | undefined) => Promise<void>,
  finish: (partial: string) => Promise<void> = (partial) => rename(partial, file),
): Promise<void> {
  const partial = `${file}.partial`
  const journalFile = `${partial}.json`
  const packed = file.endsWith('.gz')
  try {
    await mkdir(dirname(file), { recursive: true })
    const journal = await readJournal<State>(journalFile, key, partial)
    let bytes = journal?.bytes ?? 0
    if (journal) await truncate(partial, bytes)
    const handle = await open(partial, journal ? 'r+' : 'w')
    try {
      await body(async (text, state) => {
        // An empty part packed would be bytes: the last one may be, when work was stopped right behind it.
        if (text !== '') {
          const part = packed ? gzipSync(text) : Buffer.from(text)
          await handle.write(part, 0, part.length, bytes)
          bytes += part.length
          await handle.datasync()
        }
        await writeJournal(journalFile, { key, bytes, state })
      }, journal?.state)
    } finally {
      await handle.close()
    }
    await finish(partial)
    await rm(partial, { force: true })
    await rm(journalFile, { force: true })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? asFileError(file, error) : error
  }
}

/** The journal of an earlier attempt at the same contents. */
async function readJournal<State>(
  journalFile: string,
  key: string,
  partial: string,
): Promise<Journal<State> | undefined> {
  try {
    const journal = JSON.parse(await readFile(journalFile, 'utf8')) as Journal<State>
    const { size } = await stat(partial)
    return journal.key === key && size >= journal.bytes ? journal : undefined
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

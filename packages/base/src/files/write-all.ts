import { readSync, write, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asFileError, FileError } from './file-error.ts'

const writeOnce = promisify(write)

/** Bytes of one system call: more than 2³¹ are refused. */
const MOST = 1 << 30
/** Milliseconds until a full pipe is tried again. */
const FULL = 2

/**
 * Writes all of some bytes, or fails with the file and the reason. The system may take fewer bytes
 * than it was given (a disk that fills up, a limit on sizes): the rest is given to it again, and
 * then it says why.
 *
 * @param position The position in the file; null writes at the descriptor's position, as pipes need.
 * @param file The name for messages.
 */
export async function writeAll(
  descriptor: number,
  bytes: Uint8Array,
  position: number | null,
  file: string,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(MOST, bytes.length - done)
    const at = position === null ? null : position + done
    try {
      const { bytesWritten } = await writeOnce(descriptor, bytes, done, length, at)
      done += checked(bytesWritten, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw asFileError(file, error)
      await setTimeout(FULL)
    }
  }
}

/** `writeAll` for regular files, at once. */
export function writeAllSync(
  descriptor: number,
  bytes: Uint8Array,
  position: number | null,
  file: string,
): void {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(MOST, bytes.length - done)
    const at = position === null ? null : position + done
    try {
      done += checked(writeSync(descriptor, bytes, done, length, at), file)
    } catch (error) {
      throw asFileError(file, error)
    }
  }
}

/** Fills a buffer from a position of a file, or fails: a file that is too short is damaged. */
export function readAllSync(
  descriptor: number,
  into: Uint8Array,
  position: number,
  file: string,
): void {
  for (let done = 0; done < into.length; ) {
    let got: number
    try {
      got = readSync(descriptor, into, done, into.length - done, position + done)
    } catch (error) {
      throw asFileError(file, error)
    }
    if (got === 0) {
      throw new FileError(
        file,
        `byte ${position + done}`,
        'the file ends too early: it was longer when it was opened',
      )
    }
    done += got
  }
}

/**
 * Appends text to a file; of a text that does not fit, nothing stays.
 *
 * @param synced Whether the text is on the disk when this returns, even if the machine then loses power.
 */
export async function appendAll(file: string, text: string, synced = false): Promise<void> {
  try {
    const handle = await open(file, 'a')
    try {
      const { size } = await handle.stat()
      try {
        await writeAll(handle.fd, Buffer.from(text), null, file)
        if (synced) await handle.datasync()
      } catch (error) {
        await handle.truncate(size).catch(() => {})
        throw error
      }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw asFileError(file, error)
  }
}

function checked(written: number, file: string): number {
  if (written > 0) return written
  throw new FileError(file, '', 'the system accepts no more bytes')
}

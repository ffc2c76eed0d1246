import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import {
  keepAttributes,
  makeFolder,
  modeFor,
  named,
  openStraight,
  withScratch,
} from './output-open.ts'
import { type OutputPlace, outputPlace } from './output-place.ts'
import { pour, type Write } from './pour.ts'
import { finished, unfinishedBeside } from './unfinished.ts'
import { isPacked } from './unpacked.ts'
import { writeAll } from './write-all.ts'

export type { Write } from './pour.ts'

/**
 * Writes a file whole or not at all: under a temporary name beside it, renamed when everything is
 * written and on the disk. A link stays, and the file that it names is replaced; mode and owner of an
 * earlier file are kept. A pipe or a device is written straight into. A name that ends in `.gz` is
 * packed.
 */
export async function writeWhole(
  file: string,
  body: (write: Write) => Promise<void>,
): Promise<void> {
  const place = outputPlace(file)
  const packed = isPacked(file)
  if (place.straight) {
    const { descriptor, close } = await openStraight(place, file)
    await pour({ descriptor, file, packed }, body).finally(close)
  } else {
    await replace(place, file, (descriptor) => pour({ descriptor, file, packed }, body))
  }
}

/**
 * `writeWhole` for a file with a header that is known only at the end: the bytes that the body
 * returns replace the first ones. Where bytes cannot be replaced, in a packed file or a pipe, all is
 * written to a temporary file first.
 */
export async function writeHeaded(
  file: string,
  body: (write: Write) => Promise<Uint8Array>,
): Promise<void> {
  const place = outputPlace(file)
  const fill = async (descriptor: number, name: string): Promise<void> => {
    const head = await pour({ descriptor, file: name, packed: false }, body)
    await writeAll(descriptor, head, 0, name)
  }
  if (!place.straight && !isPacked(file)) {
    await replace(place, file, (descriptor) => fill(descriptor, file))
    return
  }
  await withScratch(place, file, async (scratch) => {
    const handle = await named(scratch, () => open(scratch, 'wx', 0o600))
    await fill(handle.fd, scratch).finally(() => named(scratch, () => handle.close()))
    await copyInto(scratch, file)
  })
}

/** Gives a file that is written completely the name of an output, or copies it into a pipe or device. */
export async function putInPlace(written: string, output: string): Promise<void> {
  const place = outputPlace(output)
  if (place.straight) {
    const { descriptor, close } = await openStraight(place, output)
    const copy = pour({ descriptor, file: output, packed: false }, (write) => read(written, write))
    await copy.finally(close)
    await rm(written, { force: true })
    return
  }
  await named(output, async () => {
    const handle = await open(written, 'r')
    try {
      await keepAttributes(handle, place.before)
    } finally {
      await handle.close()
    }
    await rename(written, place.file)
  })
}

async function copyInto(written: string, output: string): Promise<void> {
  await writeWhole(output, (write) => read(written, write))
}

async function read(file: string, write: Write): Promise<void> {
  await named(file, async () => {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      await write(chunk as Buffer)
    }
  })
}

async function replace(
  place: OutputPlace,
  file: string,
  fill: (descriptor: number) => Promise<void>,
): Promise<void> {
  await makeFolder(place, file)
  const temporary = unfinishedBeside(place.file)
  try {
    const handle = await named(file, () => open(temporary, 'wx', modeFor(place)))
    try {
      await fill(handle.fd)
      await named(file, async () => {
        await keepAttributes(handle, place.before)
        await handle.datasync()
      })
    } finally {
      await named(file, () => handle.close())
    }
    await named(file, () => rename(temporary, place.file))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  } finally {
    finished(temporary)
  }
}

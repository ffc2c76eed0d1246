import { type FileHandle, open } from 'node:fs/promises'
import { KithError } from '@kith/core'
import { FileError } from '@kith/ir'

/** Longer headers belong to files of another kind. */
const LONGEST = 100_000_000

/** What a safetensors file says about itself; nobody has checked it. */
export async function readMetadata(file: string): Promise<Record<string, unknown>> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file)
    const { size } = await handle.stat()
    const length = (await readBytes(handle, file, 0, 8, size)).readBigUInt64LE()
    if (length > LONGEST) throw new FileError(file, 'byte 0', `a header of ${length} bytes`)
    const header = await readBytes(handle, file, 8, Number(length), size)
    const described = JSON.parse(header.toString('utf8')) as { __metadata__?: object } | null
    return { ...described?.__metadata__ }
  } catch (error) {
    if (error instanceof KithError) throw error
    if (error instanceof SyntaxError) throw new FileError(file, 'header', 'is not JSON')
    const { code, message } = error as NodeJS.ErrnoException
    throw new FileError(file, '', code === 'ENOENT' ? 'there is no such file' : message)
  } finally {
    await handle?.close()
  }
}

async function readBytes(
  handle: FileHandle,
  file: string,
  position: number,
  length: number,
  size: number,
): Promise<Buffer> {
  if (position + length > size) {
    const problem = `needs ${length} bytes here, the file ends at byte ${size}`
    throw new FileError(file, `byte ${position}`, problem)
  }
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) throw new FileError(file, `byte ${position + done}`, 'the file ends here')
    done += bytesRead
  }
  return bytes
}

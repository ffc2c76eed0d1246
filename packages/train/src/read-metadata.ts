import { open } from 'node:fs/promises'
import { FileError } from '@kith/ir'

/** Longer headers belong to files of another kind. */
const LONGEST = 100_000_000

/** What a safetensors file says about itself; nobody has checked it. */
export async function readMetadata(file: string): Promise<Record<string, unknown>> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new FileError(file, '', error.code === 'ENOENT' ? 'there is no such file' : error.message)
  })
  try {
    const start = Buffer.alloc(8)
    await handle.read(start, 0, 8, 0)
    const length = start.readBigUInt64LE()
    const { size } = await handle.stat()
    if (length > LONGEST || Number(length) + 8 > size) {
      throw new FileError(file, 'byte 0', `a header of ${length} bytes`)
    }
    const header = Buffer.alloc(Number(length))
    await handle.read(header, 0, header.length, 8)
    const described = JSON.parse(header.toString('utf8')) as { __metadata__?: object } | null
    return { ...described?.__metadata__ }
  } catch (error) {
    if (error instanceof SyntaxError) throw new FileError(file, 'header', 'is not JSON')
    throw error
  } finally {
    await handle.close()
  }
}

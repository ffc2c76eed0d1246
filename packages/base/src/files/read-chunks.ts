import { InputFile } from './input-file.ts'

/** Reads a file in chunks, once from front to back, unpacked where it is packed with gzip. */
export function readChunks(file: string): AsyncGenerator<Buffer> {
  return new InputFile(file).chunks()
}

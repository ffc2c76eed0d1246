import type { Write } from '@kith/base'
import { ByteWriter } from 'hyparquet-writer'

/**
 * Gives the bytes of a Parquet file to a function, a row group at a time. (The library's own writer
 * into files does not say which file failed, and cannot write into a pipe or a packed file.)
 */
export class ParquetParts extends ByteWriter {
  readonly #write: Write

  constructor(write: Write) {
    super()
    this.#write = write
  }

  /** Called by the library behind each row group. */
  async flush(): Promise<void> {
    // A copy: the writer may hold on to the bytes while the next group is put into the same buffer.
    const bytes = this.getBytes().slice()
    this.index = 0
    await this.#write(bytes)
  }

  /** Called by the library at the end. */
  override finish(): Promise<void> {
    return this.flush()
  }
}

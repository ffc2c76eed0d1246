import type { Write } from '@kith/base'
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

/** Maximum number of numbers in a row group: a reader decodes a whole group. */
const GROUP = 4 << 20

/** Writes Parquet: a column `id` and a column `vector` of lists. */
export class ParquetVectors {
  readonly #writer: ParquetWriter
  #ids: string[] = []
  #vectors: number[][] = []

  constructor(write: Write, type: 'f16' | 'f32') {
    const number: Omit<SchemaElement, 'name'> =
      type === 'f32'
        ? { type: 'FLOAT' }
        : {
            type: 'FIXED_LEN_BYTE_ARRAY',
            type_length: 2,
            logical_type: { type: 'FLOAT16' },
          }
    this.#writer = new ParquetWriter({
      writer: new ParquetParts(write),
      schema: [
        { name: 'root', num_children: 2 },
        textColumn('id'),
        ...vectorColumn('vector', number),
      ],
      // Readers have no use for statistics of number lists, and computing them takes time.
      statistics: false,
    })
  }

  /** Appends rows. */
  async write(ids: readonly string[], values: Float32Array, dimensions: number): Promise<void> {
    for (const [i, id] of ids.entries()) {
      this.#ids.push(id)
      this.#vectors.push(Array.from(values.subarray(i * dimensions, (i + 1) * dimensions)))
      if (this.#ids.length * dimensions >= GROUP) await this.#writeGroup()
    }
  }

  /** Writes the last rows and the end of the file. */
  async finish(): Promise<void> {
    if (this.#ids.length > 0) await this.#writeGroup()
    await this.#writer.finish()
  }

  async #writeGroup(): Promise<void> {
    await this.#writer.write({
      columnData: [
        { name: 'id', data: this.#ids },
        { name: 'vector', data: this.#vectors },
      ],
      rowGroupSize: this.#ids.length,
    })
    this.#ids = []
    this.#vectors = []
  }
}

/** Returns the schema of a column of texts. */
export function textColumn(
  name: string,
  repetition_type: 'REQUIRED' | 'OPTIONAL' = 'REQUIRED',
): SchemaElement {
  return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type }
}

/** Returns the schema of a column of float32 lists. */
export function vectorColumn(
  name: string,
  element: Omit<SchemaElement, 'name'> = { type: 'FLOAT' },
): SchemaElement[] {
  return [
    { name, num_children: 1, converted_type: 'LIST', repetition_type: 'REQUIRED' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { ...element, name: 'element', repetition_type: 'REQUIRED' },
  ]
}

/**
 * Passes the bytes of a Parquet file to a function, one row group at a time. (The library's own
 * file writer does not say which file failed, and cannot write to a pipe or a compressed file.)
 */
export class ParquetParts extends ByteWriter {
  readonly #write: Write

  constructor(write: Write) {
    super()
    this.#write = write
  }

  /** Writes a row group; the library calls this method after each group. */
  async flush(): Promise<void> {
    // A copy: the writer may keep the bytes while the next group overwrites the buffer.
    const bytes = this.getBytes().slice()
    this.index = 0
    await this.#write(bytes)
  }

  /** Writes the rest; the library calls this method at the end. */
  override finish(): Promise<void> {
    return this.flush()
  }
}

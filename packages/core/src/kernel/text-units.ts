/** The part of Node's `Buffer` that is used if there is one. */
interface NodeBuffer {
  from(memory: ArrayBuffer, start: number, bytes: number): NodeBuffer
  write(text: string, at: number, encoding: 'utf16le'): number
}

const { Buffer = null } = globalThis as unknown as { Buffer?: NodeBuffer }
const encoder = new TextEncoder()

/** Room for texts in UTF-16, from an even place of a memory on. */
export class TextUnits {
  readonly units: Uint16Array
  readonly #bytes: Uint8Array
  /** Copies a string as it is in memory, ten times as fast as anything else. */
  readonly #buffer: NodeBuffer | undefined

  constructor(
    memory: ArrayBuffer,
    start: number,
    length: number,
    node: NodeBuffer | null = Buffer,
  ) {
    this.units = new Uint16Array(memory, start, length)
    this.#bytes = new Uint8Array(memory, start, length * 2)
    this.#buffer = node?.from(memory, start, length * 2)
  }

  /** Writes the first text of a memory, or one behind it. */
  write(text: string, at = 0): void {
    const { length } = text
    if (this.#buffer) {
      this.#buffer.write(text, at * 2, 'utf16le')
      return
    }
    const bytes = this.#bytes.subarray(at * 2, (at + length) * 2)
    const { read, written } = encoder.encodeInto(text, bytes)
    if (written === length && read === length) this.units.set(bytes.subarray(0, length), at)
    else for (let i = 0; i < length; i++) this.units[at + i] = text.charCodeAt(i)
  }
}

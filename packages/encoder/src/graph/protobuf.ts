const utf8 = new TextEncoder()

/**
 * A protobuf message under construction. Long byte fields are kept as they are, not
 * copied, until the whole is put together: weights are most of a model.
 */
export class Message {
  readonly #parts: Uint8Array[] = []
  #length = 0

  /** Bytes of the message so far. */
  get length(): number {
    return this.#length
  }

  /** A whole number; negative ones take ten bytes, as protobuf has it. */
  integer(field: number, value: number | bigint): this {
    return this.#add(varint(field << 3)).#add(varint(value))
  }

  /** A float32. */
  float(field: number, value: number): this {
    return this.#add(varint((field << 3) | 5)).#add(new Uint8Array(Float32Array.of(value).buffer))
  }

  /** Bytes with their length before them. */
  bytes(field: number, bytes: Uint8Array): this {
    return this.#head(field, bytes.length).#add(bytes)
  }

  /** Text as UTF-8. */
  text(field: number, text: string): this {
    return this.bytes(field, utf8.encode(text))
  }

  /** A message inside this one. */
  message(field: number, inner: Message): this {
    this.#head(field, inner.length)
    for (const part of inner.#parts) this.#add(part)
    return this
  }

  /** The parts of the message, one behind the other. */
  parts(): Iterable<Uint8Array> {
    return this.#parts
  }

  /** Writes the message to memory that has room for it. */
  copyTo(memory: Uint8Array): void {
    let at = 0
    for (const part of this.#parts) {
      memory.set(part, at)
      at += part.length
    }
  }

  /** The message in one piece. */
  toBytes(): Uint8Array {
    const whole = new Uint8Array(this.#length)
    this.copyTo(whole)
    return whole
  }

  #head(field: number, length: number): this {
    return this.#add(varint((field << 3) | 2)).#add(varint(length))
  }

  #add(part: Uint8Array): this {
    this.#parts.push(part)
    this.#length += part.length
    return this
  }
}

/** Seven bits per byte, the lowest first, the top bit set on all but the last. */
function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

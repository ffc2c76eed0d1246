/** The types of Thrift's compact protocol that Parquet uses. */
const TYPES = { true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, struct: 12 }

/**
 * Walks a Thrift structure and returns where it ends. A damaged structure may claim a list of two
 * billion entries, for which hyparquet would allocate memory: this function checks every length
 * against the bytes that are left, before anything is read.
 */
export function checkThrift(bytes: Buffer, from: number): number {
  const walker = new ThriftWalker(bytes, from)
  walker.struct(0)
  return walker.at
}

class ThriftWalker {
  constructor(
    readonly bytes: Buffer,
    public at: number,
  ) {}

  struct(depth: number): void {
    if (depth > 32) throw new Error('the Thrift structure is nested too deeply')
    for (;;) {
      const head = this.byte()
      if ((head & 15) === 0) return
      if (head >> 4 === 0) this.integer()
      this.value(head & 15, depth)
    }
  }

  value(type: number, depth: number): void {
    if (type === TYPES.true || type === TYPES.false) return
    if (type === TYPES.byte) this.skip(1)
    else if (type > TYPES.byte && type < TYPES.double) this.integer()
    else if (type === TYPES.double) this.skip(8)
    else if (type === TYPES.binary) this.skip(this.integer())
    else if (type === TYPES.list) this.list(depth)
    else if (type === TYPES.struct) this.struct(depth + 1)
    else throw new Error(`unknown Thrift type ${type}`)
  }

  list(depth: number): void {
    const head = this.byte()
    const size = head >> 4 === 15 ? this.integer() : head >> 4
    // Every entry takes at least one byte.
    if (size > this.bytes.length - this.at)
      throw new Error(`a list of ${size} entries at byte ${this.at} exceeds the file`)
    const type = head & 15
    const one = type === TYPES.true || type === TYPES.false ? TYPES.byte : type
    for (let i = 0; i < size; i++) this.value(one, depth)
  }

  integer(): number {
    let value = 0
    for (let digit = 0; digit < 10; digit++) {
      const byte = this.byte()
      value += (byte & 127) * 128 ** digit
      if (byte < 128) return value
    }
    throw new Error(`a number at byte ${this.at} has no end`)
  }

  byte(): number {
    this.skip(1)
    return this.bytes[this.at - 1]!
  }

  skip(length: number): void {
    this.at += length
    if (this.at > this.bytes.length)
      throw new Error(`the Thrift structure exceeds the file at byte ${this.at}`)
  }
}

/**
 * Decodes Parquet's mix of repeated and bit-packed numbers: levels, and places in a
 * dictionary. Runs beyond `count` are cut, so that damaged ones fill no memory.
 */
export function decodeHybrid(bytes: Uint8Array, width: number, count: number): Uint32Array {
  if (width > 32) throw new Error(`numbers of ${width} bits`)
  const output = new Uint32Array(count)
  let at = 0
  let done = 0
  while (done < count) {
    let head = 0
    for (let shift = 0; ; shift += 7) {
      if (at >= bytes.length || shift > 28)
        throw new Error(`the levels end after ${done} of ${count}`)
      head += (bytes[at]! & 127) * 2 ** shift
      if (bytes[at++]! < 128) break
    }
    const length = Math.floor(head / 2)
    if (head % 2 === 0) {
      const size = Math.ceil(width / 8)
      if (at + size > bytes.length || length === 0)
        throw new Error(`a run of ${length} at byte ${at}`)
      let value = 0
      for (let i = 0; i < size; i++) value += bytes[at++]! * 2 ** (8 * i)
      const end = Math.min(count, done + length)
      output.fill(value, done, end)
      done = end
    } else {
      const end = Math.min(count, done + length * 8)
      if (at + Math.ceil(((end - done) * width) / 8) > bytes.length || length === 0) {
        throw new Error(`${length * 8} packed numbers at byte ${at}`)
      }
      unpack(bytes, at, width, output, done, end)
      at += length * width
      done = end
    }
  }
  return output
}

function unpack(
  bytes: Uint8Array,
  at: number,
  width: number,
  output: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const bit = (i - from) * width
    let value = 0
    // A number of up to 32 bits lies in at most five bytes: more than a bit operation holds.
    const first = at + (bit >> 3)
    const last = at + ((bit + width - 1) >> 3)
    for (let byte = last; byte >= first && width > 0; byte--) value = value * 256 + bytes[byte]!
    output[i] = Math.floor(value / 2 ** (bit & 7)) % 2 ** width
  }
}

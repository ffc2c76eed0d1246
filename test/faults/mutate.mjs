/** Numbers below `limit`, the same in every run with the same seed. */
export function seeded(seed) {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** Pieces that readers of text and JSON stumble over. */
const pieces = [
  '\0|\n|\r\n|\r|\t| |"|{|}|[|]|,|#|<|>|</|&|<DOC>|</DOC>|<DOCNO>|<top>|<num>|-|-1|0|NaN|Infinity',
  '-inf|1e999|1e-999|99999999999999999999|0x10|null|true|"__proto__":|\\ud800|\u00e9|\ufeff|\u2028',
].flatMap((line) => line.split('|').map((piece) => Buffer.from(piece)))
pieces.push(Buffer.from([0xff]), Buffer.from([0xc3, 0x28]), Buffer.from([0xed, 0xa0, 0x80]))

/** Numbers of four and eight bytes that make sizes overflow or run past the end. */
const extremes = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]

/**
 * A damaged copy of a file's bytes. Half of the copies have one changed bit or byte, which gets past
 * a format's first checks; the others have one to four changes, of kinds that disks and people make.
 */
export function mutate(original, random) {
  let bytes = Buffer.from(original)
  if (random(2) === 0) return change(bytes, random, random(2))
  for (let changes = 1 + random(4); changes > 0; changes--) bytes = change(bytes, random, random(9))
  return bytes
}

function change(bytes, random, kind) {
  const at = random(bytes.length + 1)
  const length = 1 + random(Math.max(1, Math.min(64, bytes.length - at)))
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (kind) {
    case 0: // one bit turned
      if (at < bytes.length) bytes[at] ^= 1 << random(8)
      return bytes
    case 1: // one byte set
      if (at < bytes.length) bytes[at] = random(256)
      return bytes
    case 2: // the end cut off
      return before
    case 3: // bytes lost
      return Buffer.concat([before, behind.subarray(length)])
    case 4: // bytes written twice
      return Buffer.concat([before, behind.subarray(0, length), behind])
    case 5: // a piece put in
      return Buffer.concat([before, pieces[random(pieces.length)], behind])
    case 6: // a piece in the place of as many bytes
      return overwrite(bytes, at, pieces[random(pieces.length)])
    case 7: {
      // a size replaced
      const size = Buffer.alloc(random(2) ? 8 : 4)
      size.writeUInt32LE(extremes[random(extremes.length)])
      return overwrite(bytes, at, size)
    }
    default: // one place copied over another
      return overwrite(bytes, random(bytes.length + 1), Buffer.from(behind.subarray(0, length)))
  }
}

function overwrite(bytes, at, piece) {
  const room = Math.min(piece.length, bytes.length - at)
  if (room > 0) piece.copy(bytes, at, 0, room)
  return bytes
}

import { isSpace, NEWLINE, SPACE } from './bytes'

const TAB: u8 = 9
const RETURN: u8 = 13
const QUOTE: u8 = 34
const BACKSLASH: u8 = 92
const COMMA: u8 = 44
const COLON: u8 = 58
const OPEN: u8 = 123
const CLOSE: u8 = 125

/** Bytes of the record of a text. */
const RECORD: usize = 32
/** The length of a text that this module does not read. */
const UNREAD: u32 = 0xffffffff
/** Objects within objects that this module reads. */
const DEEPEST: i32 = 8

/** The strings that a line may have, by their numbers. */
const ID: i32 = 0
const OTHER_ID: i32 = 1
const TITLE: i32 = 2
const TEXT: i32 = 3
const CONTENTS: i32 = 4
const STRINGS: i32 = 5

/** Where each string of the line starts and ends; 0 for a string that it does not have. */
const found = memory.data(STRINGS * 8)
/** Whether the last string that was skipped has an escape. */
let escaped: bool = false

/** The number of bytes that were read. */
let bytes: usize = 0
/** The number of lines that were read, with blank lines. */
let lines: u32 = 0

export function textBytes(): usize {
  return bytes
}

export function textLines(): u32 {
  return lines
}

/**
 * Reads lines of texts, which are valid UTF-8, as UTF-16: JSON objects with a text, a title and an
 * id (BEIR, Pyserini), or an id and a text with a tab in between (MS MARCO). Stops at the end of the
 * lines, or of the room for records. Blank lines have no record.
 *
 * @param end The end of the lines; the byte there must be a line break, and 16 bytes behind it must be
 * readable.
 * @param most The room for records.
 * @param records For each text: the line's start and end, the start and end of the id's bytes, all
 * of them from `from` on; the start of the text among the units; the units of its title, with the space
 * that follows the title; all of its units, or UNREAD; and the number of lines before it.
 * @param units The units of all texts, two bytes each: as many as there are bytes of lines, and 64
 * bytes more.
 * @returns The number of records.
 */
export function readTexts(
  from: usize,
  end: usize,
  isTsv: i32,
  most: u32,
  records: usize,
  units: usize,
): u32 {
  let count: u32 = 0
  let out = units
  let line = from
  lines = 0
  while (line < end && count < most) {
    let at = line
    while (isBlank(load<u8>(at))) at++
    if (load<u8>(at) != NEWLINE) {
      const record = records + <usize>count * RECORD
      count++
      const read = isTsv ? findColumns(line) : findStrings(at)
      const lineEnd = read ? read : endOfLine(at)
      store<u32>(record, <u32>(line - from))
      store<u32>(record, <u32>(lineEnd - from), 4)
      store<u32>(record, <u32>(out - units) >> 1, 16)
      store<u32>(record, lines, 28)
      if (read) {
        const first = out
        const id = startOf(ID) ? ID : OTHER_ID
        store<u32>(record, <u32>(startOf(id) - from), 8)
        store<u32>(record, <u32>(endOf(id) - from), 12)
        if (endOf(TITLE) > startOf(TITLE)) {
          out = decode(startOf(TITLE), endOf(TITLE), true, out)
          store<u16>(out, SPACE)
          out += 2
        }
        store<u32>(record, <u32>(out - first) >> 1, 20)
        const text = startOf(TEXT) ? TEXT : CONTENTS
        out = decode(startOf(text), endOf(text), !isTsv, out)
        store<u32>(record, <u32>(out - first) >> 1, 24)
      } else store<u32>(record, UNREAD, 24)
      at = lineEnd
    }
    line = at + 1
    lines++
  }
  bytes = line - from
  return count
}

function keep(string: i32, start: usize, end: usize): void {
  store<u32>(found + ((<usize>string) << 3), <u32>start)
  store<u32>(found + ((<usize>string) << 3), <u32>end, 4)
}

function startOf(string: i32): usize {
  return load<u32>(found + ((<usize>string) << 3))
}

function endOf(string: i32): usize {
  return load<u32>(found + ((<usize>string) << 3), 4)
}

/** White space of JSON within a line. */
function isBlank(byte: u8): bool {
  return byte == SPACE || byte == TAB || byte == RETURN
}

function skipBlank(at: usize): usize {
  while (isBlank(load<u8>(at))) at++
  return at
}

function endOfLine(at: usize): usize {
  const newlines = i8x16.splat(NEWLINE)
  while (true) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), newlines))
    if (mask) return at + ctz(mask)
    at += 16
  }
}

/**
 * Finds the id and the text of a line of two columns; returns the end of the line. 0 if there are
 * other columns, or if the id may start or end with white space.
 */
function findColumns(line: usize): usize {
  const lineEnd = endOfLine(line)
  const end = lineEnd > line && load<u8>(lineEnd - 1) == RETURN ? lineEnd - 1 : lineEnd
  let tab = line
  while (tab < end && load<u8>(tab) != TAB) tab++
  if (tab == line || tab == end || !isPlain(load<u8>(line)) || !isPlain(load<u8>(tab - 1))) return 0
  for (let at = tab + 1; at < end; at++) if (load<u8>(at) == TAB) return 0
  keep(ID, line, tab)
  keep(TITLE, 0, 0)
  keep(TEXT, tab + 1, end)
  return lineEnd
}

/** Returns whether a byte is a character of ASCII, and no white space. */
function isPlain(byte: u8): bool {
  return byte < 128 && !isSpace(byte)
}

/**
 * Finds the strings of a JSON object; returns the end of its line. 0 if the line is not as expected:
 * not JSON, without a text or an id, or with something that only a JSON parser reads.
 */
function findStrings(at: usize): usize {
  memory.fill(found, 0, STRINGS * 8)
  if (load<u8>(at) != OPEN) return 0
  at = skipObject(at + 1, 0)
  if (!at) return 0
  at = skipBlank(at)
  const hasId = startOf(ID) | startOf(OTHER_ID)
  const hasText = startOf(TEXT) | startOf(CONTENTS)
  return load<u8>(at) == NEWLINE && hasId && hasText ? at : 0
}

/** Skips an object of strings and such objects, from behind its brace; returns its end, or 0. */
function skipObject(at: usize, depth: i32): usize {
  if (depth > DEEPEST) return 0
  at = skipBlank(at)
  if (load<u8>(at) == CLOSE) return at + 1
  while (true) {
    if (load<u8>(at) != QUOTE) return 0
    const key = at + 1
    const keyEnd = skipString(key)
    if (!keyEnd || escaped) return 0
    at = skipBlank(keyEnd + 1)
    if (load<u8>(at) != COLON) return 0
    at = skipBlank(at + 1)
    const known = depth == 0 ? stringOf(key, keyEnd) : -1
    if (load<u8>(at) == QUOTE) {
      const start = at + 1
      const end = skipString(start)
      if (!end) return 0
      if (known >= 0) {
        // Of two strings with one name, JSON keeps the last. The bytes of an id are taken as they are.
        if (startOf(known) || (escaped && known <= OTHER_ID)) return 0
        keep(known, start, end)
      }
      at = end + 1
    } else if (load<u8>(at) == OPEN && known < 0) {
      at = skipObject(at + 1, depth + 1)
      if (!at) return 0
    } else return 0
    at = skipBlank(at)
    if (load<u8>(at) == CLOSE) return at + 1
    if (load<u8>(at) != COMMA) return 0
    at = skipBlank(at + 1)
  }
}

/** Returns the number of the string with a name; -1 for another name. */
function stringOf(key: usize, end: usize): i32 {
  const length = end - key
  if (length == 2) return load<u16>(key) == 0x6469 ? OTHER_ID : -1 // id
  if (length == 3) return load<u16>(key) == 0x695f && load<u8>(key, 2) == 0x64 ? ID : -1 // _id
  if (length == 4) return load<u32>(key) == 0x74786574 ? TEXT : -1 // text
  if (length == 5) return load<u32>(key) == 0x6c746974 && load<u8>(key, 4) == 0x65 ? TITLE : -1 // title
  if (length != 8 || load<u32>(key) != 0x746e6f63) return -1 // cont
  return load<u32>(key, 4) == 0x73746e65 ? CONTENTS : -1 // ents
}

/** Returns the end of a string, from behind its quote; 0 if only a JSON parser can read it. */
function skipString(at: usize): usize {
  const spaces = i8x16.splat(SPACE)
  const quotes = i8x16.splat(QUOTE)
  const backslashes = i8x16.splat(BACKSLASH)
  escaped = false
  while (true) {
    const four = v128.load(at)
    const special = v128.or(
      v128.or(i8x16.eq(four, quotes), i8x16.eq(four, backslashes)),
      i8x16.lt_u(four, spaces),
    )
    const mask = i8x16.bitmask(special)
    if (!mask) {
      at += 16
      continue
    }
    at += ctz(mask)
    const byte = load<u8>(at)
    if (byte == QUOTE) return at
    // A control character, such as the end of the line.
    if (byte != BACKSLASH) return 0
    escaped = true
    if (load<u8>(at, 1) == 0x75) {
      const unit = hexadecimal(at + 2)
      // Half of a surrogate pair needs the other half.
      if (unit < 0 || (unit & 0xf800) == 0xd800) return 0
      at += 6
    } else {
      if (!escapedUnit(load<u8>(at, 1))) return 0
      at += 2
    }
  }
}

/** Returns the character of an escape of one letter; 0 if there is none. */
function escapedUnit(letter: u8): u16 {
  if (letter == 0x6e) return 10 // n
  if (letter == QUOTE || letter == BACKSLASH || letter == 0x2f) return letter
  if (letter == 0x74) return 9 // t
  if (letter == 0x72) return 13 // r
  if (letter == 0x62) return 8 // b
  return letter == 0x66 ? 12 : 0 // f
}

/** Returns the number of four hexadecimal digits; -1 if they are none. */
function hexadecimal(at: usize): i32 {
  let value = 0
  for (let i: usize = 0; i < 4; i++) {
    const byte = load<u8>(at + i)
    const digit = <u8>(byte - 48)
    const letter = <u8>((byte | 32) - 97)
    if (digit > 9 && letter > 5) return -1
    value = (value << 4) | (digit <= 9 ? digit : letter + 10)
  }
  return value
}

/** Writes the characters of UTF-8 as UTF-16, without escapes if it is JSON; returns their end. */
function decode(from: usize, to: usize, isJson: bool, out: usize): usize {
  const backslashes = i8x16.splat(isJson ? <i8>BACKSLASH : -1)
  while (from < to) {
    // Up to sixteen characters of ASCII at a time; units behind the last one are overwritten.
    const some = v128.load(from)
    const mask = i8x16.bitmask(v128.or(some, i8x16.eq(some, backslashes))) | (1 << 16)
    v128.store(out, i16x8.extend_low_i8x16_u(some))
    v128.store(out, i16x8.extend_high_i8x16_u(some), 16)
    const plain = min<usize>(ctz(mask), to - from)
    from += plain
    out += plain << 1
    if (plain == 16 || from == to) continue
    const byte = <u32>load<u8>(from)
    if (byte == BACKSLASH) {
      const letter = load<u8>(from, 1)
      const isUnit = letter == 0x75
      store<u16>(out, isUnit ? <u16>hexadecimal(from + 2) : escapedUnit(letter))
      from += isUnit ? 6 : 2
    } else if (byte < 0xe0) {
      store<u16>(out, <u16>(((byte & 0x1f) << 6) | next(from, 1)))
      from += 2
    } else if (byte < 0xf0) {
      store<u16>(out, <u16>(((byte & 0xf) << 12) | (next(from, 1) << 6) | next(from, 2)))
      from += 3
    } else {
      const high = ((byte & 7) << 18) | (next(from, 1) << 12)
      const code = (high | (next(from, 2) << 6) | next(from, 3)) - 0x10000
      store<u16>(out, <u16>(0xd800 | (code >> 10)))
      out += 2
      store<u16>(out, <u16>(0xdc00 | (code & 0x3ff)))
      from += 4
    }
    out += 2
  }
  return out
}

/** Returns the six bits of a further byte of a character. */
function next(from: usize, place: usize): u32 {
  return load<u8>(from + place) & 0x3f
}

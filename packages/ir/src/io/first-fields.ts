import { Fields } from './fields.ts'

const NEWLINE = 10
const TAB = 9
const COMMENT = 0x23

/** The fields by which formats of columns are told apart. */
export interface FirstFields {
  /** How many fields the first line has that is neither blank nor a comment; 0 without one. */
  count: number
  /** How many tabs it has. */
  tabs: number
  /** The first byte of it. */
  first: number | undefined
}

/** Looks at the first line with something in it. */
export function firstFields(start: Buffer): FirstFields {
  const fields = new Fields(1)
  for (let from = 0; from < start.length; ) {
    const end = start.indexOf(NEWLINE, from)
    const to = end < 0 ? start.length : end
    const count = fields.split(start, from, to)
    const first = start[fields.starts[0]!]
    if (count > 0 && first !== COMMENT) return { count, tabs: tabsIn(start, from, to), first }
    from = to + 1
  }
  return { count: 0, tabs: 0, first: undefined }
}

function tabsIn(bytes: Buffer, from: number, to: number): number {
  let tabs = 0
  for (let i = from; i < to; i++) if (bytes[i] === TAB) tabs++
  return tabs
}

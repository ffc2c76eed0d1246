import type { TextEntry } from '@kith/ir'

/**
 * Number of characters from which a passage ends with its paragraph: about the limit of an encoder.
 */
const LONG = 700

/**
 * Maximum characters of a passage. Longer code blocks and lines, which may have megabytes, are
 * split.
 */
export const LONGEST_PASSAGE = 8 * LONG

/**
 * Maximum characters of a heading. Every passage below a heading repeats it. A longer line that
 * begins with `#` is a paragraph, and would be stored thousands of times.
 */
export const LONGEST_HEADING = 200

/**
 * Maximum number of passages per file. A file of 4 MB (the largest that is read) has about 6,000
 * passages of 700 characters. A file with more than 10,000 passages has sections of a few
 * characters, each of which needs an embedding.
 */
export const MOST_PASSAGES = 10_000

/** The delimiters of code blocks, in which `#` begins no heading. */
const FENCES = ['```', '~~~']

/** The passages of a file, and the number of truncated headings and missing passages. */
interface MarkdownPassages {
  passages: TextEntry[]
  /** Number of truncated headings. */
  cutHeadings: number
  /** Number of passages beyond the limit, which are left out. */
  leftOut: number
}

/**
 * Splits a Markdown file into passages: its sections, or groups of paragraphs of a long section. A
 * passage's id is the file and its first line (`bees.md:12`), and the column if it begins within a
 * line (`bees.md:12:5601`). Its title consists of the headings above it.
 */
export function markdownPassages(file: string, text: string): MarkdownPassages {
  return splitText(file, text, /\.txt$/i.test(file))
}

/** Splits a text without headings into passages of several paragraphs each. */
export function textPassages(name: string, text: string): MarkdownPassages {
  return splitText(name, text, true)
}

function splitText(file: string, text: string, isPlain: boolean): MarkdownPassages {
  const matter = isPlain ? undefined : frontMatter(text)
  const markdown = matter ? matter.rest : text
  const result: MarkdownPassages = { passages: [], cutHeadings: 0, leftOut: 0 }
  const headings: string[] = []
  const top = matter?.title === undefined ? file : cut(matter.title)
  // All passages of a section share one string.
  let title = top
  let [lines, first, length]: [string[], string, number] = [[], '', 0]
  let fence: string | undefined
  const end = (): void => {
    const text = lines.join('\n').trim()
    ;[lines, length] = [[], 0]
    if (text === '') return
    if (result.passages.length === MOST_PASSAGES) result.leftOut++
    else result.passages.push({ id: `${file}:${first}`, title, text })
  }
  for (const [i, line] of markdown.split(/\r?\n/).entries()) {
    const mark = line.trimStart().slice(0, 3)
    const level = fence === undefined && !isPlain ? headingLevel(line) : 0
    if (fence !== undefined) fence = mark === fence ? undefined : fence
    else if (!isPlain && FENCES.includes(mark)) fence = mark
    if (level > 0) {
      end()
      const heading = line.slice(level).trim()
      if (heading.length > LONGEST_HEADING) result.cutHeadings++
      headings.length = Math.min(headings.length, level - 1)
      headings[level - 1] = cut(heading)
      title = titleOf(matter?.title, headings.filter(Boolean)) || top
      continue
    }
    const blank = line.trim() === ''
    if (blank && fence === undefined && length >= LONG) end()
    if (blank && lines.length === 0) continue
    for (const { at, piece } of isPlain ? sentencesOf(line) : piecesOf(line)) {
      const isFull = length + lines.length + piece.length > LONGEST_PASSAGE
      if (isFull || (isPlain && (at > 0 || isLong(lines, length)))) end()
      if (lines.length === 0) first = at === 0 ? `${i + 1}` : `${i + 1}:${at + 1}`
      lines.push(piece)
      length += piece.length
    }
  }
  end()
  return result
}

/**
 * Joins the headings above a passage, after the front matter's title unless the first heading
 * repeats it.
 */
function titleOf(title: string | undefined, headings: readonly string[]): string {
  const own = title === undefined || title === headings[0] ? [] : [cut(title)]
  return [...own, ...headings].join(' › ')
}

/** Returns the title of a file's front matter, and the file with the front matter blanked out. */
function frontMatter(text: string): { title: string | undefined; rest: string } | undefined {
  const block = /^---[ \t]*\r?\n(?:[\s\S]*?\n)?---[ \t]*(?:\r?\n|$)/.exec(text)?.[0]
  if (block === undefined) return undefined
  const line = /^title:[ \t]*(.*?)[ \t]*\r?$/m.exec(block)?.[1]
  const title = line?.replace(/^(['"])(.*)\1$/, '$2')
  return { title: title || undefined, rest: block.replace(/[^\n]/g, '') + text.slice(block.length) }
}

/** Returns the level of a heading, from 1 to 6, or 0 for any other line. */
function headingLevel(line: string): number {
  let level = 0
  while (line[level] === '#') level++
  return level <= 6 && line[level] === ' ' ? level : 0
}

/** Truncates a heading to the limit. */
function cut(heading: string): string {
  return heading.slice(0, wholeEnd(heading, LONGEST_HEADING))
}

/** Yields pieces of a line that fit into a passage, with their positions. */
function* piecesOf(line: string): Generator<{ at: number; piece: string }> {
  let at = 0
  do {
    const end = wholeEnd(line, at + LONGEST_PASSAGE)
    yield { at, piece: line.slice(at, end) }
    at = end
  } while (at < line.length)
}

/**
 * Returns whether a passage of consecutive lines should end: at the end of a sentence, if possible.
 */
function isLong(lines: readonly string[], length: number): boolean {
  return length >= 2 * LONG || (length >= LONG && /[.!?]$/.test(lines.at(-1)!.trimEnd()))
}

/**
 * Yields pieces of a line, several sentences each, for texts without headings: many are one line.
 */
function* sentencesOf(line: string): Generator<{ at: number; piece: string }> {
  let from = 0
  for (const { index } of line.matchAll(/(?<=[.!?]\s)(?=\S)/g)) {
    if (index - from < LONG || line.length - index < LONG / 2) continue
    for (const { at, piece } of piecesOf(line.slice(from, index))) yield { at: from + at, piece }
    from = index
  }
  for (const { at, piece } of piecesOf(line.slice(from))) yield { at: from + at, piece }
}

/** Returns the last position where a text may be split: never within a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length
  return /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end
}

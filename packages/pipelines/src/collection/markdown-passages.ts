import type { TextEntry } from '@kith/ir'

/** Characters from which on a passage ends with its paragraph: about as many as an encoder reads. */
const LONG = 700

/** What ends and begins a block of code, in which `#` begins no heading. */
const FENCES = ['```', '~~~']

/**
 * The passages of a Markdown file: its sections, and of long ones some paragraphs each. A passage is
 * named by the file and its first line (`bees.md:12`), and its title has the headings above it.
 */
export function markdownPassages(file: string, markdown: string): TextEntry[] {
  const passages: TextEntry[] = []
  const headings: string[] = []
  let [lines, first, length]: [string[], number, number] = [[], 0, 0]
  let fence: string | undefined
  const end = (): void => {
    const text = lines.join('\n').trim()
    const title = headings.filter(Boolean).join(' › ')
    if (text !== '') passages.push({ id: `${file}:${first}`, title: title || file, text })
    ;[lines, length] = [[], 0]
  }
  for (const [i, line] of markdown.split(/\r?\n/).entries()) {
    const mark = line.trimStart().slice(0, 3)
    const level = fence === undefined ? headingLevel(line) : 0
    if (fence !== undefined) fence = mark === fence ? undefined : fence
    else if (FENCES.includes(mark)) fence = mark
    if (level > 0) {
      end()
      headings.length = Math.min(headings.length, level - 1)
      headings[level - 1] = line.slice(level).trim()
      continue
    }
    const blank = line.trim() === ''
    if (blank && fence === undefined && length >= LONG) end()
    if (blank && lines.length === 0) continue
    if (lines.length === 0) first = i + 1
    lines.push(line)
    length += line.length
  }
  end()
  return passages
}

/** The level of a heading, from 1 to 6; 0 for any other line. */
function headingLevel(line: string): number {
  let level = 0
  while (line[level] === '#') level++
  return level <= 6 && line[level] === ' ' ? level : 0
}

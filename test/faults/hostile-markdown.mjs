/** Markdown that nobody writes: long and deep headings, open fences, endless sections and lines. */

/** Line ends, marks and characters that a splitter of Markdown can stumble over. */
const ends = ['\n', '\r\n', '\r', '\n\n', '\u2028', '\n \t\n']
const marks = ['#', '##', '######', '#######', '#\t', '```', '~~~', '````', '>', '-', '---', '    ']
const words = [
  'bees',
  'x',
  '#',
  '`',
  '\0',
  '\ufeff',
  '\ufffd',
  '\u{1f41d}',
  '\u4e2d',
  '\u202e',
  '›',
]

/** The largest file: a few hundred kilobytes, so that a round stays short. */
const MOST = 300_000

/** A Markdown file as bytes, the same for the same random numbers. */
export function hostileMarkdown(random) {
  const one = (list) => list[random(list.length)]
  const repeated = (piece, most) => piece.repeat(1 + random(Math.max(1, most)))
  const shapes = [
    // A long heading above many sections, on any of the six levels.
    () => {
      const heading = `${'#'.repeat(1 + random(6))} ${repeated(`${one(words)} `, 100_000)}`
      return heading + one(ends) + repeated(`###### ${one(words)}\n${one(words)}\n`, 5_000)
    },
    // Six long headings, one below the other.
    () =>
      Array.from({ length: 6 }, (_, i) => `${'#'.repeat(i + 1)} ${repeated(one(words), 20_000)}\n`)
        .concat(repeated('a\n###### b\n', 5_000))
        .join(''),
    // More sections than a file may have.
    () => repeated(`# ${one(words)}${one(ends)}${one(words)}${one(ends)}`, 40_000),
    // One line, or one mark, that does not end.
    () => repeated(one([...words, ...marks]), MOST),
    // A fence that is never closed, and blank lines.
    () => `${one(['```', '~~~'])}\n${repeated(`${one(words)}\n\n`, 30_000)}`,
    // A salad of all of them.
    () => {
      const pieces = []
      for (let i = random(3000); i >= 0; i--) {
        pieces.push(one(marks), ' ', one(words).repeat(random(30)), one(ends))
      }
      return pieces.join('')
    },
  ]
  const bytes = Buffer.from(one(shapes)().slice(0, MOST))
  // Some files are not UTF-8.
  if (random(20) === 0) bytes[random(bytes.length)] = 0xff
  return bytes
}

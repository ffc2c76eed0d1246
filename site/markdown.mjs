/** Plain text as Markdown that shows it as it is, options as code; fit for a cell of a table. */
export function cell(text) {
  return text
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replace(/[<>{}]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/(?<![\w-])--[a-z][a-z-]*/g, '`$&`')
    .replace(/\s*\n\s*/g, ' ')
}

/** A table of Markdown cells. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}

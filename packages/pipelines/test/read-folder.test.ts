import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { markdownPassages } from '../src/collection/markdown-passages.ts'
import { readFolder } from '../src/collection/read-folder.ts'

test('a file becomes its sections, with the headings above them', () => {
  const markdown = [
    'Before all headings.',
    '# Bees #1',
    '',
    'One.',
    '#no heading',
    '## Flowers',
    '```sh',
    '# a comment',
    '',
    '```',
    '### Colour',
    'Two.',
    '# Wasps',
    '####### seven are none',
    '## Empty',
    '',
    '## Nests\r',
    'Three.\r',
  ].join('\n')
  expect(markdownPassages('bees.md', markdown)).toEqual([
    { id: 'bees.md:1', title: 'bees.md', text: 'Before all headings.' },
    { id: 'bees.md:4', title: 'Bees #1', text: 'One.\n#no heading' },
    { id: 'bees.md:7', title: 'Bees #1 › Flowers', text: '```sh\n# a comment\n\n```' },
    { id: 'bees.md:12', title: 'Bees #1 › Flowers › Colour', text: 'Two.' },
    { id: 'bees.md:14', title: 'Wasps', text: '####### seven are none' },
    { id: 'bees.md:18', title: 'Wasps › Nests', text: 'Three.' },
  ])
  expect(markdownPassages('a.md', '### deep\nfirst')[0]!.title).toBe('deep')
  expect(markdownPassages('a.md', '# only\n\n## headings\n')).toEqual([])
})

test('a long section is cut between its paragraphs, and never within a block of code', () => {
  const paragraph = 'word '.repeat(60).trim()
  const many = Array.from({ length: 7 }, () => paragraph).join('\n\n')
  const passages = markdownPassages('long.md', `# Title\n\n${many}`)
  expect(passages.map(({ id }) => id)).toEqual(['long.md:3', 'long.md:9', 'long.md:15'])
  expect(passages.map(({ text }) => text.split('\n\n').length)).toEqual([3, 3, 1])
  expect(new Set(passages.map(({ title }) => title))).toEqual(new Set(['Title']))
  expect(markdownPassages('code.md', `~~~\n${many}\n~~~\n`)).toHaveLength(1)
})

test('a folder gives its Markdown files, without hidden ones, links and what is no text', async () => {
  const folder = temporaryFolder()
  const write = (name: string, contents: string | Buffer): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), contents)
  }
  await expect(readFolder(folder, {})).rejects.toThrow('has no Markdown files (.md) with text')
  await expect(readFolder(join(folder, 'no'), {})).rejects.toThrow(/no: there is no such file/)
  write('notes/b/c.md', 'c')
  write('notes/a.MD', '\ufeff# Title\na')
  write('notes/d.markdown', 'd')
  write('notes/picture.png', 'no')
  write('notes/.hidden/e.md', 'no')
  write('notes/.f.md', 'no')
  write('notes/node_modules/g.md', 'no')
  write('notes/bytes.md', Buffer.from([0x61, 0xff]))
  write('notes/large.md', Buffer.alloc(2 ** 22 + 1, 'a'))
  write('secret.md', 'a secret')
  symlinkSync(join(folder, 'secret.md'), join(folder, 'notes', 'link.md'))
  symlinkSync(folder, join(folder, 'notes', 'up'))
  const remarks: string[] = []
  const onRemark = (remark: string) => remarks.push(remark)
  const passages = await readFolder(join(folder, 'notes'), { onRemark })
  expect(passages.map(({ id }) => id)).toEqual(['a.MD:2', 'b/c.md:1', 'd.markdown:1'])
  expect(remarks).toEqual([
    `2 files are left out, which are not UTF-8, or larger than 4 MB: ${join(folder, 'notes', 'bytes.md')}`,
  ])
  const stopped = readFolder(join(folder, 'notes'), { signal: AbortSignal.abort() })
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
})

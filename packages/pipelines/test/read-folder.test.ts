import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { LONGEST_PASSAGE, markdownPassages } from '../src/collection/markdown-passages.ts'
import { readFolder } from '../src/collection/read-folder.ts'

/** A user without rights, on Linux and macOS. */
const NOBODY = 65534

test('splits a file into its sections, with the headings above them', () => {
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
    '### Color',
    'Two.',
    '# Wasps',
    '####### seven are none',
    '## Empty',
    '',
    '## Nests\r',
    'Three.\r',
  ].join('\n')
  expect(markdownPassages('bees.md', markdown).passages).toEqual([
    { id: 'bees.md:1', title: 'bees.md', text: 'Before all headings.' },
    { id: 'bees.md:4', title: 'Bees #1', text: 'One.\n#no heading' },
    { id: 'bees.md:7', title: 'Bees #1 › Flowers', text: '```sh\n# a comment\n\n```' },
    { id: 'bees.md:12', title: 'Bees #1 › Flowers › Color', text: 'Two.' },
    { id: 'bees.md:14', title: 'Wasps', text: '####### seven are none' },
    { id: 'bees.md:18', title: 'Wasps › Nests', text: 'Three.' },
  ])
  expect(markdownPassages('a.md', '### deep\nfirst').passages[0]!.title).toBe('deep')
  expect(markdownPassages('a.md', '# only\n\n## headings\n').passages).toEqual([])
})

test('splits a long section between its paragraphs, and never within a block of code', () => {
  const paragraph = 'word '.repeat(60).trim()
  const many = Array.from({ length: 7 }, () => paragraph).join('\n\n')
  const { passages } = markdownPassages('long.md', `# Title\n\n${many}`)
  expect(passages.map(({ id }) => id)).toEqual(['long.md:3', 'long.md:9', 'long.md:15'])
  expect(passages.map(({ text }) => text.split('\n\n').length)).toEqual([3, 3, 1])
  expect(new Set(passages.map(({ title }) => title))).toEqual(new Set(['Title']))
  expect(markdownPassages('code.md', `~~~\n${many}\n~~~\n`).passages).toHaveLength(1)
})

test('splits a block of code and a line of any length, never within a surrogate pair', () => {
  const code = `\`\`\`\n${'x = 1\n\n'.repeat(5000)}\`\`\``
  const line = `a${'🐝'.repeat(10_000)}`
  for (const [markdown, count] of [
    [code, 7],
    [line, 4],
  ] as const) {
    const { passages } = markdownPassages('long.md', markdown)
    expect(passages.length).toBe(count)
    expect(new Set(passages.map(({ id }) => id)).size).toBe(count)
    for (const { text } of passages) {
      expect(text.length).toBeLessThanOrEqual(LONGEST_PASSAGE)
      expect(text).not.toMatch(/\p{Surrogate}/u)
    }
    const words = (text: string) => text.replace(/\s+/g, '')
    expect(words(passages.map(({ text }) => text).join(''))).toBe(words(markdown))
  }
  const second = markdownPassages('long.md', line).passages[1]!
  expect(second.id).toBe(`long.md:1:${LONGEST_PASSAGE}`)
})

test('reads the Markdown files of a folder, without hidden files, links and files that are not text', async () => {
  const folder = temporaryFolder()
  const write = (name: string, contents: string | Buffer): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), contents)
  }
  await expect(readFolder(folder, {})).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await expect(readFolder(join(folder, 'no'), {})).rejects.toMatchObject({ code: 'BAD_FILE' })
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
    `1 files left out (not UTF-8), such as ${join(folder, 'notes', 'bytes.md')}`,
    `1 files left out (larger than 4 MB), such as ${join(folder, 'notes', 'large.md')}`,
  ])
  const stopped = readFolder(join(folder, 'notes'), { signal: AbortSignal.abort() })
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
})

test('limits headings and passages of a file, and counts what is left out in remarks', async () => {
  const folder = temporaryFolder()
  const remarks: string[] = []
  const onRemark = (remark: string) => remarks.push(remark)
  // One heading of a megabyte above 2,000 sections: 2 GB of titles where each repeats it.
  const heading = 'word '.repeat(2 ** 18)
  writeFileSync(join(folder, 'a.md'), `# ${heading}\n${'## s\ntext\n'.repeat(2000)}`)
  writeFileSync(join(folder, 'b.md'), `# ${'x'.repeat(199)}\u{1f41d}\ntext`)
  writeFileSync(join(folder, 'c.md'), '# h\nx\n'.repeat(12_000))
  const passages = await readFolder(folder, { onRemark })
  expect(passages).toHaveLength(2000 + 1 + 10_000)
  expect(passages[0]!.title).toBe(`${heading.slice(0, 200)} › s`)
  expect(passages[2000]!.title).toBe('x'.repeat(199))
  expect(remarks).toEqual([
    `2 headings cut to 200 characters, such as ${join(folder, 'a.md')}`,
    `2000 passages left out (beyond 10000 in one file), such as ${join(folder, 'c.md')}`,
  ])
})

test('refuses a folder with too many sections in many files before it fills the memory', async () => {
  const folder = temporaryFolder()
  const sections = '# h\nx\n'.repeat(10_000)
  for (let i = 0; i < 41; i++) writeFileSync(join(folder, `${i}.md`), sections)
  await expect(readFolder(folder, {})).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('400000'),
  })
})

test('leaves out files and folders that are deleted, or whose names are not UTF-8', async () => {
  const folder = temporaryFolder()
  for (const name of ['a', 'gone', 'z']) mkdirSync(join(folder, name))
  for (const name of ['a/1.md', 'a/2.md', 'gone/3.md', 'z/4.md', 'z/\ufffd.md']) {
    writeFileSync(join(folder, name), name)
  }
  const bytes = (...parts: (string | number)[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))),
    )
  writeFileSync(bytes(`${folder}/z/`, 0xff, '.md'), 'bytes')
  mkdirSync(bytes(`${folder}/z/`, 0xfe))
  // Looked at after each file is read: the next one is gone by then.
  const signal = {
    get aborted() {
      rmSync(join(folder, 'a/2.md'), { force: true })
      rmSync(join(folder, 'gone'), { recursive: true, force: true })
      return false
    },
  } as AbortSignal
  const remarks: string[] = []
  const onRemark = (remark: string) => remarks.push(remark)
  const passages = await readFolder(folder, { onRemark, signal })
  expect(passages.map(({ id }) => id)).toEqual(['a/1.md:1', 'z/4.md:1'])
  expect(remarks).toEqual([
    `1 files left out (removed while the folder was read), such as ${join(folder, 'a/2.md')}`,
    `1 folders left out (removed while the folder was read), such as ${join(folder, 'gone')}`,
    `1 folders left out (name is not UTF-8), such as ${join(folder, 'z/\ufffd')}`,
    `2 files left out (name is not UTF-8), such as ${join(folder, 'z/\ufffd.md')}`,
  ])
})

test.skipIf(process.platform === 'win32')(
  'leaves out files and folders that the user may not read',
  () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'closed'))
    for (const name of ['a.md', 'b.md', 'closed/c.md']) writeFileSync(join(folder, name), name)
    chmodSync(folder, 0o755)
    chmodSync(join(folder, 'b.md'), 0)
    chmodSync(join(folder, 'closed'), 0)
    // Root may read everything, so that a process of another user has to try.
    const program = `
      import { readFolder } from '../dist/internal.js'
      const passages = await readFolder(process.argv[1], { onRemark: console.log })
      console.log(passages.map(({ id }) => id).join())`
    const child = spawnSync(process.execPath, ['--input-type=module', '--eval', program, folder], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      uid: process.getuid!() || NOBODY,
    })
    chmodSync(join(folder, 'closed'), 0o755)
    expect(child).toMatchObject({ status: 0, stderr: '' })
    expect(child.stdout.trim().split('\n')).toEqual([
      `1 files left out (no permission to read), such as ${join(folder, 'b.md')}`,
      `1 folders left out (no permission to read), such as ${join(folder, 'closed')}`,
      'a.md:1',
    ])
  },
)

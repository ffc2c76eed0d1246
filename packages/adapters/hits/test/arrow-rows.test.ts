import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Dictionary,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  List,
  Null,
  Struct,
  TimestampMicrosecond,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ArrowData, joinRows } from '../src/arrow-rows.ts'

const number = (type: DataType) => new Field('item', type, true)
const columns: [DataType, unknown[], unknown[]][] = [
  [new Int32(), [1, null, 3], [4, 5]],
  [new Int64(), [1n, 2n ** 60n, null], [4n]],
  [new Float16(), [0.5, 1.5], [2.5]],
  [new Bool(), [true, null, false, true], [false, true]],
  [new Utf8(), ['bees', null, '', 'flowers'], ['honey, naïve']],
  [new LargeUtf8(), ['bees', 'x'], [null, 'honey']],
  [new DateDay(), [new Date(86_400_000), null], [new Date(0)]],
  [new List(number(new Utf8())), [['a', 'b'], [], null], [['c'], ['d', null]]],
  [new FixedSizeList(2, number(new Float32())), [[1, 2], null, [3, 4]], [[5, 6]]],
  [
    new Struct([number(new Utf8()), new Field('n', new Int8(), true)]),
    [{ item: 'a', n: 1 }],
    [
      { item: null, n: 2 },
      { item: 'b', n: null },
    ],
  ],
  [new Null(), [null, null], [null]],
]

const dataOf = (values: unknown[], type: DataType) => vectorFromArray(values, type).data[0]!
const valuesOf = (data: Data) =>
  JSON.stringify([...new Vector([data])], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  )

test.each(columns)('joins rows of %s from two batches in any order', (type, ...batches) => {
  const rows = batches.flatMap((values) => {
    const data = dataOf(values, type) as unknown as ArrowData
    return values.map((value, begin) => ({ value, data, begin, end: begin + 1 }))
  })
  const check = (picked: typeof rows) => {
    const joined = joinRows(picked) as unknown as Data
    const expected = dataOf(
      picked.map(({ value }) => value),
      type,
    )
    expect([joined.length, valuesOf(joined)]).toEqual([picked.length, valuesOf(expected)])
  }
  fc.assert(fc.property(fc.shuffledSubarray(rows, { minLength: 1 }), check), { numRuns: 20 })
})

test('joins no rows of an empty batch with rows of another batch', () => {
  const type = new Utf8()
  const [empty, full] = [dataOf([], type), dataOf(['bees'], type)] as unknown as ArrowData[]
  const none = { data: empty!, begin: 0, end: 0 }
  expect(valuesOf(joinRows([none]) as unknown as Data)).toBe('[]')
  const joined = joinRows([none, { data: full!, begin: 0, end: 1 }])
  expect(valuesOf(joined as unknown as Data)).toBe('["bees"]')
})

test('keeps times in microseconds unchanged', () => {
  const type = new TimestampMicrosecond()
  const data = dataOf([0, 1], type)
  data.values.set([1_763_370_000_123_457n, 1_763_370_000_999_999n])
  const part = { data: data as unknown as ArrowData, begin: 1, end: 2 }
  expect(joinRows([part]).values![0]).toBe(1_763_370_000_999_999n)
})

test('refuses dictionary columns, because each batch has its own dictionary', () => {
  const type = new Dictionary(new Utf8(), new Int32())
  const part = { data: dataOf(['a'], type) as unknown as ArrowData, begin: 0, end: 1 }
  expect(() => joinRows([part])).toThrow(
    expect.objectContaining({
      code: 'BAD_INPUT',
      message: expect.stringContaining('dictionaries'),
    }),
  )
})
